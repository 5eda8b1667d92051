import type { LetterToSend } from '../../core/letter-contract.ts';
import type { CLAIM_STATES, Claim, KeyedChange } from '../../core/claim-contract.ts';
import { HttpError } from '../../core/http-error.ts';
import {
	beginLetters,
	erasedWithoutId,
	forgetPeople,
	lockBegun,
	settleLetters,
} from './letter-records.ts';
import type { Book, Settled } from './letter-records.ts';
import { roomIn } from './limit.ts';
import type { LetterLimit } from './limit.ts';
import { erasedOf, messageIdsIn, recordIn } from '../../log/record-rows.ts';
import type { Cleaning } from '../../sql/statements.ts';
import type { Db, Engine, Transaction } from '../../sql/engine.ts';
import { fitting, searched } from '../../sql/log.ts';
import type { Slice, Texts } from '../../sql/log.ts';
import { CLEAN_AT_ONCE, removeSome, columnOf, updateOf } from '../../sql/statements.ts';
import { CLOCK_MARGIN_MS } from '../../time/set-back.ts';
import {
	COLUMNS,
	KEY,
	aged,
	decideClaim,
	settledAsSent,
	toClaim,
	withoutLetters,
	withoutNames,
} from './decide-claim.ts';
import type { ClaimRow } from './decide-claim.ts';

interface KeyedRow extends ClaimRow {
	/** Increases with each key, for paging. */
	id: number;
	key: string;
}

const update = updateOf('key_claims', KEY, COLUMNS);

const ANSWERS: Texts = { table: 'key_claims', key: 'id', text: 'answer' };

export interface ClaimSlice extends Slice {
	/** The state as reported now: a lapsed lease counts as unknown. */
	state: (typeof CLAIM_STATES)[number] | null;
	name: string | null;
	/** `none`: only keys without a letter in the book, where a person would find it. */
	letters: 'none' | null;
}

export type Claims = ReturnType<typeof claimsIn>;

/**
 * Who may send under which Send Once Key: the first to lock a key wins, on any receiver. Kept for good;
 * what a call changes is committed when it resolves.
 */
export function claimsIn(database: Engine, bookOf: () => Book, limits: readonly LetterLimit[]) {
	return {
		/**
		 * All or none, each key at most once; returns claims in the order of the changes.
		 *
		 * @throws HttpError 413 `too-many-answers` if what is kept under the keys is too much for one answer
		 */
		change: (changes: readonly KeyedChange[], now: number): Promise<Claim[]> =>
			// In turn, since letters get their first events so, too.
			database[changes.some(isOfLetters) ? 'inTurn' : 'transaction'](async (tx: Transaction) => {
				const rows = await lock(
					tx,
					changes.map(({ key }) => key),
					now,
				);
				const answers = changes.flatMap((change) => (change.state === 'sent' ? change.answer : []));
				const reports = changes.filter(({ state }) => state !== 'leaving');
				const before = await lockBegun(
					tx,
					reports.map(({ key }) => key),
				);
				const erased = [
					...(await erasedOf(tx, messageIdsIn(answers))),
					...erasedWithoutId(before, changes),
				];
				const changed: Array<ClaimRow & { key: string }> = [];
				const freed: string[] = [];
				const begun: Claiming[] = [];
				const settled: Settled[] = [];
				const rooms = await roomIn(tx, changes.some(isOfLetters) ? limits : [], now);
				const claims = changes.map((asked) => {
					const { key, ...change } = asked;
					const row = rows.get(key) ?? null;
					const needed = row === null && 'letter' in change ? recipientsOf(change) : 0;
					const full = needed === 0 ? undefined : rooms.find(({ room }) => room < needed);
					if (full !== undefined) {
						freed.push(key);
						return limited(key, full.limit);
					}
					for (const one of rooms) one.room -= needed;
					const decided = decideClaim(row, change, now);
					const next = decided && erased.length > 0 ? withoutLetters(decided, erased) : decided;
					if (next === null) freed.push(key);
					else if (next !== row) changed.push({ ...next, key });
					if (next !== row && asked.state === 'leaving') begun.push(asked);
					else if (next !== row) settled.push(settledBy(asked, next));
					return toClaim(key, next, { asker: change.holder, now });
				});
				await update(tx, changed);
				if (freed.length > 0) await remove(tx, freed);
				await beginLetters(tx, bookOf(), begun, now);
				await settleLetters(tx, bookOf(), settled, before, now);
				return claims;
			}),

		/** The limits that are reached. */
		async reached(now: number): Promise<LetterLimit[]> {
			const rooms = await roomIn(database, limits, now);
			return rooms.filter(({ room }) => room <= 0).map(({ limit }) => limit);
		},

		async get(key: string, now: number): Promise<Claim | null> {
			const text = 'SELECT * FROM key_claims WHERE key = $1';
			const [row] = await database.rows<ClaimRow>(text, [key]);
			return row === undefined ? null : toClaim(key, row, { asker: null, now });
		},

		/** Newest first: up to the limit, but fewer if they are large; `id` is for paging. */
		async list(
			{ state, name, letters, before, limit }: ClaimSlice,
			now: number,
		): Promise<Array<{ id: number; claim: Claim }>> {
			const isNamed = name === null ? '$2::text IS NULL' : 'name = $2';
			const isListed = letters === null ? 'true' : `NOT ${IS_IN_BOOK}`;
			const chosen = `WHERE id < $1 AND ${isNamed} AND ${isListed} AND ${isInState(state, '$3')}
				ORDER BY id DESC LIMIT $4`;
			const rows = await database.rows<KeyedRow>(
				`SELECT * FROM key_claims WHERE id IN ${fitting(chosen, ANSWERS, { order: 'id DESC' })}
				ORDER BY id DESC`,
				[before ?? Number.MAX_SAFE_INTEGER, name, now, limit],
			);
			return rows.map((row) => ({
				id: row.id,
				claim: toClaim(row.key, row, { asker: null, now }),
			}));
		},

		/** Of how many keys nobody knows whether anything was sent. */
		async unknown(now: number): Promise<number> {
			const text = `SELECT count(*) FROM key_claims WHERE ${isInState('unknown', '$1')}`;
			return (await columnOf<number>(database, text, [now]))[0] ?? 0;
		},

		/**
		 * Keeps an unknown key as sent, as a person says; null if nothing is known of it.
		 *
		 * @throws HttpError 409 `claim-not-unknown` if it is not unknown any more, `wrong-number-of-letters`
		 */
		settle: (key: string, messageIds: readonly string[], now: number): Promise<Claim | null> =>
			database.inTurn(async (tx) => {
				const text = 'SELECT * FROM key_claims WHERE key = $1 FOR UPDATE';
				const [row] = await tx.rows<KeyedRow>(text, [key]);
				if (row === undefined) return null;
				const begun = await lockBegun(tx, [key]);
				const letters = begun.get(key) ?? [];
				const letter = letters[0] === undefined ? null : recordIn(letters[0]);
				const sent = settledAsSent(row, messageIds, letter, now);
				if (sent === null) {
					const { state } = toClaim(key, row, { asker: null, now });
					const message = `Nothing was changed: the key is not unknown, but ${state}.`;
					throw new HttpError(409, 'claim-not-unknown', message);
				}
				const count = letters.length;
				if (count > 0 && count !== messageIds.length) {
					const message = `Nothing was changed: under this key ${count} ${count === 1 ? 'letter' : 'letters'} may have been sent, and these are ${messageIds.length} message IDs. Give that of each recipient, in the order of the request.`;
					throw new HttpError(409, 'wrong-number-of-letters', message);
				}
				const next = withoutLetters(sent, await erasedOf(tx, [...messageIds]));
				await update(tx, [{ ...next, key }]);
				const settled: Settled = { key, state: 'sent', reason: null, messageIds };
				await settleLetters(tx, bookOf(), [settled], begun, now);
				return toClaim(key, next, { asker: null, now });
			}),

		/** Erases what names a person, and leaves the key as it is; null if nothing is known of it. */
		eraseNames: (key: string, now: number): Promise<Claim | null> =>
			database.inTurn(async (tx) => {
				const text = 'SELECT * FROM key_claims WHERE key = $1 FOR UPDATE';
				const [row] = (await tx.rows<KeyedRow>(text, [key])).map(withoutNames);
				if (row === undefined) return null;
				await update(tx, [row]);
				await forgetPeople(tx, bookOf(), key, row.reason, now);
				return toClaim(key, row, { asker: null, now });
			}),

		/** Frees a key, whatever its state. */
		remove: (key: string, now: number): Promise<void> =>
			database.inTurn(async (tx) => {
				await remove(tx, [key]);
				const begun = await lockBegun(tx, [key]);
				const settled: Settled = { key, state: 'free', reason: null, messageIds: [] };
				await settleLetters(tx, bookOf(), [settled], begun, now);
			}),
	};
}

/**
 * Locks all keys until the transaction ends, so that a decision based on them still holds at
 * commit. A key without a row gets one to lock. Uses one statement in alphabetical order, since two
 * requests that lock the same keys in different orders would deadlock.
 *
 * @returns the rows of the keys that are not free
 * @throws HttpError 413 `too-many-answers` if what is kept under them is too much for one answer
 */
async function lock(db: Db, keys: readonly string[], now: number): Promise<Map<string, KeyedRow>> {
	await db.rows(
		// A conflict locks the existing row even when nothing in it changes.
		`INSERT INTO key_claims (key, state, is_own, updated_at)
		SELECT key, 'free', false, $2 FROM json_to_recordset($1) AS requested (key text) WHERE true ORDER BY key
		ON CONFLICT (key) DO UPDATE SET state = excluded.state WHERE false`,
		[keys.map((key) => ({ key })), now],
	);
	const rows = await db.rows<Omit<KeyedRow, 'state'> & { state: KeyedRow['state'] | 'free' }>(
		`SELECT * FROM key_claims WHERE id IN ${fitting('WHERE key = ANY($1)', ANSWERS)}`,
		[keys],
	);
	if (rows.length < keys.length) {
		const message = `The answers kept under these ${keys.length} keys are too large together. Name fewer in one request.`;
		throw new HttpError(413, 'too-many-answers', message);
	}
	return new Map(rows.filter(isTaken).map((row) => [row.key, row]));
}

function recipientsOf({ letter }: { letter?: LetterToSend | undefined }): number {
	return letter?.recipients.length ?? 0;
}

/** Nothing leaves under it now. */
function limited(key: string, { text, most, withinMs }: LetterLimit): Claim {
	const free = toClaim(key, null, { asker: null, now: 0 });
	const what = most === 1 ? 'letter' : 'letters';
	const reason = `LETTER_LIMIT of the webhook receiver allows ${most} ${what} within ${withinMs / 3_600_000} hours (${text}), over all workflows.`;
	return { ...free, state: 'limited', reason };
}

type Claiming = Extract<KeyedChange, { state: 'leaving' }>;

/** Whether a change begins the records of letters, or ends their being on the way. */
function isOfLetters(change: KeyedChange): boolean {
	return 'letter' in change || 'messageIds' in change;
}

/** A key that was taken over as unknown is unknown again when it is released. */
function settledBy(asked: KeyedChange, next: ClaimRow | null): Settled {
	const messageIds = (asked.state === 'sent' && asked.messageIds) || [];
	const { state = 'free', reason = null } = next ?? {};
	return { key: asked.key, state, reason, messageIds };
}

function isTaken(row: { state: string }): row is KeyedRow {
	return row.state !== 'free';
}

/**
 * Erases letters from the answers kept under keys. The keys stay: what was sent must not be sent again.
 */
export async function eraseFromClaims(
	database: Engine,
	messageIds: readonly string[],
): Promise<void> {
	for await (const range of searched(database, ANSWERS, `state = 'sent'`)) {
		await database.transaction((tx) => eraseFromAnswers(tx, messageIds, range));
	}
}

/** Erases what names a person from these keys, whose letters have no id that is known. */
export async function eraseNamesIn(database: Engine, keys: readonly string[]): Promise<void> {
	if (keys.length === 0) return;
	await database.transaction(async (tx) => {
		const text = 'SELECT * FROM key_claims WHERE key = ANY($1) ORDER BY key FOR UPDATE';
		await update(tx, (await tx.rows<KeyedRow>(text, [keys])).map(withoutNames));
	});
}

async function eraseFromAnswers(
	tx: Transaction,
	messageIds: readonly string[],
	range: readonly [number, number],
): Promise<void> {
	const rows = await tx.rows<KeyedRow>(
		`SELECT * FROM key_claims
		WHERE state = 'sent' AND id > $1 AND id <= $2 AND EXISTS (
			SELECT 1 FROM json_to_recordset($3) AS letter (id text) WHERE strpos(answer, letter.id) > 0
		)
		ORDER BY id FOR UPDATE`,
		[...range, messageIds.map((id) => ({ id }))],
	);
	await update(
		tx,
		rows.map((row) => withoutLetters(row, messageIds)),
	);
}

const IS_IN_BOOK = `EXISTS (
	SELECT 1 FROM records WHERE records.claim = key_claims.key AND records.outcome IS NOT NULL
)`;

/** How long n8n can still retry an execution, with room to spare. */
const OWN_KEPT_MS = 120 * 24 * 3_600_000;

/**
 * Removes keys that no user has written, once nobody can ask for them any more, and from the others whom
 * they were for, with their letters; returns whether there may be more.
 */
export async function cleanClaims(db: Db, { now, lettersBefore }: Cleaning): Promise<boolean> {
	const named = await db.rows<KeyedRow>(
		`SELECT * FROM key_claims WHERE name IS NOT NULL AND state = 'sent' AND updated_at < $1
		LIMIT ${CLEAN_AT_ONCE} FOR UPDATE SKIP LOCKED`,
		[lettersBefore],
	);
	await update(db, named.map(aged));
	const where = `is_own AND state = 'sent' AND updated_at < $1`;
	const old = { table: 'key_claims', key: 'id', where };
	const removed = await removeSome(db, old, now - OWN_KEPT_MS);
	return Math.max(named.length, removed.length) === CLEAN_AT_ONCE;
}

/** Starts with the condition of the partial index on unsent keys, which are few. */
function isInState(state: ClaimSlice['state'], now: string): string {
	if (state === null) return `${now}::bigint IS NOT NULL`;
	if (state === 'sent') return `state = 'sent' AND ${now}::bigint IS NOT NULL`;
	const isLeased = `(coalesce(lease_until, 0) > ${now} AND updated_at - ${CLOCK_MARGIN_MS} <= ${now})`;
	return `state <> 'sent' AND ${state === 'leaving' ? isLeased : `NOT ${isLeased}`}`;
}

async function remove(db: Db, keys: readonly string[]): Promise<void> {
	await db.rows('DELETE FROM key_claims WHERE key = ANY($1)', [keys]);
}
