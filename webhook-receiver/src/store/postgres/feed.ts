import type pg from 'pg';
import type { StoreListener } from '../../pull/consumer-store.ts';
import type { Database, Db } from './connect.ts';
import { readLog, toLogEvent } from './log.ts';
import type { Position } from './log.ts';
import { CHANNEL, readNotice } from './notify.ts';
import { SCHEMA } from './schema.ts';

/** How many events are read at once. */
const STEP = 500;
/** Looks anyway, should a notification be lost; that also shows whether the connection lives. */
const POLL_MS = 1_000;
/** How soon to look again for what an older transaction holds up: first, and at most. */
const HELD_UP_MS = { first: 2, most: 100 };
/** How soon to connect again: first, and at most. */
const RECONNECT_MS = { first: 50, most: 5_000 };

/**
 * Follows the log for a receiver, on a connection of its own: each new event is read once, however
 * many pulls it holds. What other receivers notify of comes by the same connection.
 */
export class Feed {
	private readonly database: Database;
	private readonly onError: (error: Error) => void;
	private position: Position & { began: string };
	private listener: StoreListener | null = null;
	private following: Promise<void> | null = null;
	private isStopped = false;
	private lookAtOnce = false;
	/** Ends the present sleep, if there is one. */
	private wake: () => void = () => undefined;

	/** Begins at `position`, once somebody listens. */
	constructor(
		database: Database,
		position: Position & { began: string },
		onError: (error: Error) => void,
	) {
		this.database = database;
		this.position = position;
		this.onError = onError;
	}

	listen(listener: StoreListener): void {
		this.listener = listener;
		this.following ??= this.follow();
	}

	/** Something was committed here: sooner than by notification. */
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

	/** Until the connection breaks, or this is stopped. */
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
		const db: Db = { rows: async (text, values) => (await client.query(text, values)).rows };
		try {
			await client.query(`LISTEN ${CHANNEL}`);
			// What was notified of while nobody listened.
			if (!isFirst) await this.tellAll(db);
			onConnected();
			let heldUpMs: number = HELD_UP_MS.first;
			while (!this.isStopped && broken === null) {
				this.lookAtOnce = false;
				const { isHeldUp, more } = await this.step(db);
				if (more) continue;
				await this.sleep(isHeldUp ? heldUpMs : POLL_MS);
				heldUpMs = isHeldUp ? Math.min(2 * heldUpMs, HELD_UP_MS.most) : HELD_UP_MS.first;
			}
			if (broken !== null && !this.isStopped) throw broken;
		} finally {
			end(client);
		}
	}

	private async step(db: Db): Promise<{ isHeldUp: boolean; more: boolean }> {
		const { began } = this.position;
		const page = await readLog(db, { after: this.position, began, types: null, limit: STEP });
		const last = page.rows.at(-1);
		if (last === undefined) return { isHeldUp: page.isHeldUp, more: false };
		this.position = { xid: last.xid, sequence: last.sequence, began };
		this.listener?.onEvents(page.rows.map(toLogEvent).filter((event) => event !== null));
		return { isHeldUp: page.isHeldUp, more: page.rows.length === STEP };
	}

	private onNotice(payload: string): void {
		const notice = readNotice(payload);
		if (notice?.kind === 'events') this.look();
		if (notice?.kind === 'consumer') this.listener?.onConsumer(notice.name);
		if (notice?.kind === 'wake-ups') this.listener?.onWakeUps(notice.name);
	}

	private async tellAll(db: Db): Promise<void> {
		const rows = (await db.rows(
			`SELECT 'consumer' AS kind, key AS name FROM ${SCHEMA}.consumers
			UNION ALL
			SELECT DISTINCT 'wake-ups', instance FROM ${SCHEMA}.waits WHERE state = 'ready'`,
		)) as Array<{ kind: string; name: string }>;
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

/** Without waiting for an answer, which a dead connection never gives. */
function end(client: pg.Client): void {
	client.removeAllListeners('end');
	client.end().catch(() => undefined);
}

function innermost(error: unknown): Error {
	const { cause } = error as { cause?: unknown };
	return cause === undefined ? (error as Error) : innermost(cause);
}
