import type { Claim } from '../claim/claim-contract.ts';
import type { ClaimPage } from '../claim/claim-store.ts';
import { toClaim } from '../claim/decide-claim.ts';
import type { ClaimRow } from '../claim/decide-claim.ts';

// How both stores list claims.

export interface ListedClaimRow extends ClaimRow {
	/** Rises with each key, for paging. */
	id: number;
	key: string;
}

/** Begins as the index of what is not sent does, of which there is little among what was. */
export function isInState(state: ClaimPage['state'], now: number): string {
	if (state === null) return 'true';
	if (state === 'sent') return `state = 'sent'`;
	const isLeased = `(lease_until IS NOT NULL AND lease_until > ${now})`;
	return `state <> 'sent' AND ${state === 'leaving' ? isLeased : `NOT ${isLeased}`}`;
}

export function listed(row: ListedClaimRow, now: number): { id: number; claim: Claim } {
	return { id: row.id, claim: toClaim(row.key, row, { asker: null, now }) };
}
