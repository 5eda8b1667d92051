import { StoreUnavailable } from './engine.ts';

interface Waiting<In, Out> {
	item: In;
	resolve(result: Out): void;
	reject(error: unknown): void;
}

/**
 * Groups what arrives while the previous batch runs: one transaction for many requests, without a
 * timer. When a batch fails, each item is retried alone, so that one that can't be stored fails no
 * other. When the database fails, the queue would only grow: as many items as fit into the next batch
 * wait for it, all others are rejected. So no item waits for more than two batches.
 */
export class Batcher<In, Out> {
	private readonly run: (items: In[]) => Promise<Out[]>;
	private readonly most: number;
	private readonly weigh: (item: In) => number;
	private waiting: Array<Waiting<In, Out>> = [];
	private working: Promise<void> | null = null;
	private outage: { error: unknown; at: number } | null = null;

	/** @param most the most that the items of a batch weigh together, unless it is a single one */
	constructor(run: (items: In[]) => Promise<Out[]>, most: number, weigh: (item: In) => number) {
		this.run = run;
		this.most = most;
		this.weigh = weigh;
	}

	add(item: In): Promise<Out> {
		return new Promise((resolve, reject) => {
			this.waiting.push({ item, resolve, reject });
			this.begin();
		});
	}

	/** @throws the last error of the database, unless it is older than that or something was stored since */
	throwAfterOutage(withinMs: number): void {
		if (this.outage === null || performance.now() - this.outage.at > withinMs) return;
		throw this.outage.error;
	}

	/** Resolves when nothing is in progress. */
	async idle(): Promise<void> {
		while (this.working !== null) await this.working;
	}

	private begin(): void {
		this.working ??= this.work().finally(() => {
			this.working = null;
			// Items added since the last check saw this batch running and started none.
			if (this.waiting.length > 0) this.begin();
		});
	}

	private async work(): Promise<void> {
		// Includes whatever arrives in this turn of the event loop.
		await new Promise((resolve) => setImmediate(resolve));
		while (this.waiting.length > 0) await this.attempt(this.waiting.splice(0, this.fitting()));
	}

	/** How many of those that wait fit into one batch. */
	private fitting(): number {
		let room = this.most;
		const first = this.waiting.findIndex(({ item }) => (room -= this.weigh(item)) < 0);
		return first === -1 ? this.waiting.length : Math.max(first, 1);
	}

	/** Returns whether the database failed. */
	private async attempt(batch: Array<Waiting<In, Out>>): Promise<boolean> {
		try {
			const results = await this.run(batch.map(({ item }) => item));
			for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Out);
			this.outage = null;
			return false;
		} catch (error) {
			const failed = isOutage(error);
			if (failed) {
				this.outage = { error, at: performance.now() };
				batch.push(...this.waiting.splice(this.fitting()));
			}
			if (failed || batch.length === 1) for (const { reject } of batch) reject(error);
			else await this.attemptEach(batch);
			return failed;
		}
	}

	private async attemptEach(batch: Array<Waiting<In, Out>>): Promise<void> {
		for (const [index, one] of batch.entries()) {
			if (!(await this.attempt([one]))) continue;
			// The rest waits or is rejected like the others.
			this.waiting.unshift(...batch.slice(index + 1));
			return;
		}
	}
}

/** SQLSTATE classes, and SQLite's codes, of errors that are due to the data. */
const DATA_CLASSES = ['22', '23', '54'];
const DATA_CODES = [18, 19, 20];

/** Whether the database itself is at fault, so that retrying each item alone is pointless. */
function isOutage(error: unknown): boolean {
	if (!(error instanceof StoreUnavailable)) return false;
	const { code = '', errcode = 0 } = (error.cause ?? {}) as { code?: string; errcode?: number };
	return !DATA_CLASSES.includes(code.slice(0, 2)) && !DATA_CODES.includes(errcode & 0xff);
}
