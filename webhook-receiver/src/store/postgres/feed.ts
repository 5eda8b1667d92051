import type pg from 'pg';
import type { StoreListener } from '../../pull/consumer-store.ts';
import type { Db } from '../engine.ts';
import { endOf, readAfter } from '../log.ts';
import { toEvent } from '../rows.ts';
import type { EventRow } from '../rows.ts';
import { rowsOf } from './connect.ts';
import type { Database } from './connect.ts';
import { pass } from '../news.ts';
import { noticesForAll } from '../notices-for-all.ts';
import { CHANNEL, NEW_EVENTS } from './notify.ts';

/** How many events to read at once. */
const STEP = 500;
/**
 * Polls as well, in case a notification gets lost; this also shows that the connection is alive.
 */
const POLL_MS = 1_000;
/** How soon to reconnect: first and longest delay. */
const RECONNECT_MS = { first: 50, most: 5_000 };

/** A connection on which PostgreSQL tells what is committed. */
interface Listening extends Db {
	/** Why it ended; null while it is open. */
	broken: Error | null;
	end(): void;
}

/**
 * Follows the log for one receiver on its own connection: reads each new event once, however many
 * pulls the receiver holds. The same connection brings other receivers' notifications.
 */
export class Feed {
	private readonly database: Database;
	private readonly onError: (error: Error) => void;
	private position = 0;
	private listener: StoreListener | null = null;
	private listening: Listening | null = null;
	private following: Promise<void> | null = null;
	private isStopped = false;
	private lookAtOnce = false;
	/** Ends the current sleep, if any. */
	private wake: () => void = () => undefined;

	/** Listens when it resolves: a receiver that took requests before would miss what they commit. */
	static async open(database: Database, onError: (error: Error) => void): Promise<Feed> {
		const feed = new Feed(database, onError);
		feed.listening = await feed.connect(async (db) => {
			feed.position = await endOf(db);
		});
		return feed;
	}

	private constructor(database: Database, onError: (error: Error) => void) {
		this.database = database;
		this.onError = onError;
	}

	listen(listener: StoreListener): void {
		this.listener = listener;
		this.following ??= this.follow();
	}

	/** Something was committed here: faster than waiting for the notification. */
	look(): void {
		this.lookAtOnce = true;
		this.wake();
	}

	async stop(): Promise<void> {
		this.isStopped = true;
		this.wake();
		await this.following;
		this.listening?.end();
	}

	private async follow(): Promise<void> {
		let pause = RECONNECT_MS.first;
		while (!this.isStopped) {
			try {
				this.listening ??= await this.connect((db) => this.tellAll(db));
				pause = RECONNECT_MS.first;
				await this.read(this.listening);
			} catch (error) {
				this.listening?.end();
				this.listening = null;
				this.onError(innermost(error));
				this.lookAtOnce = false;
				await this.sleep(pause);
				pause = Math.min(2 * pause, RECONNECT_MS.most);
			}
		}
	}

	/** @param catchUp on what was committed before it listened */
	private async connect(catchUp: (db: Db) => Promise<void>): Promise<Listening> {
		const client = await this.database.connect();
		const listening: Listening = {
			broken: null,
			rows: (text, values) => rowsOf(client, text, values),
			end: () => end(client),
		};
		const onBroken = (error: Error) => {
			listening.broken = error;
			this.look();
		};
		client.on('error', onBroken);
		client.on('end', () => onBroken(new Error('The connection was closed.')));
		client.on('notification', ({ payload }) => this.onNotice(payload ?? ''));
		try {
			await listening.rows(`LISTEN ${CHANNEL}`);
			await catchUp(listening);
			return listening;
		} catch (error) {
			listening.end();
			throw error;
		}
	}

	/** Until the connection breaks or `stop` is called. */
	private async read(listening: Listening): Promise<void> {
		while (!this.isStopped && listening.broken === null) {
			this.lookAtOnce = false;
			if (!(await this.step(listening))) await this.sleep(POLL_MS);
		}
		if (listening.broken !== null && !this.isStopped) throw listening.broken;
	}

	/** Returns whether there may be more. */
	private async step(db: Db): Promise<boolean> {
		const rows = (await readAfter(db, this.position, null, STEP)) as EventRow[];
		this.position = rows.at(-1)?.sequence ?? this.position;
		if (rows.length > 0) this.listener?.onEvents(rows.map(toEvent));
		return rows.length === STEP;
	}

	private onNotice(payload: string): void {
		if (payload === NEW_EVENTS) this.look();
		else if (this.listener !== null) pass(payload, this.listener);
	}

	/** In place of the notifications that were missed while disconnected. */
	private async tellAll(db: Db): Promise<void> {
		const notices = await noticesForAll(db);
		for (const notice of ['waits', 'polls', ...notices]) this.onNotice(notice);
	}

	private sleep(milliseconds: number): Promise<void> {
		if (this.lookAtOnce || this.isStopped) return Promise.resolve();
		return new Promise((resolve) => {
			const timer = setTimeout(resolve, milliseconds);
			this.wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});
	}
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
