import type { NewEvent } from '../../core/changes.ts';
import { observeListed } from '../../core/listed.ts';
import type { ListedRecord } from '../../core/listed.ts';
import type { ListName } from '../../core/lists.ts';
import { listsWanted } from '../../core/match.ts';
import type { Learn, RecordChange } from '../../log/learn.ts';
import { inList, isErased, lockRecords, recordIn } from '../../log/record-rows.ts';
import { readWants } from '../../queue/consumer-rows.ts';
import type { ConsumerRow } from '../../queue/consumer-rows.ts';
import type { Db, Engine, Transaction } from '../../sql/engine.ts';
import { newEventId } from '../../sql/new-id.ts';
import { updateOf } from '../../sql/statements.ts';
import { listedRow } from './follow.ts';
import { afterPage, isAddition, newListWatch } from './list-reading.ts';
import type { ListPage, ListWatch, Reading } from './list-reading.ts';
import { longestListPause, wantedPoll } from './pace.ts';
import type { WatchPace } from './pace.ts';

// The service's lists, consents and customers. A list is watched while a consumer wants its events or an
// execution waits for one of its entries; then what is known of it is deleted.

/** A list that is watched. */
export interface WatchedList {
	name: ListName;
	watch: ListWatch;
	nextPollAt: number;
}

interface ListRow {
	name: ListName;
	/** A {@link ListWatch} as JSON; null while nobody wants it. */
	watch: string | null;
	next_poll_at: number | null;
}

export const LISTS_TABLE = `
	CREATE TABLE lists (name text PRIMARY KEY, watch text, next_poll_at bigint);
	INSERT INTO lists VALUES ('consents', NULL, NULL), ('customers', NULL, NULL);
`;

const update = updateOf('lists', { name: 'text' }, { watch: 'text', next_poll_at: 'bigint' });

/** Lists that capabilities want, beside consumers. */
type OthersWant = (db: Db) => Promise<readonly ListName[]>;

export function listsIn(database: Engine, learn: Learn, othersWant: OthersWant) {
	/** Of all consumers and waits. */
	async function allWanted(tx: Transaction): Promise<Set<ListName>> {
		const consumers = await tx.rows<ConsumerRow>('SELECT wants FROM consumers');
		const wanted = consumers.flatMap((row) => listsWanted(readWants(row)));
		return new Set([...wanted, ...(await othersWant(tx))]);
	}

	return {
		/** Watches those that a consumer or an execution wants, soon. */
		want: (now: number): Promise<void> =>
			database.transaction(async (tx) => {
				const names = [...(await allWanted(tx))];
				const rows = await tx.rows<ListRow>(
					'SELECT * FROM lists WHERE name = ANY($1) ORDER BY name FOR UPDATE',
					[names],
				);
				const wanted = rows.map(({ name, watch: known, next_poll_at: next }) => {
					const watch = known === null ? newListWatch(now) : readWatch(known);
					const next_poll_at = wantedPoll(watch.askedAt, next, now);
					return { name, watch: JSON.stringify({ ...watch, wantedAt: now }), next_poll_at };
				});
				await update(tx, wanted);
			}),

		async watched(): Promise<WatchedList[]> {
			const rows = await database.rows<ListRow & { watch: string; next_poll_at: number }>(
				'SELECT * FROM lists WHERE watch IS NOT NULL AND next_poll_at IS NOT NULL ORDER BY name',
			);
			return rows.map(({ name, watch, next_poll_at: nextPollAt }) => {
				return { name, watch: readWatch(watch), nextPollAt };
			});
		},

		/** Notes that a reading begins; false if nobody wants the list any more, which is then forgotten. */
		begin: (name: ListName, now: number): Promise<boolean> =>
			database.transaction(async (tx) => {
				if (!(await allWanted(tx)).has(name)) {
					await tx.rows('UPDATE lists SET watch = NULL, next_poll_at = NULL WHERE name = $1', [
						name,
					]);
					await tx.rows(`DELETE FROM records WHERE ${IS_LISTED}`, [inList(name, '')]);
					return false;
				}
				await change(tx, name, (watch) => ({ watch: { ...watch, askedAt: now }, nextPollAt: now }));
				return true;
			}),

		/**
		 * Stores what a page says; returns the reading after it, and how many events resulted. Each page counts by
		 * itself, so that whatever changes while the list is being read, an entry is seen sooner or later, and each
		 * of its changes once.
		 */
		notePage: (
			list: ListName,
			{ watch, reading }: { watch: ListWatch; reading: Reading },
			page: ListPage,
			now: number,
		): Promise<{ reading: Reading; events: number }> =>
			database.inTurn(async (tx) => {
				// One that the page names twice counts once.
				const entries = new Map(page.entries.map((entry) => [inList(list, entry.id), entry]));
				const rows = await lockRecords(tx, [...entries.keys()]);
				const changes: RecordChange[] = [];
				const events: NewEvent[] = [];
				for (const [subject, entry] of entries) {
					const before = rows.get(subject) ?? null;
					if (before !== null && isErased(before)) continue;
					const known = before && recordIn<ListedRecord>(before);
					const listed = { list, entry, isAddition: isAddition(watch, entry) };
					const next = observeListed(known, listed, now, newEventId);
					events.push(...next.events);
					if (next.record === known) continue;
					const contact = inList(list, next.record.contact);
					changes.push({ before, row: listedRow(before, subject, contact, next.record) });
				}
				await Promise.all([learn(tx, changes, now), tx.append(events)]);
				const next = afterPage(watch, reading, page, events.length > 0);
				return { reading: next, events: events.length };
			}),

		/**
		 * Stores how a reading ended.
		 *
		 * @param readFrom when a reading of the whole list began: what it did not have is forgotten in time
		 */
		end: (
			name: ListName,
			decide: (watch: ListWatch) => { watch: ListWatch; nextPollAt: number },
			readFrom: number | null,
		): Promise<void> =>
			database.transaction(async (tx) => {
				await change(tx, name, decide);
				if (readFrom === null) return;
				await tx.rows(`DELETE FROM records WHERE ${IS_LISTED} AND expires_at < $2`, [
					inList(name, ''),
					readFrom,
				]);
			}),

		/** Reads at once what is held up by itself, while the account seems to have no such list. */
		async tryAtOnce(tx: Transaction, now: number): Promise<void> {
			await tx.rows(
				`UPDATE lists SET next_poll_at = least(next_poll_at, $1)
				WHERE next_poll_at IS NOT NULL AND (watch::json ->> 'problem') IS NOT NULL`,
				[now],
			);
		},
	};
}

export type Lists = ReturnType<typeof listsIn>;

/** One that lies further ahead than its longest pause was planned before the clock was set back. */
export function isDue({ watch, nextPollAt }: WatchedList, now: number, pace: WatchPace): boolean {
	return nextPollAt <= now || nextPollAt > now + longestListPause(watch, pace);
}

const IS_LISTED = 'contact IS NOT NULL AND strpos(contact, $1) = 1';

/** Nothing if nobody wants it meanwhile. */
async function change(
	tx: Transaction,
	name: ListName,
	decide: (watch: ListWatch) => { watch: ListWatch; nextPollAt: number },
): Promise<void> {
	const text = 'SELECT * FROM lists WHERE name = $1 FOR UPDATE';
	const [row] = await tx.rows<ListRow>(text, [name]);
	if (row?.watch == null) return;
	const { watch, nextPollAt } = decide(readWatch(row.watch));
	await update(tx, [{ name, watch: JSON.stringify(watch), next_poll_at: nextPollAt }]);
}

function readWatch(watch: string): ListWatch {
	return JSON.parse(watch) as ListWatch;
}
