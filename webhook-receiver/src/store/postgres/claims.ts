import type { Claim, KeyedChange } from '../../claim/claim-contract.ts';
import type { ClaimPage, ClaimStore } from '../../claim/claim-store.ts';
import { decideClaim, toClaim } from '../../claim/decide-claim.ts';
import type { ClaimRow } from '../../claim/decide-claim.ts';
import { isInState, listed } from '../claim-rows.ts';
import type { ListedClaimRow } from '../claim-rows.ts';
import type { Database, Db } from './connect.ts';
import { SCHEMA } from './schema.ts';

const CLAIMS = `${SCHEMA}.key_claims`;

/** The claims of the scale-out store: whoever locks a key first wins, at whichever receiver. */
export class PostgresClaims implements ClaimStore {
	private readonly database: Database;

	constructor(database: Database) {
		this.database = database;
	}

	change(changes: readonly KeyedChange[], now: number): Promise<Claim[]> {
		return this.database.transaction(async (db) => {
			const rows = await lock(
				db,
				changes.map(({ key }) => key),
				now,
			);
			const decided = changes.map(({ key, ...change }) => {
				const row = rows.get(key) ?? null;
				const next = decideClaim(row, change, now);
				const claim = toClaim(key, next, { asker: change.holder, now });
				return { key, next, claim, isChanged: next !== row };
			});
			await write(
				db,
				decided.filter(({ isChanged }) => isChanged),
			);
			await remove(
				db,
				decided.filter(({ next }) => next === null).map(({ key }) => key),
			);
			return decided.map(({ claim }) => claim);
		});
	}

	async get(key: string, now: number): Promise<Claim | null> {
		const rows = await this.database.rows(`SELECT * FROM ${CLAIMS} WHERE key = $1`, [key]);
		const row = rows[0] as ClaimRow | undefined;
		return row ? toClaim(key, row, { asker: null, now }) : null;
	}

	async list({ state, name, before, limit }: ClaimPage, now: number) {
		const rows = await this.database.rows(
			`SELECT * FROM ${CLAIMS}
			WHERE ($1::bigint IS NULL OR id < $1) AND ($2::text IS NULL OR name = $2)
				AND ${isInState(state, now)}
			ORDER BY id DESC LIMIT $3`,
			[before, name, limit],
		);
		return (rows as ListedClaimRow[]).map((row) => listed(row, now));
	}

	async remove(key: string): Promise<void> {
		await this.database.rows(`DELETE FROM ${CLAIMS} WHERE key = $1`, [key]);
	}
}

/**
 * Holds all keys until the transaction ends, so that what is decided from them is what holds. A key
 * that nobody knows gets a row to be held, too. In one statement and by the alphabet, since two
 * requests that lock the same keys in different orders would wait for each other.
 *
 * @returns the rows of the keys that are not free
 */
async function lock(db: Db, keys: readonly string[], now: number): Promise<Map<string, ClaimRow>> {
	await db.rows(
		// A conflict locks the row that is there, even if nothing of it is to be changed.
		`INSERT INTO ${CLAIMS} (key, state, updated_at)
		SELECT key, 'free', $2 FROM unnest($1::text[]) AS asked (key) ORDER BY key
		ON CONFLICT (key) DO UPDATE SET state = EXCLUDED.state WHERE false`,
		[keys, now],
	);
	const rows = await db.rows(`SELECT * FROM ${CLAIMS} WHERE key = ANY($1) AND state <> 'free'`, [
		keys,
	]);
	return new Map((rows as ListedClaimRow[]).map((row) => [row.key, row]));
}

async function write(
	db: Db,
	decided: ReadonlyArray<{ key: string; next: ClaimRow | null }>,
): Promise<void> {
	const rows = decided.flatMap(({ key, next }) => (next === null ? [] : { key, ...next }));
	if (rows.length === 0) return;
	const column = (name: keyof (typeof rows)[number]) => rows.map((row) => row[name]);
	await db.rows(
		`UPDATE ${CLAIMS} AS c SET state = n.state, holder = n.holder, name = n.name,
			answer = n.answer, reason = n.reason, lease_until = n.lease_until, updated_at = n.updated_at
		FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
			$7::bigint[], $8::bigint[])
			AS n (key, state, holder, name, answer, reason, lease_until, updated_at)
		WHERE c.key = n.key`,
		[
			column('key'),
			column('state'),
			column('holder'),
			column('name'),
			column('answer'),
			column('reason'),
			column('lease_until'),
			column('updated_at'),
		],
	);
}

async function remove(db: Db, keys: readonly string[]): Promise<void> {
	if (keys.length === 0) return;
	await db.rows(`DELETE FROM ${CLAIMS} WHERE key = ANY($1)`, [keys]);
}
