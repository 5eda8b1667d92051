import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import { control, sendOne } from './client.ts';
import { ownSandbox } from './own.ts';

const SECRET = 'shared-secret-of-both';

let receiver: Server;
let url: string;
let received: Array<{ headers: IncomingHttpHeaders; body: string }>;
let sandbox: Sandbox;

beforeEach(async () => {
	received = [];
	receiver = createServer(async (request, response) => {
		const body = (await request.toArray()).join('');
		received.push({ headers: request.headers, body });
		response.writeHead(received.length === 1 ? 500 : 200, { 'content-type': 'text/plain' });
		response.end(`you sent ${request.headers['x-webhook-secret']}`);
	}).listen(0, '127.0.0.1');
	await new Promise((resolve) => receiver.once('listening', resolve));
	url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
	const webhooks = [{ url, secret: SECRET, signing: 'shared-secret' as const }];
	sandbox = await ownSandbox({ webhooks, webhookRetryDelaysMs: [1, 1] });
});

afterEach(async () => {
	receiver.closeAllConnections();
	await new Promise((resolve) => receiver.close(resolve));
});

const attempts = async (query: string) =>
	(await control(sandbox, `/webhook-attempts?${query}`, { method: 'GET' })).json.webhookAttempts;

it('has payload and answer of each attempt, and no secret', async () => {
	const messageId = await sendOne(sandbox, { type: 'AES' });
	const all = await attempts('count=2&wait=20');
	const common = { url, events: [{ event: 'aes_sent', messageId }], resendOf: null, error: null };
	expect(all).toMatchObject([
		{ ...common, attempt: 2, status: 200 },
		{
			...common,
			attempt: 1,
			status: 500,
			headers: { 'content-type': 'application/json', 'x-webhook-secret': '***' },
			body: { text: received[0]?.body },
			answer: { headers: { 'content-type': 'text/plain' }, body: { text: 'you sent ***' } },
		},
	]);
	expect(JSON.stringify(all)).not.toContain(SECRET);
	const ids = all.map(({ id }: { id: number }) => id).reverse();
	expect(await attempts('status=5xx')).toMatchObject([{ id: ids[0] }]);
	expect(await attempts(`messageId=${messageId}&event=aes_sent&text=YOU%20SENT`)).toHaveLength(2);
	expect(await attempts('event=aes_opened')).toEqual([]);
	const { json } = await control(sandbox, `/messages/${messageId}`, { method: 'GET' });
	expect(json.webhookAttempts.map(({ id }: { id: number }) => id)).toEqual(ids);
});

it('one sent again while the sandbox is reset is none of the new world', async () => {
	await sendOne(sandbox, { type: 'AES' });
	const [{ id }] = await attempts('status=2xx&wait=20');
	receiver.removeAllListeners('request');
	const asked = once(receiver, 'request');
	const again = control(sandbox, `/webhook-attempts/${id}/resend`);
	await asked;
	await control(sandbox, '/reset');
	expect((await again).status).toBe(409);
	expect(await attempts('')).toEqual([]);
});

it('sends one again, newly signed, and tells how that went', async () => {
	await sendOne(sandbox, { type: 'AES' });
	const [, first] = await attempts('count=2&wait=20');
	const { status, json } = await control(sandbox, `/webhook-attempts/${first.id}/resend`);
	expect(status).toBe(201);
	expect(json).toMatchObject({ attempt: 1, resendOf: first.id, status: 200 });
	expect(received[2]?.body).toBe(received[0]?.body);
	expect(received[2]?.headers['x-webhook-secret']).toBe(SECRET);
	expect((await control(sandbox, `/webhook-attempts/${json.id}`, { method: 'GET' })).json).toEqual(
		json,
	);
	expect((await control(sandbox, '/webhook-attempts/99/resend')).status).toBe(404);
	await control(sandbox, '/webhooks', { method: 'PUT', body: { webhooks: [] } });
	expect((await control(sandbox, `/webhook-attempts/${first.id}/resend`)).status).toBe(409);
});

it('notes an endpoint that does not answer', async () => {
	receiver.close();
	receiver.closeAllConnections();
	await sendOne(sandbox, { type: 'AES' });
	const [attempt] = await attempts('status=none&wait=20');
	expect(attempt).toMatchObject({
		status: null,
		error: expect.stringContaining('ECONNREFUSED'),
		answer: null,
	});
	receiver.listen(0);
});
