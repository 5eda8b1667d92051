import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryEvent } from '../contract.ts';
import { storedKey } from '../dedup.ts';
import type { StoreListener } from '../pull/consumer-store.ts';
import type { News } from './news.ts';
import { toActivity } from './rows.ts';
import type { ActivityRow } from './rows.ts';
import { SqliteClaims } from './sqlite/claims.ts';
import { SqliteConsumers } from './sqlite/consumers.ts';
import { SqliteEventLog } from './sqlite/event-log.ts';
import { migrate } from './sqlite/migrations.ts';
import { openExclusively } from './sqlite/open.ts';
import { SqliteWaits } from './sqlite/waits.ts';
import { SqliteWatches } from './sqlite/watches.ts';
import { Writer } from './sqlite/writer.ts';
import type { Activity, Candidate, IngestResult, Page, RetentionConfig, Store } from './store.ts';

/** How many rows of each kind one call of `clean` removes, so that it never holds up ingest. */
const CLEAN_STEP = 500;

/** The embedded store (design § 7): one file, one process, WAL, `synchronous=FULL`. */
export class SqliteStore implements Store {
	readonly watching: SqliteWatches;
	readonly waits: SqliteWaits;
	readonly claims: SqliteClaims;
	readonly consumers: SqliteConsumers;
	private readonly database: DatabaseSync;
	private readonly writer: Writer;
	private readonly log: SqliteEventLog;
	private readonly sql: ReturnType<typeof prepare>;

	constructor(file: string) {
		this.database = openExclusively(file);
		migrate(this.database);
		this.writer = new Writer(this.database);
		this.sql = prepare(this.database);
		this.log = new SqliteEventLog(this.database);
		this.waits = new SqliteWaits(this.database, this.writer);
		this.claims = new SqliteClaims(this.database, this.writer);
		this.consumers = new SqliteConsumers(this.database, this.writer, this.log);
		this.watching = new SqliteWatches(this.database, this.writer, this.addEvent.bind(this));
	}

	listen(listener: StoreListener): void {
		this.writer.listener = listener;
	}

	ingest(candidates: readonly Candidate[], now: number): Promise<IngestResult> {
		return this.writer.write((news) => {
			let asks = false as boolean;
			for (const candidate of candidates) {
				if (!this.isFirst(candidate, now)) continue;
				const merged = this.watching.merge(candidate, now);
				asks ||= merged.ask;
				if (merged.isNew) this.addEvent(candidate.event, now, news);
			}
			const accepted = news.events.length;
			return { accepted, duplicates: candidates.length - accepted, ...(asks && { asks }) };
		});
	}

	async events(page: Page): Promise<DeliveryEvent[]> {
		return this.log.page(page);
	}

	async eventsOf(messageId: string, limit: number): Promise<DeliveryEvent[]> {
		return this.log.ofMessage(messageId, limit);
	}

	async activity(from: number, spanMs: number): Promise<Activity[]> {
		return toActivity(this.sql.activity.all({ from, span: spanMs }) as unknown as ActivityRow[]);
	}

	clean({ eventsMs }: RetentionConfig, now: number): Promise<boolean> {
		return this.writer.write(() => {
			const old = now - eventsMs;
			const removed = [
				this.consumers.clean(eventsMs, CLEAN_STEP, now),
				Number(this.sql.cleanEvents.run(old, CLEAN_STEP).changes),
				Number(this.sql.cleanDuplicateKeys.run(now, CLEAN_STEP).changes),
				this.watching.clean(old, CLEAN_STEP),
				this.waits.clean(old, CLEAN_STEP),
			];
			return removed.includes(CLEAN_STEP);
		});
	}

	check(): Promise<void> {
		return this.writer.write(() => {
			this.sql.fillProbe.run();
			this.sql.emptyProbe.run();
		});
	}

	async close(): Promise<void> {
		this.writer.flush();
		this.database.close();
	}

	private addEvent(event: Candidate['event'], now: number, news: News): void {
		this.log.append(event, now, news);
		this.waits.noteEvent(event.messageId, now);
	}

	/** Takes the event's duplicate key, unless somebody has it. */
	private isFirst({ event, duplicateKey }: Candidate, now: number): boolean {
		const bounce =
			duplicateKey.renewedByBounce && event.messageId !== null
				? this.log.lastBounce(event.messageId)
				: null;
		const key = storedKey(duplicateKey, bounce);
		const taken = this.sql.takeKey.run(key, now + duplicateKey.windowMs, now);
		return Number(taken.changes) === 1;
	}
}

function prepare(database: DatabaseSync) {
	const sql = (text: string) => database.prepare(text);
	return {
		/** Key, when it runs out, now. Changes a row only if the key is new or has run out. */
		takeKey: sql(`
			INSERT INTO duplicate_keys (key, expires_at) VALUES (?1, ?2)
			ON CONFLICT (key) DO UPDATE SET expires_at = ?2 WHERE expires_at <= ?3
		`),
		// Bound numbers are floating point unless told otherwise, and would not divide into whole spans.
		activity: sql(`
			SELECT received_at / cast(:span AS INTEGER) * :span AS at, 'events' AS kind, count(*) AS count
			FROM events WHERE received_at >= :from GROUP BY 1
			UNION ALL
			SELECT updated_at / cast(:span AS INTEGER) * :span, state, count(*)
			FROM batches WHERE state IN ('done', 'dead') AND updated_at >= :from GROUP BY 1, 2
		`),
		/** What is still to go out stays, however old. */
		cleanEvents: sql(`
			DELETE FROM events WHERE sequence IN (
				SELECT sequence FROM events
				WHERE received_at < ?
					AND sequence <= (SELECT coalesce(min(position), ${Number.MAX_SAFE_INTEGER}) FROM consumers)
					AND sequence NOT IN (
						SELECT value FROM batches, json_each(sequences) WHERE state IN ('queued', 'in-hand')
					)
				LIMIT ?
			)
		`),
		cleanDuplicateKeys: sql(
			'DELETE FROM duplicate_keys WHERE key IN (SELECT key FROM duplicate_keys WHERE expires_at < ? LIMIT ?)',
		),
		fillProbe: sql('INSERT INTO probe VALUES (zeroblob(65536))'),
		emptyProbe: sql('DELETE FROM probe'),
	};
}
