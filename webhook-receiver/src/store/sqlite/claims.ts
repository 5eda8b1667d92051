import type { DatabaseSync } from 'node:sqlite';
import type { Claim, KeyedChange } from '../../claim/claim-contract.ts';
import type { ClaimPage, ClaimStore } from '../../claim/claim-store.ts';
import { decideClaim, toClaim } from '../../claim/decide-claim.ts';
import type { ClaimRow } from '../../claim/decide-claim.ts';
import { isInState, listed } from '../claim-rows.ts';
import type { ListedClaimRow } from '../claim-rows.ts';
import type { Writer } from './writer.ts';

/** The claims of the embedded store: one writer, so whoever comes first wins. */
export class SqliteClaims implements ClaimStore {
	private readonly database: DatabaseSync;
	private readonly writer: Writer;
	private readonly sql: ReturnType<typeof prepare>;

	constructor(database: DatabaseSync, writer: Writer) {
		this.database = database;
		this.writer = writer;
		this.sql = prepare(database);
	}

	change(changes: readonly KeyedChange[], now: number): Promise<Claim[]> {
		return this.writer.write(() => changes.map((change) => this.changeOne(change, now)));
	}

	async get(key: string, now: number): Promise<Claim | null> {
		const row = this.row(key);
		return row && toClaim(key, row, { asker: null, now });
	}

	async list({ state, name, before, limit }: ClaimPage, now: number) {
		const named = name === null ? '' : 'AND name = :name';
		const rows = this.database
			.prepare(
				`SELECT * FROM key_claims WHERE id < :before AND ${isInState(state, now)} ${named}
				ORDER BY id DESC LIMIT :limit`,
			)
			.all({ before: before ?? Number.MAX_SAFE_INTEGER, limit, ...(name !== null && { name }) });
		return (rows as unknown as ListedClaimRow[]).map((row) => listed(row, now));
	}

	async remove(key: string): Promise<void> {
		await this.writer.write(() => this.sql.remove.run(key));
	}

	private changeOne({ key, ...change }: KeyedChange, now: number): Claim {
		const row = this.row(key);
		const next = decideClaim(row, change, now);
		if (next === null) this.sql.remove.run(key);
		else if (next !== row) this.sql.put.run({ ...next, key });
		return toClaim(key, next, { asker: change.holder, now });
	}

	private row(key: string): ClaimRow | null {
		return (this.sql.claim.get(key) as unknown as ClaimRow | undefined) ?? null;
	}
}

function prepare(database: DatabaseSync) {
	const sql = (text: string) => database.prepare(text);
	return {
		claim: sql(`
			SELECT state, holder, name, answer, reason, lease_until, updated_at FROM key_claims WHERE key = ?
		`),
		put: sql(`
			INSERT INTO key_claims (key, state, holder, name, answer, reason, lease_until, updated_at)
			VALUES (:key, :state, :holder, :name, :answer, :reason, :lease_until, :updated_at)
			ON CONFLICT (key) DO UPDATE SET state = :state, holder = :holder, name = :name,
				answer = :answer, reason = :reason, lease_until = :lease_until, updated_at = :updated_at
		`),
		remove: sql('DELETE FROM key_claims WHERE key = ?'),
	};
}
