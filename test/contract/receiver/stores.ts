// What tests put into a store, ask of it and find in it.
import type { Wants } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { markOf } from '../../../webhook-receiver/src/core/mark.ts';
import { normalise } from '../../../webhook-receiver/src/core/normalise.ts';
import type { Take } from '../../../webhook-receiver/src/pull/consumer-rows.ts';
import type { Arrival, Candidate } from '../../../webhook-receiver/src/ingest/intake.ts';
import type { Store } from '../../../webhook-receiver/src/operation/store.ts';

export function candidate(raw: object, now: number): Candidate {
	const normalised = normalise(raw);
	const receivedAt = new Date(now).toISOString();
	return {
		event: { ...normalised.event, receivedAt },
		mark: markOf(normalised),
	};
}

/** A request with these events. */
export function arrival(now: number, ...raws: object[]): Arrival {
	return { candidates: raws.map((raw) => candidate(raw, now)), now, bytes: 0 };
}

/** Every row of every table, as text. */
export async function dumped(store: Store): Promise<Array<{ table: string; row: string }>> {
	const { database } = store;
	const isPostgres = (await database.space()).free === null;
	const tables = await database.rows(
		isPostgres
			? `SELECT table_name AS name FROM information_schema.tables
				WHERE table_schema = 'registered_delivery'`
			: `SELECT name FROM sqlite_schema WHERE type = 'table'`,
	);
	const all = (tables as Array<{ name: string }>).map(async ({ name: table }) => {
		const rows = await database.rows(`SELECT * FROM ${table}`);
		return rows.map((row: unknown) => ({ table, row: JSON.stringify(row) }));
	});
	return (await Promise.all(all)).flat();
}

/** Whether a row is all that is kept of an erased letter. */
export function isTombstone({ table, row }: { table: string; row: string }): boolean {
	return table === 'records' && (JSON.parse(row) as { record: unknown }).record === null;
}

/** Rows in which a text stands, besides the tombstones. */
export async function tracesOf(store: Store, text: string) {
	const rows = await dumped(store);
	return rows.filter((one) => !isTombstone(one) && one.row.includes(text));
}

export const EVERYTHING: Wants = { events: ['*'], batchSize: 1 };

/** A pull of everything, one at a time. */
export function pullOf(key: string, more: Partial<Take> = {}): Take {
	return {
		key,
		name: `name of ${key}`,
		node: 'Trigger',
		url: null,
		wants: EVERYTHING,
		holder: 'first-n8n',
		holdMs: 25_000,
		atOnce: 1,
		settle: [],
		startFromNow: null,
		since: null,
		...more,
	};
}
