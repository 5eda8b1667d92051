import type { Capability, Kernel } from '../../capability.ts';
import type { DueWork } from '../../time/due-loop.ts';
import { jumpsOf } from '../../time/jumps.ts';
import { keysOf } from './key.ts';
import { waitRoutes } from './route.ts';
import { Seals } from './seals.ts';
import { WAITS_TABLES } from './wait-rows.ts';
import { awaitsConsents, cleanWaits, waitsIn } from './wait-store.ts';
import type { Waits } from './wait-store.ts';
import { anyQueued, countDead, findLate, giveUp, wakeUpsIn } from './wake-ups.ts';

/** How often to look for what to give up. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Once the clock was set forward, the service is asked first what came of the letters in between: an outcome
 * from before a deadline counts, though that has passed by now.
 */
const OUTCOMES_FIRST_MS = 3_000;

/** And n8n has that long to fetch a wake-up that looks as if nobody had for days. */
const FETCH_FIRST_MS = 10 * 60_000;

/** A wake-up that has been due for longer than this, and that nothing fetches, is reported. */
const LATE_MS = 3_600_000;

/** Wakes the executions that sleep until their letters or consents have an outcome. */
export const waits: Capability = {
	name: 'waits',
	steps: [WAITS_TABLES],
	async start(kernel) {
		const { database, config } = kernel;
		const seals = new Seals(keysOf(config));
		const store = waitsIn(kernel, seals);
		const unreadable = await store.reseal();
		if (unreadable > 0) {
			kernel.logger.error(
				{ executions: unreadable },
				'executions sleep whose wake-ups are encrypted with a key that is not here: add it to ENCRYPTION_KEY, or put the key file back beside DATABASE_FILE, and restart',
			);
		}
		return {
			routes: waitRoutes(kernel, store),
			roles: [
				['n8n', 'put', '/waits/:id'],
				['n8n', 'delete', '/waits/:id'],
			],
			wakeUps: wakeUpsIn(database, seals),
			changed: store.changed,
			lead: () => waker(store, kernel),
			listsWanted: async (db) => ((await awaitsConsents(db)) ? ['consents'] : []),
			clean: cleanWaits,
			async figures(now) {
				const [late, dead] = await Promise.all([
					findLate(database, now - LATE_MS),
					countDead(database),
				]);
				return {
					alerts: [
						...(late.since === null
							? []
							: [{ kind: 'wake-ups-late', count: late.count, since: late.since }]),
						...(dead === 0 ? [] : [{ kind: 'wake-ups-dead', count: dead, since: now }]),
					],
					gauges: [['wake_ups_dead', 'Wake-ups that were given up', dead]],
				};
			},
		};
	},
};

/**
 * Finds waits that are over because of news or their deadline. A pull of their n8n then delivers the outcome.
 * What nobody woke long after its deadline is given up.
 */
function waker(store: Waits, { database, clock, logger, counts }: Kernel): DueWork {
	const jumpedAt = jumpsOf(clock);
	/** Deadlines from before this count: after a jump it stays behind until the outcomes are known. */
	let over = clock.now();

	async function giveUpHopeless(): Promise<void> {
		for (;;) {
			const givenUp = await giveUp(database, clock.now());
			for (const { id, wait, reason } of givenUp) {
				logger.warn({ batch: id, wait, reason }, 'an execution was not woken, and was given up');
			}
			counts.wakeUps('term', givenUp.length);
			if (givenUp.length === 0) return;
		}
	}

	return async () => {
		const steadyMs = clock.elapsed() - jumpedAt();
		const restMs = OUTCOMES_FIRST_MS - steadyMs;
		if (restMs <= 0) over = clock.now();
		while (await store.gather(clock.now(), over));
		if (steadyMs >= FETCH_FIRST_MS) await giveUpHopeless();
		if (restMs > 0) return restMs;
		const next = await store.nextGather();
		// A new wait wakes it, at whichever receiver it was registered.
		if (next === null && !(await anyQueued(database))) return null;
		return Math.min((next ?? Infinity) - clock.now(), LOOK_AGAIN_MS);
	};
}
