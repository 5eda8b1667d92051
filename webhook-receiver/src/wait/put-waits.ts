import { HttpError } from '../core/http-error.ts';
import type { WaitView } from '../core/wait-contract.ts';
import { erasedOf, messageErased } from '../records/record-rows.ts';
import { Batcher } from '../store/batcher.ts';
import type { Engine, Turn } from '../store/engine.ts';
import { removeWaits } from './erase.ts';
import { insertAwaited, insertWaits, toWaitView } from './wait-rows.ts';
import type { WaitRow, awaitedRows } from './wait-rows.ts';

/** Of how many letters and consents new waits are stored in one transaction, unless a single one has more. */
const PUT_TOGETHER = 1_000;

interface NewWait {
	row: WaitRow;
	awaited: ReturnType<typeof awaitedRows>;
}

/**
 * Registers waits; answers with an error for one that awaits an erased letter. In turn with the events: one
 * being stored either sees a new wait, or is committed before it, so that the wait's first look finds it.
 * Many together, since a turn that is over soon holds up no event.
 */
export function putsInto(database: Engine): Batcher<NewWait, WaitView | HttpError> {
	return new Batcher(
		(all) => database.inTurn((tx) => put(tx, all)),
		PUT_TOGETHER,
		({ awaited }) => awaited.length,
	);
}

async function put(tx: Turn, all: readonly NewWait[]): Promise<Array<WaitView | HttpError>> {
	const subjects = all.flatMap(({ awaited }) => awaited.map(({ subject }) => subject));
	const erased = new Set(await erasedOf(tx, subjects));
	const results = all.map(({ row, awaited }) => {
		const own = awaited.map(({ subject }) => subject).filter((subject) => erased.has(subject));
		const view = {
			...row,
			batch: null,
			state: null,
			attempts: null,
			reason: null,
			updated_at: null,
		};
		return own.length > 0 ? messageErased(own) : toWaitView(view, awaited);
	});
	const accepted = all.filter((_, index) => !(results[index] instanceof HttpError));
	// Of several under one name the last counts.
	const byId = new Map(accepted.map((one) => [one.row.id, one]));
	const fresh = [...byId.values()];
	await removeWaits(tx, [...byId.keys()]);
	await insertWaits(
		tx,
		fresh.map(({ row }) => row),
	);
	await insertAwaited(
		tx,
		fresh.flatMap(({ awaited }) => awaited),
	);
	// For the other receivers, one of which may outlive this one.
	if (fresh.length > 0) tx.notices.add('waits');
	if (fresh.some(({ row }) => row.awaits === 'consents')) tx.notices.add('polls');
	return results;
}
