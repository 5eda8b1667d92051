import type { Clock } from './clock.ts';
import type { Deliverer } from './deliver/deliverer.ts';
import type { DeadRange, RetriedStep, Store } from './store/store.ts';

/** Brings back dead deliveries in bounded steps, so that ingest goes on meanwhile; answers how many. */
export async function retryAllDead(
	range: Omit<DeadRange, 'after'>,
	{ store, deliverer, clock }: { store: Store; deliverer: Deliverer; clock: Clock },
): Promise<number> {
	let retried = 0;
	for (let after: number | null = 0; after !== null; ) {
		const step: RetriedStep = await store.retryDead({ ...range, after }, clock.now());
		deliverer.wake(step.subscriptions);
		retried += step.retried;
		after = step.next;
	}
	return retried;
}
