import type { ListedRecord } from '../core/listed.ts';
import type { ListName } from '../core/lists.ts';
import { listsWanted } from '../core/match.ts';
import type { WaitConsent } from '../core/wait-contract.ts';
import { afterListPage } from './after-list-page.ts';
import { newListWatch } from './list-watch.ts';
import type { ListWatch } from './list-watch.ts';
import { wantedPoll } from './pace.ts';
import type { ListPace } from './pace.ts';
import type { ListPageAnswer } from './answers.ts';
import { IS_OPEN } from '../queue/batch-rows.ts';
import { leaseDue } from './due-work.ts';
import { readWants } from '../pull/consumer-rows.ts';
import type { ConsumerRow } from '../pull/consumer-rows.ts';
import type { Db, Engine, Transaction } from '../store/engine.ts';
import { IS_AWAITED, inList, lockRecords, recordIn } from '../records/record-rows.ts';
import { newEventId } from '../store/new-id.ts';
import { columnOf, putInto, updateOf } from '../store/statements.ts';
import { noteNews } from '../wait/news.ts';

// The service's lists, consents and customers, and what is known of their entries. A list is watched
// while a consumer wants its events or an execution waits for one of its entries; then it is deleted.

/** A page to be asked for. */
export interface ListPagePoll {
	list: ListName;
	page: number;
	revision: number;
	askedAt: number;
}

/** How it was answered; `null`: it was not asked for after all. */
export type ListPageOutcome = ListPagePoll & { answer: ListPageAnswer | null };

/** A list that is watched. */
export interface WatchedList {
	name: ListName;
	/** When it was last read whole; null before the first time. */
	readAt: number | null;
	problem: string | null;
}

interface ListRow {
	name: ListName;
	/** A {@link ListWatch} as JSON; null while nobody wants it. */
	watch: string | null;
	/** Rises with each answer: a slower one to the same question is stale. */
	revision: number;
	asked_at: number | null;
	next_poll_at: number | null;
}

const POLLS = {
	table: 'lists',
	key: 'name',
	at: 'next_poll_at',
	noted: 'asked_at',
	where: 'next_poll_at IS NOT NULL',
};

const putListed = putInto(
	'records',
	{ subject: 'text' },
	{ record: 'text', contact: 'text', expires_at: 'bigint' },
);
/** How long an entry that is no longer listed is kept: it may return. */
const REMEMBERED_MS = 30 * 24 * 3_600_000;

const update = updateOf(
	'lists',
	{ name: 'text' },
	{ watch: 'text', revision: 'bigint', next_poll_at: 'bigint' },
);

/** Watches the lists that a consumer or wait wants. */
export async function wantLists(tx: Transaction, now: number): Promise<void> {
	for (const row of await lockLists(tx, [...(await allWanted(tx))])) {
		const known = row.watch === null ? newListWatch(now) : readWatch(row.watch);
		const next_poll_at = wantedPoll(row.asked_at, row.next_poll_at, now);
		const watch = JSON.stringify({ ...known, wantedAt: now });
		await update(tx, [{ ...row, watch, next_poll_at }]);
	}
}

/** Leases up to `most` pages that are due; deletes lists that are no longer wanted. */
export async function leaseListPages(
	tx: Transaction,
	request: { now: number; most: number; leaseMs: number },
): Promise<ListPagePoll[]> {
	const rows = await leaseDue<ListRow>(tx, POLLS, request);
	if (rows.length === 0) return [];
	const wanted = await allWanted(tx);
	const polls: ListPagePoll[] = [];
	for (const { name, watch, revision } of rows) {
		if (!wanted.has(name) || watch === null) {
			await forgetList(tx, name);
			continue;
		}
		polls.push({ list: name, page: readWatch(watch).page, revision, askedAt: request.now });
	}
	return polls;
}

/** Stores what a page says; returns how many events resulted. */
export function noteListPage(
	database: Engine,
	outcome: ListPageOutcome,
	now: number,
	pace: ListPace,
): Promise<number> {
	return database.inTurn(async (tx) => {
		const { list, revision, answer, askedAt } = outcome;
		const [row] = await lockLists(tx, [list]);
		// Overtaken by another receiver, or no longer wanted.
		if (row?.watch == null || row.revision !== revision) return 0;
		if (answer === null) {
			await update(tx, [{ ...row, next_poll_at: now }]);
			return 0;
		}
		const entries = answer.kind === 'list-page' ? answer.entries : [];
		const rows = await lockRecords(
			tx,
			entries.map(({ id }) => inList(list, id)),
		);
		const isKnownErased = (id: string) => rows.get(inList(list, id))?.record === null;
		const kept = entries.filter(({ id }) => !isKnownErased(id));
		const read = answer.kind === 'list-page' ? { ...answer, entries: kept } : answer;
		const known = (id: string) => {
			const row = rows.get(inList(list, id));
			return row === undefined ? null : recordIn<ListedRecord>(row);
		};
		const watch = readWatch(row.watch);
		const decision = afterListPage(
			list,
			{ watch, known },
			{ answer: read, askedAt },
			now,
			pace,
			newEventId,
		);
		const after = { watch: JSON.stringify(decision.watch), next_poll_at: decision.nextPollAt };
		await update(tx, [{ ...row, ...after, revision: revision + 1 }]);
		const { events, readFrom } = decision;
		const changed = Array.from(decision.records, ([id, record]) => toRow(list, id, record));
		await putListed(tx, changed);
		await tx.append(events);
		if (readFrom !== null) await forgetGone(tx, list, readFrom);
		const contacts = changed.map(({ contact }) => contact);
		await noteNews(tx, await ofContacts(tx, contacts));
		return events.length;
	});
}

/**
 * Notes of consents that are awaited whose they are, where nothing is known of them: the list shows the newest of
 * a contact alone (rule CONS-07), and one that took its place answers for it.
 */
export async function expectConsents(
	tx: Transaction,
	consents: readonly WaitConsent[],
	now: number,
): Promise<void> {
	for (const { consentId, contact } of consents) {
		if (contact === undefined) continue;
		const row = toRow('consents', consentId, { contact, changes: [], seenAt: now });
		await tx.rows(
			`INSERT INTO records (subject, record, contact, expires_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (subject) DO NOTHING`,
			[row.subject, row.record, row.contact, row.expires_at],
		);
	}
}

/** Lists that are wanted. */
export async function watchedLists(db: Db): Promise<WatchedList[]> {
	const rows = await db.rows<ListRow & { watch: string }>(
		'SELECT * FROM lists WHERE watch IS NOT NULL ORDER BY name',
	);
	return rows.map(({ name, watch }) => {
		const { readAt, problem } = readWatch(watch);
		return { name, readAt, problem };
	});
}

async function lockLists(tx: Transaction, names: readonly ListName[]): Promise<ListRow[]> {
	// In a fixed order, so that two receivers never block each other.
	return tx.rows('SELECT * FROM lists WHERE name = ANY($1) ORDER BY name FOR UPDATE', [names]);
}

/** Of all consumers and waits. */
async function allWanted(tx: Transaction): Promise<Set<ListName>> {
	const consumers = await tx.rows<ConsumerRow>('SELECT wants FROM consumers');
	const wanted = new Set(consumers.flatMap((row) => listsWanted(readWants(row))));
	const waits = await tx.rows(
		// One that is being woken may wait on, for an answer to its reminder.
		`SELECT 1 FROM waits WHERE awaits = 'consents' AND (
			due_at IS NOT NULL OR id IN (SELECT wait FROM batches WHERE wait IS NOT NULL AND ${IS_OPEN})
		) LIMIT 1`,
	);
	return waits.length === 0 ? wanted : wanted.add('consents');
}

async function forgetList(tx: Transaction, list: ListName): Promise<void> {
	await tx.rows(
		'UPDATE lists SET watch = NULL, revision = revision + 1, next_poll_at = NULL WHERE name = $1',
		[list],
	);
	await tx.rows(`DELETE FROM records WHERE ${IS_LISTED}`, [inList(list, '')]);
}

/** An entry that an execution waits for stays: a newer one of its contact may answer for it. */
async function forgetGone(tx: Transaction, list: ListName, readFrom: number): Promise<void> {
	await tx.rows(
		`DELETE FROM records WHERE ${IS_LISTED} AND expires_at < $2 AND NOT ${IS_AWAITED}`,
		[inList(list, ''), readFrom],
	);
}

const IS_LISTED = 'contact IS NOT NULL AND strpos(contact, $1) = 1';

function toRow(list: ListName, id: string, record: ListedRecord) {
	return {
		subject: inList(list, id),
		record: JSON.stringify(record),
		contact: inList(list, record.contact),
		expires_at: record.seenAt + REMEMBERED_MS,
	};
}

/** All consents of these contacts. */
async function ofContacts(tx: Transaction, contacts: readonly string[]): Promise<string[]> {
	if (contacts.length === 0) return [];
	const text = 'SELECT subject FROM records WHERE contact IS NOT NULL AND contact = ANY($1)';
	return columnOf(tx, text, [contacts]);
}

function readWatch(watch: string): ListWatch {
	return JSON.parse(watch) as ListWatch;
}
