import { eraseFromClaims, eraseNamesIn } from '../claim/claims.ts';
import { eraseFromDelivered, eraseFromQueues, holdPulls } from '../pull/erase.ts';
import { LISTS, SUBJECTS } from '../core/lists.ts';
import type { ListName } from '../core/lists.ts';
import { RECORDS, claimIn, eraseRecords, inList } from '../records/record-rows.ts';
import type { Engine } from '../store/engine.ts';
import { EVENTS, eraseEvents, mentionsOf, searched } from '../store/log.ts';
import type { Texts } from '../store/log.ts';
import { eraseFromWaits } from '../wait/erase.ts';

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
 * Erases everything known: first the tombstones and everything that could still produce data of it; then, in small transactions, the records; last the traces in the database's files. What
 * still arrives of them until `expiresAt` is not stored. If it rejects, part of it may be done; a
 * repetition does the rest.
 *
 * @returns the ids, in order
 */
export async function erase(
	database: Engine,
	what: Erasable,
	expiresAt: number,
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
				await eraseRecords(tx, subjects, expiresAt);
				await holdPulls(tx);
				const erased = await eraseEvents(tx, some, mentions);
				await eraseFromQueues(tx, erasing, erased);
				await eraseFromWaits(tx, subjects);
				return erased;
			});
		}
		await eraseFromDelivered(database, erasing, all);
		await eraseFromClaims(database, some);
		await eraseNamesIn(
			database,
			some.flatMap((id) => claimIn(id) ?? []),
		);
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
