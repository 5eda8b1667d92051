import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import type { Batch } from '../../../webhook-receiver/src/core/pull-contract.ts';
import type { Store } from '../../../webhook-receiver/src/operation/store.ts';
import { pullOf } from './stores.ts';

/** How a consumer pulls; `now` is the time it passes to the store. */
export interface Pulling {
	store: Store;
	holder: string;
	now: number;
	atOnce: number;
}

/** A consumer that records what it gets, like n8n: nothing is started twice under one id. */
export class Witness {
	/** Events by batch, in the order in which the batches first arrived. */
	private readonly batches = new Map<string, readonly DeliveryEvent[]>();
	private readonly key: string;

	constructor(key: string) {
		this.key = key;
	}

	get handedOut(): number {
		return this.batches.size;
	}

	/** How many different events it got. */
	get received(): number {
		return new Set([...this.batches.values()].flat().map(({ id }) => id)).size;
	}

	/** Pulls and acknowledges one batch after the other. */
	async pullUntil(isOver: () => boolean, { store, holder, now, atOnce }: Pulling): Promise<void> {
		let inHand: string[] = [];
		while (!isOver() || inHand.length > 0) {
			const done = inHand.slice(0, 1);
			const settle = done.map((batch) => ({ batch, outcome: 'ack' as const }));
			const wants = { events: ['*'], batchSize: 2 };
			const taken = await store.consumers.take(
				pullOf(this.key, { wants, holder, atOnce, settle }),
				now,
			);
			inHand = inHand.slice(1);
			if (taken.kind === 'held') throw new Error(`${this.key} is held by another`);
			for (const batch of taken.batches) this.note(batch);
			inHand.push(...taken.batches.map(({ id }) => id));
			if (inHand.length > atOnce) throw new Error(`${this.key} got more than it has room for`);
			if (inHand.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
		}
	}

	/** Every event in one batch, those of one message in order. */
	judge(accepted: readonly DeliveryEvent[]): void {
		const got = [...this.batches.values()].flat();
		const ids = (events: readonly DeliveryEvent[]) => events.map(({ id }) => id);
		expect(ids(got).sort()).toEqual(ids(accepted).sort());
		for (const [messageId, events] of Map.groupBy(got, (event) => event.messageId)) {
			expect(ids(events)).toEqual(ids(accepted.filter((event) => event.messageId === messageId)));
		}
	}

	private note({ id, events }: Batch): void {
		const before = this.batches.get(id);
		if (before !== undefined) expect(events).toEqual(before);
		else this.batches.set(id, events);
	}
}
