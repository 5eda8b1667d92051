// Workflows with the direct trigger, and the service's requests to them.
import type { INodeParameters } from 'n8n-workflow';

import { N8nLike } from './trigger-direct-n8n.ts';
import { signedHeaders } from '../support/signed-headers.ts';

export const secret = 'webhook-secret-of-the-test';
export const HMAC = {
	scheme: 'hmac',
	secrets: 'an-older-secret',
	otherSecret: secret,
	signatureHeader: 'X-Webhook-Signature',
	timestampHeader: 'x-webhook-timestamp',
	template: '{timestamp}.{body}',
};

export let n8n: N8nLike;
/** Message ids differ from test to test, since the memory of this process stays. */
export let test = 0;

/** Starts and stops the server around the tests of a file, and opens a workflow for each. */
export function useDirectTrigger(): void {
	beforeAll(async () => {
		n8n = await N8nLike.start();
	});
	afterAll(() => n8n.close());
	beforeEach(() => {
		test++;
		n8n.started.length = 0;
		open();
	});
	afterEach(() => jest.restoreAllMocks());
}

interface Opening {
	credential?: object;
	isTest?: boolean;
	webhookUrl?: string;
}

export function open(
	parameters: INodeParameters = {},
	{ credential = HMAC, isTest, webhookUrl }: Opening = {},
) {
	return n8n.open({
		// Whole events by default, so that a test sees all of them.
		parameters: { simplify: false, ...parameters },
		credentials: { registeredDeliveryWebhookApi: credential },
		isTest,
		webhookUrl,
	});
}

export const messageId = (number = 0) => String(test * 1000 + number).padStart(12, '0');
export const event = (name: string, change: object = {}) => ({
	id: `${name}-${messageId()}`,
	event: name,
	messageId: messageId(),
	timestamp: '2026-01-31T09:30:00.000Z',
	...change,
});

export function signed(
	body: string,
	{ key = secret, at = Date.now() } = {},
): Record<string, string> {
	return signedHeaders(body, key, at);
}

export async function send(payload: unknown, headers: Record<string, string> = {}) {
	const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
	return await n8n.post(body, { ...signed(body), ...headers });
}
