import type { FaultPlan } from '../http/faults.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import type { Deliveries } from '../messages/delivery.ts';
import type { WebhookSender } from '../webhooks/webhooks.ts';
import type { VirtualClock } from './clock.ts';
import type { Ids } from './ids.ts';
import type { SignedLinks } from './signed-links.ts';
import type { Store } from './store.ts';

/** Of a world. */
interface Parts {
	clock: VirtualClock;
	ids: Ids;
	links: SignedLinks;
	store: Store;
	webhooks: WebhookSender;
	rateLimiter: RateLimiter;
	faults: FaultPlan;
	deliveries: Deliveries;
	uploads: string;
}

/** Everything but the journal, as it was. */
export interface Snapshot {
	now: number;
	messages: number;
	/** Paths of the files it refers to. */
	files: string[];
	/** JSON, so that nothing in it changes with the world. */
	state: string;
}

const stateOf = ({ clock, ids, links, store, webhooks, rateLimiter, faults }: Parts) => ({
	now: clock.now(),
	frozen: clock.isFrozen,
	ids: ids.counts(),
	linkSecret: links.secret.toString('base64'),
	stored: store.export(),
	webhooks: webhooks.endpoints,
	rateLimit: rateLimiter.state,
	faults: faults.state,
});

export const takeSnapshot = (world: Parts): Snapshot => ({
	now: world.clock.now(),
	messages: world.store.messages.size,
	files: world.store.files().map(({ path }) => path),
	state: JSON.stringify(stateOf(world)),
});

/** Fills an empty world. What is scheduled follows from the messages. */
export function restoreSnapshot(world: Parts, snapshot: Snapshot): void {
	const state = JSON.parse(snapshot.state) as ReturnType<typeof stateOf>;
	world.clock.reset();
	world.clock.set(state.now);
	if (state.frozen) world.clock.freeze();
	world.ids.continueFrom(state.ids);
	world.links.secret = Buffer.from(state.linkSecret, 'base64');
	world.store.import(state.stored, world.uploads);
	world.webhooks.endpoints = state.webhooks;
	world.rateLimiter.state = state.rateLimit;
	world.faults.state = state.faults;
	for (const message of world.store.messages.values()) world.deliveries.resume(message);
}
