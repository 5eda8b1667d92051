import { toEvent } from '../rows.ts';
import type { EventRow } from '../rows.ts';
import type { ClaimedDelivery } from '../store.ts';
import type { Database } from './connect.ts';
import { SCHEMA } from './migrations.ts';
import { goOn } from './settle.ts';
import type { Turn, Turns } from './turns.ts';

interface PendingRow extends EventRow {
	id: number;
	attempts: number;
	chain: string;
	next_attempt_at: number;
}

export interface Claimed {
	delivery: ClaimedDelivery;
	turn: Turn;
}

/** The database's clock says when a turn is due, ours when a delivery is: they may differ by this. */
const CLOCKS_DIFFER_MS = 1_000;

/**
 * The deliveries of the turns taken: the first of each chain, then as many more of each as there is
 * room. A turn with nothing to deliver is given back.
 */
export async function claimTurns(
	database: Database,
	turns: Turns,
	taken: readonly Turn[],
	{ now, most }: { now: number; most: number },
): Promise<Claimed[]> {
	if (taken.length === 0) return [];
	const rows = await database.query(
		`SELECT d.id, d.attempts, d.chain, d.next_attempt_at, e.sequence, e.event
		FROM ${SCHEMA}.deliveries d JOIN ${SCHEMA}.events e ON e.sequence = d.event_sequence
		WHERE d.state = 'pending' AND d.subscription = $1 AND d.chain = ANY($2)
		ORDER BY d.event_sequence, d.id`,
		[taken[0]?.subscription, taken.map(({ chain }) => chain)],
	);
	const byChain = Map.groupBy(rows as PendingRow[], ({ chain }) => chain);
	const ready = taken.map((turn) => ({
		turn,
		due: firstDue(byChain.get(turn.chain) ?? [], now + CLOCKS_DIFFER_MS),
	}));
	const idle = ready.filter(({ due }) => due.length === 0).map(({ turn }) => turn);
	if (idle.length > 0) {
		await database.transaction(async (db) => {
			await turns.lock(db, idle);
			await goOn(db, turns, await turns.end(db, idle), now);
		});
	}
	return pick(ready, most);
}

/** As many from the front as are due: what comes after one that is not has to wait for it. */
function firstDue(chain: readonly PendingRow[], now: number): PendingRow[] {
	const wait = chain.findIndex((row) => row.next_attempt_at > now);
	return wait === -1 ? [...chain] : chain.slice(0, wait);
}

function pick(ready: ReadonlyArray<{ turn: Turn; due: PendingRow[] }>, most: number): Claimed[] {
	let room = most - ready.filter(({ due }) => due.length > 0).length;
	return ready.flatMap(({ turn, due }) => {
		const more = Math.min(Math.max(due.length - 1, 0), room);
		room -= more;
		return due.slice(0, 1 + more).map((row) => ({
			turn,
			delivery: { id: row.id, attempts: row.attempts, event: toEvent(row) },
		}));
	});
}
