import type pg from 'pg';
import type { StoreListener } from '../../pull/consumer-store.ts';
import type { Db } from '../engine.ts';
import { readAfter } from '../log.ts';
import { toEvent } from '../rows.ts';
import type { EventRow } from '../rows.ts';
import { rowsOf } from './connect.ts';
import type { Database } from './connect.ts';
import { CHANNEL, readNotice } from './notify.ts';

/** How many events to read at once. */
const STEP = 500;
/**
 * Polls as well, in case a notification gets lost; this also shows that the connection is alive.
 */
const POLL_MS = 1_000;
/** How soon to reconnect: first and longest delay. */
const RECONNECT_MS = { first: 50, most: 5_000 };

/**
 * Follows the log for one receiver on its own connection: reads each new event once, however many
 * pulls the receiver holds. The same connection brings other receivers' notifications.
 */
export class Feed {
	private readonly database: Database;
	private readonly onError: (error: Error) => void;
	private position: number;
	private listener: StoreListener | null = null;
	private following: Promise<void> | null = null;
	private isStopped = false;
	private lookAtOnce = false;
	/** Ends the current sleep, if any. */
	private wake: () => void = () => undefined;

	/** Starts after `position`, once there is a listener. */
	constructor(
		database: Database,
		{ position, onError }: { position: number; onError: (error: Error) => void },
	) {
		this.database = database;
		this.position = position;
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
	}

	private async follow(): Promise<void> {
		let pause = RECONNECT_MS.first;
		for (let isFirst = true; !this.isStopped; isFirst = false) {
			try {
				await this.followOnce(isFirst, () => (pause = RECONNECT_MS.first));
			} catch (error) {
				this.onError(innermost(error));
				this.lookAtOnce = false;
				await this.sleep(pause);
				pause = Math.min(2 * pause, RECONNECT_MS.most);
			}
		}
	}

	/** Until the connection breaks or `stop` is called. */
	private async followOnce(isFirst: boolean, onConnected: () => void): Promise<void> {
		const client = await this.database.connect();
		let broken: Error | null = null;
		const onBroken = (error: Error) => {
			broken = error;
			this.look();
		};
		client.on('error', onBroken);
		client.on('end', () => onBroken(new Error('The connection was closed.')));
		client.on('notification', ({ payload }) => this.onNotice(payload ?? ''));
		const db: Db = { rows: (text, values) => rowsOf(client, text, values) };
		try {
			await client.query(`LISTEN ${CHANNEL}`);
			// Catches up on notifications missed while disconnected.
			if (!isFirst) await this.tellAll(db);
			onConnected();
			while (!this.isStopped && broken === null) {
				this.lookAtOnce = false;
				if (!(await this.step(db))) await this.sleep(POLL_MS);
			}
			if (broken !== null && !this.isStopped) throw broken;
		} finally {
			end(client);
		}
	}

	/** Returns whether there may be more. */
	private async step(db: Db): Promise<boolean> {
		const rows = (await readAfter(db, this.position, null, STEP)) as EventRow[];
		this.position = rows.at(-1)?.sequence ?? this.position;
		if (rows.length > 0) this.listener?.onEvents(rows.map(toEvent));
		return rows.length === STEP;
	}

	private onNotice(payload: string): void {
		const notice = readNotice(payload);
		if (notice?.kind === 'events') this.look();
		if (notice?.kind === 'waits') this.listener?.onWaits();
		if (notice?.kind === 'polls') this.listener?.onPolls();
		if (notice?.kind === 'consumer') this.listener?.onConsumer(notice.name);
		if (notice?.kind === 'wake-ups') this.listener?.onWakeUps(notice.name);
	}

	private async tellAll(db: Db): Promise<void> {
		const rows = (await db.rows(
			`SELECT 'consumer' AS kind, key AS name FROM consumers
			UNION ALL
			SELECT DISTINCT 'wake-ups', instance FROM waits WHERE state = 'ready'`,
		)) as Array<{ kind: string; name: string }>;
		this.listener?.onWaits();
		this.listener?.onPolls();
		for (const { kind, name } of rows) this.onNotice(`${kind} ${name}`);
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
