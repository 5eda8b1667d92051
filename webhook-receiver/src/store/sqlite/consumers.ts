import type { DatabaseSync } from 'node:sqlite';
import type { Batch, BatchSettlement, StoredConsumer } from '../../core/pull-contract.ts';
import { isWanted } from '../../match.ts';
import type {
	BatchRecord,
	BatchState,
	ConsumerStore,
	DeadBatches,
	Take,
	Taken,
} from '../../pull/consumer-store.ts';
import { planBatches } from '../../pull/plan-batches.ts';
import {
	LEFT_OUT,
	LOG_STEP,
	OPEN_STEP,
	freshRow,
	handedOut,
	isForgotten,
	isHeldByAnother,
	queuedRow,
	readWants,
	releasedRow,
	replayedRow,
	settledRow,
	startsAnew,
	takenRow,
	toBatchRecord,
	toOpenBatch,
	toStoredConsumer,
} from '../consumer-rows.ts';
import type { BatchRow, ConsumerRow, NewBatchRow } from '../consumer-rows.ts';
import { prepareStatements } from './consumer-statements.ts';
import type { SqliteEventLog } from './event-log.ts';
import type { Writer } from './writer.ts';

/** How many dead batches go back into the queue in one transaction, so that it never holds up ingest. */
const RETRY_STEP = 500;

/** Consumers and batches of the embedded store. */
export class SqliteConsumers implements ConsumerStore {
	private readonly writer: Writer;
	private readonly log: SqliteEventLog;
	private readonly sql: ReturnType<typeof prepareStatements>;

	constructor(database: DatabaseSync, writer: Writer, log: SqliteEventLog) {
		this.writer = writer;
		this.log = log;
		this.sql = prepareStatements(database);
	}

	take(take: Take, now: number): Promise<Taken> {
		const { key, holder } = take;
		return this.writer.write((news): Taken => {
			const hasSettled = this.settleAll(key, holder, take.settle, now);
			const row = this.row(key);
			if (row !== null && isHeldByAnother(row, holder, now)) {
				this.put({ ...row, rival_at: now });
				if (hasSettled) news.consumers.add(key);
				return { kind: 'held', since: row.held_since };
			}
			if (startsAnew(row, take)) this.sql.leaveOut.run({ key, reason: LEFT_OUT, now });
			const taken = this.handOut(take, row, now);
			if (hasSettled && !taken.isFull) news.consumers.add(key);
			return taken;
		});
	}

	async settle(key: string, holder: string, settle: readonly BatchSettlement[], now: number) {
		await this.writer.write((news) => {
			if (this.settleAll(key, holder, settle, now)) news.consumers.add(key);
		});
	}

	async release(key: string, holder: string, now: number): Promise<void> {
		await this.writer.write((news) => {
			const row = this.row(key);
			if (row?.holder !== holder) return;
			this.put(releasedRow(row, now));
			this.sql.dueAtOnce.run({ key, holder, now });
			news.consumers.add(key);
		});
	}

	async list(now: number): Promise<StoredConsumer[]> {
		const end = this.log.end();
		const counts = this.sql.counts.all() as unknown as CountRow[];
		const countOf = new Map(counts.map(({ consumer, state, count }) => [consumer + state, count]));
		return this.rows().map((row) => {
			const [queued = 0, inHand = 0, dead = 0] = ['queued', 'in-hand', 'dead'].map((state) =>
				countOf.get(row.key + state),
			);
			const isQuiet = queued + inHand === 0 && row.position >= end;
			const oldestAt = isQuiet ? null : this.oldestAt(row);
			const behind = Math.max(end - row.position, 0);
			return toStoredConsumer(row, { behind, queued, inHand, dead, oldestAt }, now);
		});
	}

	remove(key: string): Promise<boolean> {
		return this.writer.write(() => this.forget(key));
	}

	async batches({ limit, before, state }: Parameters<ConsumerStore['batches']>[0]) {
		const most = { before: before ?? Number.MAX_SAFE_INTEGER, limit };
		const rows = state === null ? this.sql.page.all(most) : this.pageOf(state, most);
		return (rows as unknown as BatchRow[]).map(toBatchRecord);
	}

	retry(id: string, now: number): Promise<BatchRecord | null> {
		return this.writer.write((news) => {
			const row = this.sql.batch.get(id) as BatchRow | undefined;
			if (row === undefined || (row.state !== 'done' && row.state !== 'dead')) return null;
			const next = this.queueAgain(row, now);
			if (next !== null) news.consumers.add(row.consumer);
			return next && toBatchRecord(next);
		});
	}

	/** In steps: when one fails, those before it have been made. */
	async retryDead({ consumer, from, before }: DeadBatches, now: number): Promise<number> {
		const { last } = this.sql.lastNumber.get() as { last: number };
		const dead = this.sql.consumersWithDead.all() as Array<{ consumer: string }>;
		let retried = 0;
		for (const one of dead) {
			if (consumer !== null && consumer !== one.consumer) continue;
			// What is queued again and dies meanwhile has a higher number.
			for (let after = 0; after < last; ) {
				const range = { consumer: one.consumer, from, before, after, last, limit: RETRY_STEP };
				const step = await this.retryStep(range, now);
				retried += step.retried;
				after = step.next ?? last;
			}
		}
		return retried;
	}

	replay(eventId: string, now: number): Promise<{ consumers: string[] } | null> {
		return this.writer.write((news) => {
			const logged = this.log.byId(eventId);
			if (logged === null) return null;
			for (const row of this.rows()) {
				if (!isWanted(readWants(row), logged.event)) continue;
				this.insert(replayedRow(row.key, logged, now));
				news.consumers.add(row.key);
			}
			return { consumers: [...news.consumers] };
		});
	}

	/** In the transaction of `clean`: what it removes of each kind, at most so many. */
	clean(retentionMs: number, most: number, now: number): number {
		const forgotten = this.rows().filter((row) => isForgotten(row, retentionMs, now));
		for (const { key } of forgotten.slice(0, most)) this.forget(key);
		return Number(this.sql.clean.run(now - retentionMs, most).changes);
	}

	private handOut(take: Take, row: ConsumerRow | null, now: number): HandedOut {
		const { key, wants, holder, atOnce } = take;
		const end = this.log.end();
		const { since, startAnew } = take;
		const isMissed = row === null && startAnew === null && since !== null;
		const taken = takenRow(row, take, isMissed ? this.log.endBefore(since) : end, now);
		const open = (this.sql.open.all(key, OPEN_STEP) as unknown as BatchRow[]).map(toOpenBatch);
		const { position } = taken;
		let read = 0;
		const counted = function* (log: SqliteEventLog) {
			for (const logged of log.after(position, LOG_STEP)) {
				read++;
				yield logged;
			}
		};
		const log = open.length < OPEN_STEP && position < end ? counted(this.log) : [];
		const plan = planBatches({ open, log, position, wants, holder, atOnce, now });
		const batches: Batch[] = [];
		for (const batch of plan.again) {
			const again = handedOut(batch.row, holder, now);
			this.update(again);
			batches.push({
				id: again.id,
				attempt: again.attempts,
				events: this.log.all(again.sequences),
			});
		}
		for (const batch of plan.fresh) {
			const made = freshRow(key, batch, holder, now);
			this.insert(made);
			if (batch.state === 'in-hand')
				batches.push({ id: made.id, attempt: 1, events: batch.events });
		}
		this.put({ ...taken, position: plan.position }, row);
		return {
			...{ kind: 'taken', batches, wakeAt: plan.wakeAt, isFull: plan.isFull },
			more: !plan.isStopped && read === LOG_STEP,
		};
	}

	/** Answers whether anything changed that may make something else due. */
	private settleAll(
		key: string,
		holder: string,
		settlements: readonly BatchSettlement[],
		now: number,
	): boolean {
		let mayBeDue = false;
		for (const settlement of settlements) {
			const row = this.sql.batch.get(settlement.batch) as BatchRow | undefined;
			if (row?.consumer !== key) continue;
			const next = settledRow(row, settlement, holder, now);
			if (next === null) continue;
			this.update(next);
			mayBeDue ||= settlement.outcome !== 'inProgress';
		}
		return mayBeDue;
	}

	private retryStep(range: Record<string, string | number | null>, now: number) {
		return this.writer.write((news) => {
			const rows = this.sql.dead.all(range) as unknown as BatchRow[];
			const queued = rows.filter((row) => this.queueAgain(row, now) !== null);
			for (const { consumer } of queued) news.consumers.add(consumer);
			const next = rows.length < RETRY_STEP ? null : rows.at(-1)?.number;
			return { retried: queued.length, next };
		});
	}

	/** A settled batch once more, behind all others; null when its events or consumer are gone. */
	private queueAgain(row: BatchRow, now: number): BatchRow | null {
		const sequences = JSON.parse(row.sequences) as number[];
		const isWhole = this.log.all(row.sequences).length === sequences.length;
		if (!isWhole || this.row(row.consumer) === null) return null;
		const { consumer, messages, size, reason } = row;
		this.sql.removeBatch.run(row.number);
		const next = queuedRow({ consumer, sequences: row.sequences, messages, size, reason, now });
		return { ...next, number: this.insert(next) };
	}

	/** Arrival of the oldest event that is open, or that follows the position and is of a wanted type. */
	private oldestAt({ key, position, wants }: ConsumerRow): number | null {
		const { events } = readWants({ wants });
		const oldest = { key, position, types: JSON.stringify(events) };
		return (this.sql.oldest.get(oldest) as { at: number | null }).at;
	}

	private forget(key: string): boolean {
		this.sql.removeOpen.run(key);
		this.sql.removeDead.run(key);
		return Number(this.sql.remove.run(key).changes) > 0;
	}

	private pageOf(state: BatchState, most: { before: number; limit: number }) {
		if (state === 'dead') return this.sql.pageOfDead.all(most);
		if (state === 'done') return this.sql.pageOfDone.all(most);
		return this.sql.pageOfOpen.all({ state, ...most });
	}

	private row(key: string): ConsumerRow | null {
		return (this.sql.consumer.get(key) as ConsumerRow | undefined) ?? null;
	}

	private rows(): ConsumerRow[] {
		return this.sql.consumers.all() as unknown as ConsumerRow[];
	}

	/** Nothing new is nothing to write, and nothing to commit. */
	private put(row: ConsumerRow, present: ConsumerRow | null = null): void {
		const names = Object.keys(row) as Array<keyof ConsumerRow>;
		if (present !== null && names.every((name) => row[name] === present[name])) return;
		this.sql.put.run({ ...row });
	}

	private insert(row: NewBatchRow): number {
		return Number(this.sql.insert.run({ ...row }).lastInsertRowid);
	}

	private update({ id, state, attempts, failures, holder, due_at, reason, updated_at }: BatchRow) {
		this.sql.update.run({ id, state, attempts, failures, holder, due_at, reason, updated_at });
	}
}

type HandedOut = Extract<Taken, { kind: 'taken' }>;

interface CountRow {
	consumer: string;
	state: BatchState;
	count: number;
}
