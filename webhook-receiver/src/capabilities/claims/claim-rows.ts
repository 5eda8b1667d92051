import type { Texts } from '../../sql/log.ts';
import { createTable, numbered, updateOf } from '../../sql/statements.ts';
import type { RowOf } from '../../sql/statements.ts';

const KEY = { key: 'text' } as const;

/** What is kept about a key. A key without a row is free. Times are milliseconds. */
const COLUMNS = {
	/** `leaving`, `sent` or `unknown`. */
	state: 'text',
	/** Null when nobody holds it: a takeover was released, so the result is unknown again. */
	holder: 'text?',
	name: 'text?',
	/** `UsedFor` as JSON; null where the claimant did not say. */
	used_for: 'text?',
	/** Only once sent, as JSON. */
	answer: 'text?',
	/** Why it is unknown; while leaving, why it was unknown before the takeover. */
	reason: 'text?',
	/** Only while leaving. */
	lease_until: 'bigint?',
	/** Only retries ask for it. */
	is_own: 'boolean',
	updated_at: 'bigint',
} as const;

/** Users' keys are kept for good: what was sent must not be sent again next year. */
export const CLAIMS_TABLE = `
	${createTable('key_claims', numbered('id'), { ...KEY, ...COLUMNS }, 'UNIQUE (key)')}
	CREATE INDEX key_claims_by_name ON key_claims (name) WHERE name IS NOT NULL;
	CREATE INDEX key_claims_named ON key_claims (updated_at) WHERE name IS NOT NULL;
	CREATE INDEX key_claims_own ON key_claims (updated_at) WHERE is_own;
	CREATE INDEX key_claims_not_sent ON key_claims (id) WHERE state <> 'sent';
`;

export interface ClaimRow extends RowOf<typeof COLUMNS> {
	state: 'leaving' | 'sent' | 'unknown';
}

export interface KeyedRow extends ClaimRow {
	/** Increases with each key, for paging. */
	id: number;
	key: string;
}

export const updateClaims = updateOf('key_claims', KEY, COLUMNS);

/** What is kept under keys, which may be large. */
export const ANSWERS: Texts = { table: 'key_claims', key: 'id', text: 'answer' };
