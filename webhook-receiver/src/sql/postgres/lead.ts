import { backOff } from '../../time/back-off.ts';
import { systemClock } from '../../time/clock.ts';
import { DueLoop } from '../../time/due-loop.ts';
import type { Leader } from '../notices.ts';
import type { Database } from './connect.ts';

/** Arbitrary, and the same for all receivers. */
const LEAD_LOCK = 7_306_253;

/**
 * How long one question for the lock waits. PostgreSQL does not see that a receiver is gone while it waits
 * for a lock, so each question ends, and what nobody hears the answer of with it.
 */
const ASK_MS = 30_000;

/** SQLSTATE of a lock that was not to be had in time. */
const NOT_IN_TIME = '55P03';

/** How soon to reconnect: first and longest delay. */
const RECONNECT_MS = { first: 50, longest: 5_000 };

/**
 * Takes the lead once no other receiver has it: a lock of a connection of its own, which PostgreSQL frees when
 * that ends, however it ends. So the next one leads at once after a stop or a crash, and half a minute after a
 * machine went silent.
 */
export function leadOn(database: Database, leader: Leader, onError: (error: Error) => void) {
	type Client = Awaited<ReturnType<Database['connect']>>;
	let client: Client | null = null;
	let isLeading = false;
	let failures = 0;
	let stopped = false;

	const loop = new DueLoop({
		clock: systemClock,
		async work() {
			if (isLeading) return null;
			try {
				client ??= await connect();
				await client.query(`SELECT pg_advisory_lock(${LEAD_LOCK})`);
				failures = 0;
				isLeading = true;
				leader.begin();
				return null;
			} catch (error) {
				if (stopped) return null;
				if ((error as { code?: string }).code === NOT_IN_TIME) return 0;
				lose();
				onError(error as Error);
				return backOff(++failures, RECONNECT_MS);
			}
		},
		onError: (error) => onError(error as Error),
	});

	async function connect(): Promise<Client> {
		const connected = await database.connect();
		const onBroken = () => {
			if (client !== connected) return;
			lose();
			loop.wake();
		};
		connected.on('error', onBroken);
		connected.on('end', onBroken);
		await connected.query(`SET statement_timeout = 0; SET lock_timeout = ${ASK_MS}`);
		return connected;
	}

	function lose(): void {
		const lost = client;
		client = null;
		// Does not wait for a reply: a dead connection never sends one.
		lost?.end().catch(() => undefined);
		if (!isLeading) return;
		isLeading = false;
		leader.end();
	}

	loop.wake();
	return {
		async stop(): Promise<void> {
			stopped = true;
			// Ends the question that the loop may be waiting for.
			lose();
			await loop.stop();
		},
	};
}
