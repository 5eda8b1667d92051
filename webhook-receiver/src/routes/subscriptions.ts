import express, { Router } from 'express';
import type { Request } from 'express';
import type { Clock } from '../clock.ts';
import { subscriptionKeySchema, subscriptionSchema } from '../contract.ts';
import type { Subscription } from '../contract.ts';
import type { Deliverer } from '../deliver/deliverer.ts';
import { HttpError } from '../http-error.ts';
import { isExpired } from '../match.ts';
import type { Store } from '../store/store.ts';
import type { TargetGuard } from '../target-guard.ts';
import { readBodyAs } from './read-body-as.ts';

export interface SubscriptionParts {
	store: Store;
	deliverer: Deliverer;
	guard: TargetGuard;
	clock: Clock;
}

const LARGEST_BODY = '64kb';

/** `/subscriptions`: what the trigger registers, checks and removes (design § 7). */
export function subscriptionRoutes({ store, deliverer, guard, clock }: SubscriptionParts): Router {
	const router = Router();

	router.get('/', async (_request, response) => {
		response.json({ data: await store.subscriptions() });
	});

	router.put('/:key', express.json({ limit: LARGEST_BODY }), async (request, response) => {
		const key = readKey(request);
		const subscription = readSubscription(request.body, clock.now());
		const refusal = guard.refusal(new URL(subscription.url));
		if (refusal !== null) {
			const message = `Events can't be sent to ${new URL(subscription.url).origin}: ${refusal}.`;
			throw new HttpError(422, 'target-not-allowed', `${message} See ALLOWED_TARGETS.`);
		}
		const stored = await store.putSubscription(key, subscription, clock.now());
		deliverer.wake([key]);
		response.json(stored);
	});

	router.get('/:key', async (request, response) => {
		const stored = await store.subscription(readKey(request));
		if (stored === null) throw notFound();
		response.json(stored);
	});

	/** 204 also when there was none: what matters is that it is gone. */
	router.delete('/:key', async (request, response) => {
		const end = { reason: 'the subscription was removed', now: clock.now() };
		await store.endSubscription(readKey(request), end);
		response.status(204).end();
	});

	return router;
}

function readKey(request: Request): string {
	const key = subscriptionKeySchema.safeParse(request.params.key);
	if (!key.success) throw notFound();
	return key.data;
}

function readSubscription(body: unknown, now: number): Subscription {
	const subscription = readBodyAs(subscriptionSchema, body, 'subscription');
	if (isExpired(subscription, now)) {
		throw new HttpError(422, 'invalid-subscription', 'expiresAt lies in the past.');
	}
	return subscription;
}

function notFound(): HttpError {
	return new HttpError(404, 'subscription-not-found', 'There is no subscription of this key.');
}
