import type pg from 'pg';
import { systemClock } from '../../time/clock.ts';
import { DueLoop } from '../../time/due-loop.ts';
import type { Leader } from '../../sql/engine.ts';
import { rowsOf } from './connect.ts';
import type { Database } from './connect.ts';

/** Arbitrary, and the same for all receivers. */
const LEAD_LOCK = 7_306_253;

/**
 * How often a receiver that has not the lead asks for it while somebody waits for it; else nothing is asked, so
 * that a database without work may sleep.
 */
const ASK_EVERY_MS = 3_000;

/** A receiver that has lost the lead keeps asking this long: the server may not have freed the lock yet. */
const LOST_MS = 2 * 60_000;

/**
 * Takes the lead once no other receiver has it: a lock of a connection of its own, which PostgreSQL frees when
 * that ends, however it ends. So another one leads within seconds after a stop or a crash, and within half a
 * minute after a machine went silent.
 */
export function leadOn(
	database: Database,
	leader: Leader,
	{ isWaiting, onError }: { isWaiting: () => boolean; onError: (error: Error) => void },
) {
	let client: pg.Client | null = null;
	let isLeading = false;
	let isAsking = true;
	let lostAt = -Infinity;

	const loop = new DueLoop({
		clock: systemClock,
		async work() {
			if (isLeading) return null;
			client ??= await connect();
			const ask = `SELECT pg_try_advisory_lock(${LEAD_LOCK}) AS "isOurs"`;
			const [{ isOurs }] = (await rowsOf(client, ask)) as [{ isOurs: boolean }];
			const isLost = performance.now() - lostAt < LOST_MS;
			isAsking = !isOurs && (isLost || isWaiting());
			if (!isOurs) return isAsking ? ASK_EVERY_MS : null;
			isLeading = true;
			leader.begin();
			return null;
		},
		onError(error) {
			lose();
			onError(error as Error);
		},
	});

	async function connect(): Promise<pg.Client> {
		const connected = await database.connect();
		const onBroken = () => {
			if (client !== connected) return;
			lose();
			loop.wake();
		};
		connected.on('error', onBroken);
		connected.on('end', onBroken);
		return connected;
	}

	function lose(): void {
		const lost = client;
		client = null;
		// Does not wait for a reply: a dead connection never sends one.
		lost?.end().catch(() => undefined);
		if (!isLeading) return;
		isLeading = false;
		lostAt = performance.now();
		leader.end();
	}

	loop.wake();
	return {
		/** Somebody may wait from now on. */
		onUse(): void {
			if (!isLeading && !isAsking && isWaiting()) loop.wake();
		},
		async stop(): Promise<void> {
			await loop.stop();
			lose();
		},
	};
}
