import { eraseFromClaims } from '../claim/claims.ts';
import { eraseFromDelivered, eraseFromQueues, holdPulls } from '../pull/erase.ts';
import { RECORDS, eraseRecords } from '../records/record-rows.ts';
import type { Engine } from '../store/engine.ts';
import { EVENTS, eraseEvents, mentionsOf, searched } from '../store/log.ts';
import type { Texts } from '../store/log.ts';
import { eraseFromWaits } from '../wait/erase.ts';

/** Which letters: one by its id, or all that were sent with this reference. */
export type Letters =
	| { messageId: string }
	| { fileReference: string }
	| { customerReference: string };

/** Letters erased in one transaction. */
const TOGETHER = 50;

interface Found {
	messageIds: string[];
	/** Events of the letters in which no message id was found. */
	strays: number[];
}

/**
 * Erases everything known of letters: first the tombstones and everything that could still produce data
 * of the letters; then, in small transactions, the records; last the traces in the database's files. What
 * still arrives of them until `expiresAt` is not stored. If it rejects, part of it may be done; a
 * repetition does the rest.
 *
 * @returns the ids of the letters, in order
 */
export async function erase(
	database: Engine,
	letters: Letters,
	expiresAt: number,
): Promise<string[]> {
	const { messageIds, strays } = await find(database, letters);
	for (let at = 0; at === 0 || at < messageIds.length; at += TOGETHER) {
		const some = messageIds.slice(at, at + TOGETHER);
		const mentions = [...(await mentionsOf(database, some)), ...(at === 0 ? strays : [])];
		const all: number[] = [];
		for (let gone = null; gone === null || gone.length > 0; all.push(...gone)) {
			gone = await database.inTurn(async (tx) => {
				await eraseRecords(tx, some, expiresAt);
				await holdPulls(tx);
				const erased = await eraseEvents(tx, some, mentions);
				await eraseFromQueues(tx, some, erased);
				await eraseFromWaits(tx, some);
				return erased;
			});
		}
		await eraseFromDelivered(database, some, all);
		await eraseFromClaims(database, some);
	}
	await database.scrub();
	return messageIds;
}

async function find(database: Engine, letters: Letters): Promise<Found> {
	if ('messageId' in letters) return { messageIds: [letters.messageId], strays: [] };
	const [[name, value]] = Object.entries(letters) as [[string, string]];
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
	await search(RECORDS, 'subject');
	return { messageIds: [...ids].sort(), strays };
}
