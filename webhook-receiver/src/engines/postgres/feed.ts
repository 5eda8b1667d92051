import type pg from 'pg';
import { backOff } from '../../time/back-off.ts';
import { systemClock } from '../../time/clock.ts';
import { DueLoop } from '../../time/due-loop.ts';
import { endOf, readAfter, toEvent } from '../../sql/log.ts';
import type { EventRow } from '../../sql/log.ts';
import { pass } from '../../sql/engine.ts';
import type { Db, Notices, StoreListener } from '../../sql/engine.ts';
import { rowsOf } from './connect.ts';
import type { Database } from './connect.ts';

/** Channel on which receivers tell each other what they have committed. */
export const CHANNEL = 'registered_delivery';

/** Beside {@link Notices}: there are new events. */
export const NEW_EVENTS = 'events';

/** How many events to read at once. */
const STEP = 500;
/**
 * Polls as well while somebody waits, in case a notification gets lost; this also shows that the
 * connection is alive. Else nothing is asked: a database without work may sleep.
 */
const POLL_MS = 1_000;
/** How soon to reconnect: first and longest delay. */
const RECONNECT_MS = { first: 50, longest: 5_000 };

/** A connection on which PostgreSQL tells what is committed. */
interface Listening extends Db {
	/** Why it ended; null while it is open. */
	broken: Error | null;
	end(): void;
}

/** Sent at commit. PostgreSQL serialises commits that notify, so use it only where it matters. */
export async function notify(db: Db, notices: Notices): Promise<void> {
	if (notices.size === 0) return;
	await db.rows(`SELECT pg_notify('${CHANNEL}', notice) FROM unnest($1::text[]) AS notice`, [
		[...notices],
	]);
}

export type Feed = Awaited<ReturnType<typeof openFeed>>;

/**
 * Follows the log for one receiver on its own connection: reads each new event once, however many
 * pulls the receiver holds. The same connection brings other receivers' notifications. Listens when it
 * resolves: a receiver that took requests before would miss what they commit.
 */
export async function openFeed(database: Database, onError: (error: Error) => void) {
	let position = 0;
	let listener: StoreListener | null = null;
	let listening: Listening | null = null;
	let failures = 0;
	let isPolling = false;

	const loop = new DueLoop({
		clock: systemClock,
		async work() {
			try {
				listening ??= await connect(async () => listener?.onMissed());
				if (listening.broken !== null) throw listening.broken;
				const isAll = await step(listening);
				failures = 0;
				if (!isAll) return 0;
				isPolling = listener?.isWaiting() ?? false;
				return isPolling ? POLL_MS : null;
			} catch (error) {
				listening?.end();
				listening = null;
				onError(innermost(error));
				return backOff(++failures, RECONNECT_MS);
			}
		},
		onError: (error) => onError(innermost(error)),
	});

	/** @param catchUp on what was committed before it listened, or missed while disconnected */
	async function connect(catchUp: (db: Db) => Promise<void>): Promise<Listening> {
		const client = await database.connect();
		const connected: Listening = {
			broken: null,
			rows: (text, values) => rowsOf(client, text, values),
			end: () => end(client),
		};
		const onBroken = (error: Error) => {
			connected.broken = error;
			// One that was given up already has its pause.
			if (connected === listening) loop.wake();
		};
		client.on('error', onBroken);
		client.on('end', () => onBroken(new Error('The connection was closed.')));
		client.on('notification', ({ payload }) => onNotice(payload ?? ''));
		try {
			await connected.rows(`LISTEN ${CHANNEL}`);
			await catchUp(connected);
			return connected;
		} catch (error) {
			connected.end();
			throw error;
		}
	}

	/** Returns whether that was all. */
	async function step(db: Db): Promise<boolean> {
		const { rows, isAll } = await readAfter(db, position, null, STEP);
		position = rows.at(-1)?.sequence ?? position;
		if (rows.length > 0) listener?.onEvents((rows as EventRow[]).map(toEvent));
		return isAll;
	}

	function onNotice(payload: string): void {
		if (payload === NEW_EVENTS) loop.wake();
		else if (listener !== null) pass(payload, listener);
	}

	listening = await connect(async (db) => {
		position = await endOf(db);
	});
	return {
		listen(to: StoreListener): void {
			listener = to;
			loop.wake();
		},
		isWaiting: () => listener?.isWaiting() ?? false,
		/** Somebody may wait from now on. */
		onUse(): void {
			if (!isPolling && listener?.isWaiting()) loop.wake();
		},
		async stop(): Promise<void> {
			await loop.stop();
			listening?.end();
		},
	};
}

/** Does not wait for a reply: a dead connection never sends one. */
function end(client: pg.Client): void {
	client.removeAllListeners('end');
	client.end().catch(() => undefined);
}

function innermost(error: unknown): Error {
	const { cause } = error as { cause?: unknown };
	return cause === undefined ? (error as Error) : innermost(cause);
}
