import { SILENT } from '../../core/claim-contract.ts';
import type { Claim, ClaimChange } from '../../core/claim-contract.ts';
import { isRecord } from '../../core/is-record.ts';
import type { LetterRecord } from '../../core/records.ts';
import { differences, type UsedFor } from '../../core/used-for.ts';
import { futureFrom } from '../../time/set-back.ts';
import { iso } from '../../time/iso.ts';
import type { ClaimRow } from './claim-rows.ts';

/**
 * The row after a change: the same object if nothing changes, null if the key is free. A lapsed
 * lease never frees a key, it only allows a deliberate takeover, so differing clocks alone can't
 * cause anything to be sent twice.
 */
export function decideClaim(
	row: ClaimRow | null,
	change: ClaimChange,
	now: number,
): ClaimRow | null {
	switch (change.state) {
		case 'leaving':
			return claimed(row, change, now);
		case 'sent':
		case 'unknown':
			return reported(row, change, now);
		case 'free':
			return released(row, change, now);
	}
}

/**
 * The row once a person has said that its letters were sent; null unless nobody knows: what is free or under
 * way meanwhile is not for a person to decide. Later claimants get the answer that Send Letter itself gives.
 *
 * @param letter null if it is in no book
 */
export function settledAsSent(
	row: ClaimRow,
	messageIds: readonly string[],
	letter: Pick<LetterRecord, 'fileReference' | 'customerReference'> | null,
	now: number,
): ClaimRow | null {
	if (seenBy(null, row, now).state !== 'unknown') return null;
	const answer = {
		...(messageIds.length === 1 && { messageId: messageIds[0] }),
		...(row.used_for !== null && { type: usedForIn(row)?.type }),
		...(letter && {
			fileReference: letter.fileReference,
			customerReference: letter.customerReference,
		}),
		messages: messageIds.map((id) => ({ id })),
	};
	return {
		...row,
		state: 'sent',
		holder: null,
		answer: JSON.stringify(answer),
		reason: null,
		lease_until: null,
		updated_at: now,
	};
}

/** The claim as `asker` sees it; null is anonymous. */
export function toClaim(
	key: string,
	row: ClaimRow | null,
	{ asker, now }: { asker: string | null; now: number },
): Claim {
	if (row === null) {
		return {
			key,
			state: 'free',
			mine: false,
			name: null,
			usedFor: null,
			answer: null,
			reason: null,
			leaseUntil: null,
			updatedAt: null,
		};
	}
	const { state, reason, lease_until: until } = seenBy(asker, row, now);
	return {
		key,
		state,
		mine: isHeldBy(asker, row),
		name: row.name,
		usedFor: usedForIn(row),
		answer: row.answer === null ? null : (JSON.parse(row.answer) as Record<string, unknown>),
		reason: state === 'unknown' ? reason : null,
		leaseUntil: iso(until),
		updatedAt: iso(row.updated_at),
	};
}

/**
 * The row without these letters. Nothing of the answer stays if it was about no others. The user's
 * name for the key and the addresses are always removed, since they name people.
 */
export function withoutLetters<Row extends ClaimRow>(row: Row, messageIds: readonly string[]): Row {
	const { answer } = row;
	if (answer === null || !messageIds.some((id) => answer.includes(id))) return row;
	const isOne = (value: unknown) => messageIds.some((id) => id === value);
	const isOf = (value: unknown) =>
		isOne(value) || (isRecord(value) && Object.values(value).some(isOne));
	let isWhole = false;
	const pruned = JSON.parse(answer, (_, value: unknown) => {
		if (!Array.isArray(value) || !value.some(isOf)) return value;
		isWhole ||= value.every(isOf);
		return value.filter((one) => !isOf(one)) as unknown[];
	}) as unknown;
	const rest = JSON.stringify(pruned);
	isWhole ||= messageIds.some((id) => rest.includes(id));
	return { ...withoutNames(row), reason: row.reason, answer: isWhole ? ERASED_ANSWER : rest };
}

/** The row without anything that names a person; the key stays as it is. */
export function withoutNames<Row extends ClaimRow>(row: Row): Row {
	return {
		...unnamed(row, 'somebody whose letter was erased'),
		answer: row.answer && ERASED_ANSWER,
		reason: row.reason && ERASED_REASON,
	};
}

/** Sent long ago: what it was used for stays as digests, so that nothing else is sent under its key. */
export function aged<Row extends ClaimRow>(row: Row): Row {
	return unnamed(row, 'somebody, long ago');
}

function unnamed<Row extends ClaimRow>(row: Row, to: string): Row {
	const known = usedForIn(row);
	return { ...row, name: null, used_for: known && JSON.stringify({ ...known, to }) };
}

const ERASED_ANSWER = JSON.stringify({ erased: true });
const ERASED_REASON = 'What named a person was erased.';

type Claiming = Extract<ClaimChange, { state: 'leaving' }>;
type Reporting = Extract<ClaimChange, { state: 'sent' | 'unknown' }>;
type Releasing = Extract<ClaimChange, { state: 'free' }>;

function claimed(row: ClaimRow | null, change: Claiming, now: number): ClaimRow {
	const isMine = row !== null && isHeldBy(change.holder, row);
	const seen = row && seenBy(change.holder, row, now);
	const mayTake = isMine
		? row.state === 'leaving' // Again, since the first answer got lost.
		: seen === null || (seen.state === 'unknown' && change.takeUnknown && isSameUse(row, change));
	if (row !== null && !mayTake) return row;
	return {
		state: 'leaving',
		holder: change.holder,
		name: change.name ?? row?.name ?? null,
		used_for: row?.used_for ?? (change.usedFor ? JSON.stringify(change.usedFor) : null),
		answer: null,
		reason: seen?.reason ?? null,
		lease_until: now + change.leaseSeconds * 1000,
		is_own: row?.is_own ?? change.isOwn ?? false,
		updated_at: now,
	};
}

/** Accepts keys without a row too: the database may have been lost since the claim. */
function reported(row: ClaimRow | null, change: Reporting, now: number): ClaimRow {
	if (row !== null && (row.state === 'sent' || !isHeldBy(change.holder, row))) return row;
	return {
		state: change.state,
		holder: change.holder,
		name: row?.name ?? null,
		used_for: row?.used_for ?? null,
		answer: change.state === 'sent' ? JSON.stringify(change.answer) : null,
		reason: change.state === 'unknown' ? change.reason : null,
		lease_until: null,
		is_own: row?.is_own ?? false,
		updated_at: now,
	};
}

/** A key taken over as unknown is unknown again: the earlier attempt may have been sent. */
function released(row: ClaimRow | null, change: Releasing, now: number): ClaimRow | null {
	if (row === null || row.state !== 'leaving' || !isHeldBy(change.holder, row)) return row;
	if (row.reason === null) return null;
	return { ...row, state: 'unknown', holder: null, lease_until: null, updated_at: now };
}

/** Its holder sees a claim as leaving until it reports, others only within its lease. */
function seenBy(asker: string | null, row: ClaimRow, now: number): ClaimRow {
	const isLapsed =
		row.lease_until !== null && (row.lease_until <= now || row.updated_at > futureFrom(now));
	if (!isLapsed || isHeldBy(asker, row)) return row;
	return { ...row, state: 'unknown', reason: SILENT, lease_until: null };
}

/** What does not say what it is for can only be the same. */
function isSameUse(row: ClaimRow | null, { usedFor }: Claiming): boolean {
	const before = row && usedForIn(row);
	return !before || !usedFor || differences(before, usedFor).length === 0;
}

function usedForIn({ used_for }: ClaimRow): UsedFor | null {
	return used_for === null ? null : (JSON.parse(used_for) as UsedFor);
}

function isHeldBy(asker: string | null, { holder }: ClaimRow): boolean {
	return holder !== null && holder === asker;
}
