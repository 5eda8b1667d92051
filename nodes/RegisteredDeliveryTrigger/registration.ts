import { createHash } from 'crypto';
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import {
	type Subscription,
	type SubscriptionFilter,
	storedSubscriptionSchema,
} from '../../webhook-receiver/src/contract';
import { readReceiver } from '../shared/receiver';
import { assertWebhookUrl } from '../shared/webhookUrl';
import { readAsked } from './asked';
import { askReceiver } from './askReceiver';
import { registrationKey } from './mode';
import { forgetSecret } from './secretMemory';
import { subscriptionSecret } from './subscriptionSecret';

/** n8n listens for a test event two minutes; the registration outlives that a little. */
const TEST_LIFETIME = 5 * 60 * 1000;

/** The secret both sides sign and verify with. */
export async function readSecret(
	context: IHookFunctions | IWebhookFunctions,
	key: string,
): Promise<string> {
	const { managementToken } = await readReceiver(context);
	return subscriptionSecret(managementToken, key);
}

/** Whether the receiver has this registration, just as the node wants it now. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	const { key, subscription } = await wanted(context);
	const stored = storedSubscriptionSchema.safeParse(await askReceiver(context, 'GET', key));
	return (
		stored.success &&
		fingerprint(describe(stored.data)) ===
			fingerprint(
				describe({
					...subscription,
					secretFingerprint: secretFingerprint(subscription.secret),
				}),
			)
	);
}

/** Makes the registration, or brings the one there is in line. */
export async function register(context: IHookFunctions): Promise<void> {
	const { key, subscription } = await wanted(context);
	forgetSecret(key);
	await askReceiver(context, 'PUT', key, subscription);
}

/** Ends the registration; one that is gone already is fine. */
export async function unregister(context: IHookFunctions): Promise<void> {
	// n8n calls `delete` the same way for both, but gives each the static data of its own registration.
	const isTest = context.getWorkflowStaticData('node').isTest === true;
	const key = registrationKey(context, isTest);
	forgetSecret(key);
	await askReceiver(context, 'DELETE', key);
}

async function wanted(
	context: IHookFunctions,
): Promise<{ key: string; subscription: Subscription }> {
	const isTest = context.getActivationMode() === 'manual';
	// For `unregister`, which n8n does not tell.
	context.getWorkflowStaticData('node').isTest = isTest;
	const key = registrationKey(context, isTest);
	return {
		key,
		subscription: {
			...readAsked(context),
			url: await readWebhookUrl(context),
			secret: await readSecret(context, key),
			expiresAt: isTest ? new Date(Date.now() + TEST_LIFETIME).toISOString() : null,
		},
	};
}

async function readWebhookUrl(context: IHookFunctions): Promise<string> {
	const { receiverUrl } = await readReceiver(context);
	const url = context.getNodeWebhookUrl('default') ?? '';
	assertWebhookUrl(context, url, receiverUrl);
	return url;
}

interface Comparable {
	url: string;
	events: readonly string[];
	filter?: SubscriptionFilter;
	batchSize: number;
	secretFingerprint: string;
}

// What makes two registrations the same: not when one ends, and not the order of what was chosen.
function describe({ url, events, filter, batchSize, secretFingerprint }: Comparable): unknown[] {
	const { messageTypes, statuses, fileReference, customerReference } = filter ?? {};
	return [
		url,
		[...events].sort(),
		[...(messageTypes ?? [])].sort(),
		[...(statuses ?? [])].sort(),
		fileReference ?? null,
		customerReference ?? null,
		batchSize,
		secretFingerprint,
	];
}

function fingerprint(value: unknown): string {
	return JSON.stringify(value);
}

function secretFingerprint(secret: string): string {
	return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}
