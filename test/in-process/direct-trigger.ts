// The direct trigger in n8n-core's own contexts, and the service's requests to it. What takes a request and starts
// an execution is part of n8n's server, not of its engine: the few lines below stand for it, and the real one
// is in test/real-n8n/trigger-direct.test.ts.
import express, { type Request } from 'express';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { RegisteredDeliveryDirectTrigger } from '../../nodes/RegisteredDeliveryDirectTrigger/RegisteredDeliveryDirectTrigger.node.ts';
import { serve, type HttpServer } from '../support/http-server.ts';
import { triggerContexts } from '../support/n8n-core.ts';
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

const node = new RegisteredDeliveryDirectTrigger();
let server: HttpServer;
let contexts: ReturnType<typeof triggerContexts>;
/** Items of each execution that the trigger started, in order. */
export const executions: IDataObject[][] = [];

/** Starts and stops the server around the tests of a file, and opens a workflow for each. */
export function useDirectTrigger(): void {
	beforeAll(async () => {
		const app = express();
		app.use(express.raw({ type: '*/*', limit: '16mb' }));
		app.post(/.*/, take);
		server = await serve(app);
	});
	afterAll(() => server.close());
	beforeEach(() => {
		executions.length = 0;
		open();
	});
}

async function take(request: Request, response: express.Response): Promise<void> {
	const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
	const given = Object.assign(request, { rawBody, body: parsed(rawBody) });
	const result = await node.webhook.call(contexts.webhook(given, response));
	for (const items of result.workflowData ?? []) executions.push(items.map(({ json }) => json));
	if (!result.noWebhookResponse) response.json(result.webhookResponse);
}

function parsed(rawBody: Buffer): unknown {
	try {
		return JSON.parse(rawBody.toString());
	} catch {
		return {};
	}
}

/** Opens a workflow; by default whole events come, so that a test sees all of them. */
export function open(
	parameters: INodeParameters = {},
	{ credential = HMAC, webhookUrl = server.url }: { credential?: object; webhookUrl?: string } = {},
): void {
	contexts = triggerContexts(node, {
		webhookUrl,
		parameters: { simplify: false, ...parameters },
		credentials: { registeredDeliveryWebhookApi: credential },
	});
}

/** What n8n does when a workflow is published. */
export const register = async () =>
	await node.webhookMethods.default.checkExists.call(contexts.registering());

export const messageId = (number = 0) => String(number).padStart(12, '0');
export const event = (name: string, change: object = {}) => ({
	id: `${name}-${messageId()}`,
	event: name,
	messageId: messageId(),
	timestamp: '2026-01-31T09:30:00.000Z',
	...change,
});

export const signed = (body: string, { key = secret, at = Date.now() } = {}) =>
	signedHeaders(body, key, at);

export async function post(body: string, headers: object): Promise<Response> {
	return await fetch(`${server.url}/x/events`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...headers },
		body,
	});
}

export async function send(payload: unknown, headers: object = {}): Promise<Response> {
	const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
	return await post(body, { ...signed(body), ...headers });
}
