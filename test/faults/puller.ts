import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
	Batch,
	BatchSettlement,
	PullAnswer,
	PullRequest,
} from '../../webhook-receiver/src/core/pull-contract.ts';
import { KEY } from '../contract/receiver/harness.ts';
import type { Client } from '../contract/receiver/harness.ts';

/** One of so many batches can't be started at first, so that one is always waiting for its time. */
const FAILS_ONE_OF = 20;

/**
 * Stands in for n8n, which takes seconds to start: pulls as the trigger does, and as in n8n's
 * database a batch that comes again starts nothing.
 */
export class Puller {
	/** In the order in which they came, each once. */
	readonly batches: Batch[] = [];
	/** How often each event was executed, by the receiver's id. */
	readonly executed = new Map<string, number>();
	private readonly next: () => Pick<Client, 'pulled'>;
	private readonly known = new Set<string>();
	private settle: BatchSettlement[] = [];
	private holder = randomUUID();
	private count = 0;
	private pulling = new AbortController();
	private isLeaving = false;
	private isStopped = false;
	private running: Promise<void> | null = null;

	/** @param next the receiver to pull from, called for each pull */
	constructor(next: () => Pick<Client, 'pulled'>) {
		this.next = next;
	}

	start(): void {
		this.running ??= this.run();
	}

	async stop(): Promise<void> {
		this.isStopped = true;
		this.pulling.abort();
		await this.running;
	}

	/** As an n8n that stops and starts again: what was in its hands comes once more. */
	restart(): void {
		this.isLeaving = true;
		this.pulling.abort();
	}

	private async run(): Promise<void> {
		while (!this.isStopped) {
			try {
				if (this.isLeaving) await this.leave();
				await this.pullOnce();
			} catch {
				// Stopped, or not answered: n8n tries again, too.
				await sleep(50);
			}
		}
	}

	private async pullOnce(): Promise<void> {
		const { settle } = this;
		const { batches } = await this.pull({ settle, openMs: settle.length > 0 ? 0 : 25_000 });
		this.settle = batches.map((batch) => ({ batch: batch.id, outcome: this.execute(batch) }));
	}

	private async leave(): Promise<void> {
		await this.pull({ leaving: true, settle: this.settle });
		this.isLeaving = false;
		this.settle = [];
		this.holder = randomUUID();
	}

	private pull(request: Partial<PullRequest>): Promise<PullAnswer> {
		this.pulling = new AbortController();
		const wants = { events: ['*'], batchSize: 5 };
		return this.next().pulled(
			{ holder: this.holder, atOnce: 20, wants, ...request },
			{ key: KEY, signal: this.pulling.signal },
		);
	}

	private execute(batch: Batch): BatchSettlement['outcome'] {
		if (this.known.has(batch.id)) return 'ack';
		if (batch.attempt === 1 && ++this.count % FAILS_ONE_OF === 0) return 'nak';
		this.known.add(batch.id);
		this.batches.push(batch);
		for (const { id } of batch.events) this.executed.set(id, (this.executed.get(id) ?? 0) + 1);
		return 'ack';
	}
}
