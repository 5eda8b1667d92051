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

/**
 * Everything but the journal, as it is now. What is scheduled needs no entry of its own: it follows
 * from the messages (`Deliveries.resume`).
 */
export const takeSnapshot = (world: Parts) =>
	structuredClone({
		now: world.clock.now(),
		frozen: world.clock.isFrozen,
		ids: world.ids.counts(),
		linkSecret: world.links.secret,
		stored: world.store.export(),
		webhooks: world.webhooks.endpoints,
		rateLimit: world.rateLimiter.state,
		faults: world.faults.state,
	});

export type Snapshot = ReturnType<typeof takeSnapshot>;

/** Fills an empty world. A copy, so that the snapshot can be restored again. */
export function restoreSnapshot(world: Parts, snapshot: Snapshot): void {
	const { now, frozen, ids, linkSecret, stored, ...behaviour } = structuredClone(snapshot);
	world.clock.reset();
	world.clock.set(now);
	if (frozen) world.clock.freeze();
	world.ids.continueFrom(ids);
	world.links.secret = Buffer.from(linkSecret);
	world.store.import(stored, world.uploads);
	world.webhooks.endpoints = behaviour.webhooks;
	world.rateLimiter.state = behaviour.rateLimit;
	world.faults.state = behaviour.faults;
	for (const message of world.store.messages.values()) world.deliveries.resume(message);
}
