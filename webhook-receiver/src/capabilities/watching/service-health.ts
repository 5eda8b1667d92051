import type { Engine, Transaction } from '../../sql/engine.ts';
import { CLOCK_MARGIN_MS } from '../../time/set-back.ts';
import { LONGEST_PAUSE_MS } from './health.ts';

/** Whether the service answers as it should. */
export interface Pause {
	/** No poll before this time. */
	until: number;
	problem: string | null;
	/** Since when there has been a problem, of any kind. */
	problemAt: number | null;
	/** When it last answered as it should, to within {@link NOTED_EVERY_MS}; null for never. */
	answeredAt: number | null;
}

/** How often it is noted that the service answers. */
export const NOTED_EVERY_MS = 60_000;

/** One row. */
export const HEALTH_TABLE = `
	CREATE TABLE watch_health (
		paused_until bigint NOT NULL, problem text, problem_at bigint, answered_at bigint
	);
	INSERT INTO watch_health VALUES (0, NULL, NULL, NULL);
`;

interface HealthRow {
	paused_until: number;
	problem: string | null;
	problem_at: number | null;
	answered_at: number | null;
}

/** On record, for a person who asks any receiver, and mends it there. */
export function serviceHealthIn(
	database: Engine,
	alsoTry: (tx: Transaction, now: number) => Promise<void>,
) {
	return {
		async read(now: number): Promise<Pause> {
			const [row] = (await database.rows('SELECT * FROM watch_health')) as [HealthRow];
			// One that lasts longer than the longest was begun before the clock was set back.
			const isOver = row.paused_until > now + LONGEST_PAUSE_MS + CLOCK_MARGIN_MS;
			const until = isOver ? 0 : row.paused_until;
			return {
				until,
				problem: row.problem,
				problemAt: row.problem_at,
				answeredAt: row.answered_at,
			};
		},

		/** Nobody polls before `until`. */
		pause: ({ until, problem, now }: { until: number; problem: string; now: number }) =>
			database.transaction(async (tx) => {
				await tx.rows(
					`UPDATE watch_health SET paused_until = $1, problem = $2,
						problem_at = least(coalesce(problem_at, $3), $3)`,
					[until, problem, now],
				);
			}),

		/** The service answers as it should, so any problem is over. */
		answered: (now: number) =>
			database.transaction(async (tx) => {
				await tx.rows(
					'UPDATE watch_health SET paused_until = 0, problem = NULL, problem_at = NULL, answered_at = $1',
					[now],
				);
			}),

		/** Lets the next poll be made at once where a problem pauses polling. */
		tryAtOnce: (now: number) =>
			database.transaction(async (tx) => {
				await tx.rows('UPDATE watch_health SET paused_until = 0 WHERE problem IS NOT NULL');
				await alsoTry(tx, now);
				tx.notices.add('due');
			}),
	};
}

export type ServiceHealth = ReturnType<typeof serviceHealthIn>;
