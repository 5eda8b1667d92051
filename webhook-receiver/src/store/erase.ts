import { setImmediate as turn } from 'node:timers/promises';
import { IS_OPEN } from './batch-rows.ts';
import { eraseFromAnswers } from './claims.ts';
import { sequencesOf } from './consumer-rows.ts';
import type { BatchRow } from './consumer-rows.ts';
import type { Db, Engine, Transaction } from './engine.ts';
import { eraseRecords } from './record-rows.ts';
import { CLAIMS, EVENTS, fitting } from './log.ts';
import type { Texts } from './log.ts';
import { columnOf, updateOf } from './statements.ts';
import type { Letters } from './store.ts';
import { eraseFromWaits } from './erase-from-waits.ts';

/** Rows that one step of a search reads, so that it never holds up ingest. */
const STEP = 2_000;
/** Letters erased in one transaction. */
const TOGETHER = 50;

const writeContents = updateOf(
	'batches',
	{ number: 'bigint' },
	{ sequences: 'text', messages: 'text', size: 'bigint' },
);

/** What `$1` (ids of messages) or `$2` (sequences of events) is part of. */
const TOUCHED = `(
	EXISTS (
		SELECT 1 FROM json_array_elements_text(messages::json) AS letter (value)
		WHERE letter.value = ANY($1)
	) OR EXISTS (
		SELECT 1 FROM json_array_elements_text(sequences::json) AS element (value)
		WHERE element.value::bigint = ANY($2)
	)
)`;

interface Found {
	messageIds: string[];
	/** Events of the letters in which no message id was found. */
	strays: number[];
}

/**
 * Erases letters in three steps: first the tombstones and everything that could still produce data of
 * the letters; then, in small transactions, the records; last the traces in the database's files.
 */
export async function erase(
	database: Engine,
	letters: Letters,
	now: number,
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
				return eraseSources(tx, some, mentions);
			});
		}
		await eraseDelivered(database, some, all);
	}
	await database.scrub();
	return messageIds;
}

async function find(db: Db, letters: Letters): Promise<Found> {
	if ('messageId' in letters) return { messageIds: [letters.messageId], strays: [] };
	const [[name, value]] = Object.entries(letters) as [[string, string]];
	// As JSON.stringify wrote it; a raw event inside may match too, hence the second check.
	const needle = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
	const ids = new Set<string>();
	const strays: number[] = [];
	const search = async (texts: Texts) => {
		const { table, key, text: column } = texts;
		for await (const range of steps(db, texts)) {
			const rows = await db.rows<{ key: number; message_id: string | null; text: string }>(
				`SELECT ${key} AS key, message_id, ${column} AS text FROM ${table}
				WHERE ${key} > $1 AND ${key} <= $2 AND strpos(${column}, $3) > 0`,
				[...range, needle],
			);
			for (const { key: number, message_id, text } of rows) {
				if ((JSON.parse(text) as Record<string, unknown>)[name] !== value) continue;
				if (message_id === null) strays.push(number);
				else ids.add(message_id);
			}
		}
	};
	await search(EVENTS);
	await search({ table: 'records', key: 'id', text: 'record' });
	return { messageIds: [...ids].sort(), strays };
}

/** Sequences of events without a message id of their own that have one of these ids in them. */
async function mentionsOf(db: Db, messageIds: readonly string[]): Promise<number[]> {
	const mentions: number[] = [];
	const isMention = new RegExp(`(?<!\\d)(?:${messageIds.join('|')})(?!\\d)`);
	for await (const range of steps(db, EVENTS, 'message_id IS NULL')) {
		const rows = await db.rows<{ sequence: number; event: string }>(
			`SELECT sequence, event FROM events
			WHERE message_id IS NULL AND sequence > $1 AND sequence <= $2
				AND EXISTS (
					SELECT 1 FROM json_to_recordset($3) AS letter (id text) WHERE strpos(event, letter.id) > 0
				)`,
			[...range, messageIds.map((id) => ({ id }))],
		);
		for (const { sequence, event } of rows) if (isMention.test(event)) mentions.push(sequence);
	}
	return mentions;
}

/** Returns the sequences of the events that are gone now; there may be more unless it is none. */
async function eraseSources(
	tx: Transaction,
	messageIds: readonly string[],
	mentions: readonly number[],
): Promise<number[]> {
	// So that no batch is formed meanwhile from events read before.
	await tx.rows('SELECT key FROM consumers ORDER BY key FOR NO KEY UPDATE');
	const gone = await columnOf<number>(
		tx,
		`DELETE FROM events WHERE sequence IN ${fitting(
			`WHERE message_id = ANY($1) OR sequence = ANY($2) ORDER BY sequence LIMIT ${STEP}`,
		)} RETURNING sequence`,
		[messageIds, mentions],
	);
	// Each by its own index.
	for (const state of [IS_OPEN, `state = 'dead'`]) {
		await eraseFromBatches(tx, `${state} AND ${TOUCHED}`, messageIds, gone);
	}
	await eraseFromWaits(tx, messageIds);
	return gone;
}

/** What was delivered or sent: no more is added once the events are gone. */
async function eraseDelivered(
	database: Engine,
	messageIds: readonly string[],
	gone: readonly number[],
): Promise<void> {
	for await (const [after, last] of steps(database, BATCHES, `state = 'done'`)) {
		const where = `state = 'done' AND number > $3 AND number <= $4 AND ${TOUCHED}`;
		await database.transaction((tx) =>
			eraseFromBatches(tx, where, messageIds, gone, [after, last]),
		);
	}
	for await (const range of steps(database, CLAIMS, `state = 'sent'`)) {
		await database.transaction((tx) => eraseFromAnswers(tx, messageIds, range));
	}
}

/** A batch keeps its other events; without any it is deleted. */
async function eraseFromBatches(
	tx: Transaction,
	where: string,
	messageIds: readonly string[],
	gone: readonly number[],
	range: readonly number[] = [],
): Promise<void> {
	const rows = await tx.rows<BatchRow>(
		`SELECT * FROM batches WHERE ${where} ORDER BY number FOR UPDATE`,
		[...[messageIds, gone], ...range],
	);
	if (rows.length === 0) return;
	const present = await tx.rows<{ sequence: number; size: number }>(
		'SELECT sequence, length(event) AS size FROM events WHERE sequence = ANY($1)',
		[rows.flatMap(sequencesOf)],
	);
	const sizes = new Map(present.map(({ sequence, size }) => [sequence, size]));
	const next = new Map(rows.map((row) => [row.number, withoutLetters(row, messageIds, sizes)]));
	const empty = [...next].filter(([, row]) => row === null).map(([number]) => number);
	await tx.rows('DELETE FROM batches WHERE number = ANY($1)', [empty]);
	await writeContents(
		tx,
		[...next.values()].filter((row) => row !== null),
	);
	for (const { consumer } of rows) tx.news.notices.add(`consumer ${consumer}`);
}

/**
 * The batch with the remaining events, or null. If retention has removed all events, it stays on
 * record for the other letters.
 */
function withoutLetters(
	row: BatchRow,
	messageIds: readonly string[],
	sizes: ReadonlyMap<number, number>,
): BatchRow | null {
	const others = (JSON.parse(row.messages) as string[]).filter((id) => !messageIds.includes(id));
	const messages = JSON.stringify(others);
	const left = sequencesOf(row).filter((sequence) => sizes.has(sequence));
	if (left.length === 0) return others.length === 0 ? null : { ...row, messages };
	const size = left.reduce((sum, sequence) => sum + (sizes.get(sequence) ?? 0), 0);
	return { ...row, messages, sequences: JSON.stringify(left), size };
}

const BATCHES: Texts = { table: 'batches', key: 'number', text: 'messages' };

/** Parts of a table to be searched one by one: after the first number, up to the second. */
async function* steps(db: Db, texts: Texts, where = 'true'): AsyncGenerator<[number, number]> {
	const { key } = texts;
	for (let after = 0; ; ) {
		const step = `WHERE ${where} AND ${key} > $1 ORDER BY ${key} LIMIT ${STEP}`;
		const [{ last }] = (await db.rows(
			`SELECT max(${key}) AS last FROM ${fitting(step, texts)} AS step`,
			[after],
		)) as [{ last: number | null }];
		if (last === null) return;
		yield [after, last];
		after = last;
		await turn();
	}
}
