import { z } from 'zod/v4';
import type { FaultPlan, FaultPlanState } from '../http/faults.ts';
import type { LatencyPlan, LatencyState } from '../http/latency.ts';
import type { RateLimiter, RateLimiterState } from '../http/rate-limit.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { WebhookSender } from '../webhooks/webhooks.ts';
import type { VirtualClock } from './clock.ts';
import type { IdCounts, Ids } from './ids.ts';
import type { SignedLinks } from './signed-links.ts';
import { storedSchema, type Store, type StoredState } from './store.ts';

/**
 * All of a sandbox but its journal: what it stores and how it behaves. Scheduled work needs no entry
 * of its own, since it follows from the messages (`Deliveries.resume`).
 */
export interface WorldState {
	/** The sandbox's time, which goes on from here, and whether it stood. */
	now: number;
	frozen: boolean;
	ids: IdCounts | null;
	linkSecret: string;
	stored: StoredState;
	webhooks: WebhookEndpoint[];
	rateLimit: RateLimiterState;
	faults: FaultPlanState;
	latency: LatencyState;
}

/** Enough to recognize a damaged one before anything is replaced by it. */
export const isWorldState = (given: unknown): given is WorldState =>
	worldStateSchema.safeParse(given).success;

const worldStateSchema = z.object({
	now: z.number(),
	frozen: z.boolean(),
	linkSecret: z.string().min(1),
	stored: storedSchema,
	webhooks: z.array(z.object({ url: z.string() })),
	rateLimit: z.object({ windows: z.array(z.unknown()) }),
	faults: z.object({ rules: z.array(z.object({ rule: z.object({}) })) }),
	latency: z.array(z.object({ rule: z.object({}) })),
});

interface Parts {
	clock: VirtualClock;
	store: Store;
	ids: Ids;
	links: SignedLinks;
	webhooks: WebhookSender;
	rateLimiter: RateLimiter;
	faults: FaultPlan;
	latency: LatencyPlan;
}

/** As it is now; shares its records with the sandbox, so write it down before anything happens. */
export const worldState = (parts: Parts): WorldState => ({
	now: parts.clock.now(),
	frozen: parts.clock.isFrozen,
	ids: parts.ids.counts(),
	linkSecret: parts.links.secret.toString('base64'),
	stored: parts.store.export(),
	webhooks: parts.webhooks.endpoints,
	rateLimit: parts.rateLimiter.export(),
	faults: parts.faults.export(),
	latency: parts.latency.export(),
});

/** Fills an empty sandbox. */
export function fillWorld(parts: Parts, state: WorldState, uploads: string): void {
	const { clock, store, ids, links, webhooks, rateLimiter, faults, latency } = parts;
	clock.reset();
	clock.set(state.now);
	if (state.frozen) clock.freeze();
	ids.continueFrom(state.ids);
	links.secret = Buffer.from(state.linkSecret, 'base64');
	store.import(state.stored, uploads);
	webhooks.endpoints = state.webhooks;
	rateLimiter.import(state.rateLimit);
	faults.import(state.faults);
	latency.import(state.latency);
}
