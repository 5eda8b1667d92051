import type { Kernel } from '../../capability.ts';
import { LISTS, SUBJECTS } from '../../core/lists.ts';
import type { ListName } from '../../core/lists.ts';
import { RECORDS, claimIn, inList, lockRecords, tombstone } from '../../log/record-rows.ts';
import type { Engine } from '../../sql/engine.ts';
import { EVENTS, searched } from '../../sql/log.ts';
import type { Texts } from '../../sql/log.ts';
import { eraseFromDelivered, eraseFromLog } from './erase-batches.ts';
import { mentionsOf } from './erase-events.ts';

/** Letters: one by its id, or all that were sent with this reference. Or a consent, or a customer. */
export type Erasable =
	| { messageId: string }
	| { fileReference: string }
	| { customerReference: string }
	| Listed;

/** In lower case. */
type Listed = { consentId: string } | { customerId: string };

/** Letters erased in one transaction. */
const TOGETHER = 50;

interface Found {
	messageIds: string[];
	/** Events in which no message id was found. */
	strays: number[];
	/** The consent or customer, by the list. */
	listed: { list: ListName; id: string } | null;
}

/**
 * Erases everything known: first the tombstones and everything that could still produce data of it; then, in
 * small transactions, what is on record; last the traces in the database's files. What still arrives of it
 * meanwhile, and for `forMs`, is not stored. If it rejects, part of it may be done; a repetition does the rest.
 *
 * @returns what was erased, in order: ids, and for letters without one what they are stored under
 */
export async function erase(
	{ database, learn, capabilities }: Kernel,
	what: Erasable,
	now: number,
	forMs: number,
): Promise<string[]> {
	const { messageIds, strays, listed } = await find(database, what);
	const ids = listed === null ? [] : [listed.id];
	const listedSubjects = listed === null ? [] : [inList(listed.list, listed.id)];
	for (let at = 0; at === 0 || at < messageIds.length; at += TOGETHER) {
		const some = messageIds.slice(at, at + TOGETHER);
		const subjects = [...some, ...listedSubjects];
		const erasing = { messageIds: some, listed: ids };
		const mentions = [...(await mentionsOf(database, some)), ...(at === 0 ? strays : [])];
		const all: number[] = [];
		for (let gone = null; gone === null || gone.length > 0; all.push(...gone)) {
			gone = await database.inTurn(async (tx) => {
				const rows = await lockRecords(tx, subjects);
				const changes = subjects.map((subject) => {
					return { before: rows.get(subject) ?? null, row: tombstone(subject, now + forMs) };
				});
				await learn(tx, changes, now);
				return eraseFromLog(tx, erasing, mentions);
			});
		}
		await eraseFromDelivered(database, erasing, all);
		const keys = some.flatMap((id) => claimIn(id) ?? []);
		for (const one of capabilities) await one.erase?.({ messageIds: some, keys });
	}
	await database.scrub();
	return [...messageIds, ...ids];
}

async function find(database: Engine, what: Erasable): Promise<Found> {
	if ('messageId' in what) return { messageIds: [what.messageId], strays: [], listed: null };
	const [[name, value]] = Object.entries(what) as [[string, string]];
	const list = LISTS.find((one) => name === `${SUBJECTS[one]}Id`);
	// As JSON.stringify wrote it; a raw event inside may match too, hence the second check.
	const needle = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
	const ids = new Set<string>();
	const strays: number[] = [];
	const search = async (texts: Texts, letter: string) => {
		const { table, key, text: column } = texts;
		for await (const range of searched(database, texts)) {
			const rows = await database.rows<{ key: number; letter: string | null; text: string }>(
				`SELECT ${key} AS key, ${letter} AS letter, ${column} AS text FROM ${table}
				WHERE ${key} > $1 AND ${key} <= $2 AND strpos(${column}, $3) > 0`,
				[...range, needle],
			);
			for (const { key: number, letter: id, text } of rows) {
				if ((JSON.parse(text) as Record<string, unknown>)[name] !== value) continue;
				if (id === null) strays.push(number);
				else ids.add(id);
			}
		}
	};
	await search(EVENTS, 'message_id');
	if (list !== undefined) return { messageIds: [], strays, listed: { list, id: value } };
	await search(RECORDS, 'subject');
	return { messageIds: [...ids].sort(), strays, listed: null };
}
