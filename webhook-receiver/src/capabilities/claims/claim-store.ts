import type { Kernel } from '../../capability.ts';
import type { LetterToSend } from '../../core/letter-contract.ts';
import type { CLAIM_STATES, Claim, KeyedChange } from '../../core/claim-contract.ts';
import { HttpError } from '../../core/http-error.ts';
import {
	beginLetters,
	erasedWithoutId,
	forgetPeople,
	isErasedUnder,
	lockBegun,
	settleLetters,
} from './letter-records.ts';
import type { Settled } from './letter-records.ts';
import { roomIn } from './limit.ts';
import type { LetterLimit } from './limit.ts';
import { erasedOf, messageIdsIn, recordIn } from '../../log/record-rows.ts';
import type { Db, Transaction } from '../../sql/engine.ts';
import { fitting } from '../../sql/log.ts';
import type { Slice } from '../../sql/log.ts';
import { columnOf } from '../../sql/statements.ts';
import { CLOCK_MARGIN_MS } from '../../time/set-back.ts';
import { ANSWERS, updateClaims } from './claim-rows.ts';
import type { ClaimRow, KeyedRow } from './claim-rows.ts';
import {
	decideClaim,
	settledAsSent,
	toClaim,
	withoutLetters,
	withoutNames,
} from './decide-claim.ts';

interface ClaimSlice extends Slice {
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
export function claimsIn(kernel: Kernel) {
	const { database, config } = kernel;
	const limits = config.LETTER_LIMIT;

	return {
		/**
		 * All or none, each key at most once; returns claims in the order of the changes.
		 *
		 * @throws HttpError 413 `too-many-answers` if what is kept under the keys is too much for one answer
		 */
		change: (changes: readonly KeyedChange[], now: number): Promise<Claim[]> =>
			// In turn, since letters get their first events so, too.
			database[changes.some(isOfLetters) ? 'inTurn' : 'transaction'](async (tx: Transaction) => {
				const keys = changes.map(({ key }) => key);
				const rows = await lock(tx, keys, now);
				const begun = await lockBegun(tx, keys);
				const answers = changes.flatMap((one) => (one.state === 'sent' ? one.answer : []));
				const erased = [
					...(await erasedOf(tx, messageIdsIn(answers))),
					...erasedWithoutId(begun, changes),
				];
				const rooms = await roomIn(tx, changes.some(isOfLetters) ? limits : [], now);
				const decided = changes.map((change) => {
					const { key, holder } = change;
					const row = rows.get(key) ?? null;
					const needed = row === null && 'letter' in change ? recipientsOf(change) : 0;
					const full = needed === 0 ? undefined : rooms.find(({ room }) => room < needed);
					if (full !== undefined)
						return { change, row, next: null, claim: limited(key, full.limit) };
					for (const one of rooms) one.room -= needed;
					const present = decideClaim(row, change, now);
					const known = present && withoutLetters(present, erased);
					// Its letter was erased, and it names that again.
					const isNamed = change.state === 'leaving' && isErasedUnder(begun, key);
					const next = known && known !== row && isNamed ? withoutNames(known) : known;
					return { change, row, next, claim: toClaim(key, next, { asker: holder, now }) };
				});
				const news = decided.filter(({ row, next }) => next !== row);
				await updateClaims(
					tx,
					news.flatMap(({ change, next }) => (next === null ? [] : [{ ...next, key: change.key }])),
				);
				await remove(
					tx,
					decided.flatMap(({ change, next }) => (next === null ? [change.key] : [])),
				);
				const claimed = news.flatMap(({ change }) => (change.state === 'leaving' ? [change] : []));
				await beginLetters(tx, kernel, claimed, begun, now);
				const settled = news.flatMap(({ change, next }) => {
					return change.state === 'leaving' ? [] : [settledBy(change, next)];
				});
				await settleLetters(tx, kernel, settled, begun, now);
				return decided.map(({ claim }) => claim);
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
				await updateClaims(tx, [{ ...next, key }]);
				const settled: Settled = { key, state: 'sent', reason: null, messageIds };
				await settleLetters(tx, kernel, [settled], begun, now);
				return toClaim(key, next, { asker: null, now });
			}),

		/** Erases what names a person, and leaves the key as it is; null if nothing is known of it. */
		eraseNames: (key: string, now: number): Promise<Claim | null> =>
			database.inTurn(async (tx) => {
				const text = 'SELECT * FROM key_claims WHERE key = $1 FOR UPDATE';
				const [row] = (await tx.rows<KeyedRow>(text, [key])).map(withoutNames);
				if (row === undefined) return null;
				await updateClaims(tx, [row]);
				await forgetPeople(tx, kernel, key, row.reason, now);
				return toClaim(key, row, { asker: null, now });
			}),

		/** Frees a key, whatever its state. */
		remove: (key: string, now: number): Promise<void> =>
			database.inTurn(async (tx) => {
				await remove(tx, [key]);
				const begun = await lockBegun(tx, [key]);
				const settled: Settled = { key, state: 'free', reason: null, messageIds: [] };
				await settleLetters(tx, kernel, [settled], begun, now);
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

const IS_IN_BOOK = `EXISTS (
	SELECT 1 FROM records WHERE records.claim = key_claims.key AND records.outcome IS NOT NULL
)`;

/** Starts with the condition of the partial index on unsent keys, which are few. */
function isInState(state: ClaimSlice['state'], now: string): string {
	if (state === null) return `${now}::bigint IS NOT NULL`;
	if (state === 'sent') return `state = 'sent' AND ${now}::bigint IS NOT NULL`;
	const isLeased = `(coalesce(lease_until, 0) > ${now} AND updated_at - ${CLOCK_MARGIN_MS} <= ${now})`;
	return `state <> 'sent' AND ${state === 'leaving' ? isLeased : `NOT ${isLeased}`}`;
}

async function remove(db: Db, keys: readonly string[]): Promise<void> {
	if (keys.length === 0) return;
	await db.rows('DELETE FROM key_claims WHERE key = ANY($1)', [keys]);
}
