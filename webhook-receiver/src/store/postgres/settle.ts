import type { Settlement } from '../store.ts';
import type { Db } from './connect.ts';
import { distinct } from './intake.ts';
import { SCHEMA } from './migrations.ts';
import type { Chain, Turn, Turns } from './turns.ts';

/** Settlements with the turns they end, several requests' together. */
export interface Outcome {
	settlements: readonly Settlement[];
	turns: readonly Turn[];
	now: number;
}

/** Writes outcomes, ends their turns, and gives the chains that go on their next one. */
export async function settleAll(db: Db, turns: Turns, outcomes: Outcome[]): Promise<void> {
	const held = outcomes.flatMap((outcome) => outcome.turns);
	const now = Math.max(...outcomes.map((outcome) => outcome.now));
	await turns.lock(db, distinct(held));
	const failed = await write(db, outcomes);
	await postponeFollowers(db, failed);
	const ours = await turns.end(db, held);
	await goOn(db, turns, ours, now);
}

/** Gives each of the chains a turn when its first pending delivery is due, if it has any. */
export async function goOn(
	db: Db,
	turns: Turns,
	chains: readonly Chain[],
	now: number,
): Promise<void> {
	if (chains.length === 0) return;
	const { rows } = await db.executeSql(
		`SELECT subscription, chain, min(next_attempt_at) AS at FROM ${SCHEMA}.deliveries
		WHERE state = 'pending'
			AND (subscription, chain) IN (SELECT * FROM unnest($1::text[], $2::text[]))
		GROUP BY subscription, chain`,
		[chains.map(({ subscription }) => subscription), chains.map(({ chain }) => chain)],
	);
	const next = rows as Array<Chain & { at: number }>;
	await turns.give(
		db,
		next.map(({ at, ...chain }) => ({ ...chain, delayMs: Math.max(at - now, 0) })),
	);
}

/** Answers the ids of those that are to be tried again. */
async function write(db: Db, outcomes: readonly Outcome[]): Promise<number[]> {
	const all = outcomes.flatMap(({ settlements, now }) =>
		settlements.map(({ id, next, result }) => ({
			...{ id, result, now },
			state: next === null ? 'delivered' : next === 'dead' ? 'dead' : 'pending',
			at: typeof next === 'number' ? next : null,
		})),
	);
	// What was buried meanwhile stays dead, unless it arrived after all.
	await db.executeSql(
		`UPDATE ${SCHEMA}.deliveries AS d SET state = outcome.state, attempts = d.attempts + 1,
			last_result = outcome.result, updated_at = outcome.now,
			next_attempt_at = coalesce(outcome.at, d.next_attempt_at)
		FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
			AS outcome (id, state, result, at, now)
		WHERE d.id = outcome.id AND (d.state = 'pending' OR outcome.state = 'delivered')`,
		[
			all.map(({ id }) => id),
			all.map(({ state }) => state),
			all.map(({ result }) => result),
			all.map(({ at }) => at),
			all.map(({ now }) => now),
		],
	);
	return all.filter(({ at }) => at !== null).map(({ id }) => id);
}

/** Followers of the same message wait at least as long, which keeps them in order. */
async function postponeFollowers(db: Db, failed: readonly number[]): Promise<void> {
	if (failed.length === 0) return;
	await db.executeSql(
		`UPDATE ${SCHEMA}.deliveries AS later
		SET next_attempt_at = greatest(later.next_attempt_at, failed.at)
		FROM (
			SELECT subscription, chain, min(event_sequence) AS first, max(next_attempt_at) AS at
			FROM ${SCHEMA}.deliveries WHERE id = ANY($1) AND state = 'pending'
			GROUP BY subscription, chain
		) AS failed
		WHERE later.state = 'pending' AND later.subscription = failed.subscription
			AND later.chain = failed.chain AND later.event_sequence > failed.first`,
		[failed],
	);
}
