import { startSandbox, type Sandbox } from '../../../sandbox/src/sandbox.ts';
import { serve, type HttpServer } from '../../support/http-server.ts';
import { advance, call, control, person, sendOne, stateOf } from './client.ts';

let sandbox: Sandbox;
let target: HttpServer;
let bodies: unknown[];

beforeEach(async () => {
	bodies = [];
	target = await serve(async (request, response) => {
		let raw = '';
		for await (const chunk of request) raw += chunk;
		bodies.push(JSON.parse(raw));
		response.writeHead(204).end();
	});
	// A minute between the steps of a message, and none happens until the clock is advanced.
	sandbox = await startSandbox({ deliveryDelayMs: 60_000, openDelayMs: 60_000 });
});
afterEach(async () => {
	await sandbox.close();
	await target.close();
});

const subscribe = (options: object) => {
	const webhooks = [{ url: `${target.url}/`, secret: 's', ...options }];
	return control(sandbox, '/webhooks', { method: 'PUT', body: { webhooks } });
};
const arrived = async (count: number) => {
	const deadline = Date.now() + 20_000;
	while (bodies.length < count && Date.now() < deadline)
		await new Promise((resolve) => setTimeout(resolve, 5));
	return bodies as Array<{ event: string; messageId: string }>;
};
const live = async () => {
	const id = await sendOne(sandbox, { type: 'AES', ...person('open') });
	await advance(sandbox, 600_000);
	return id;
};

it('[STAT-01][STAT-02][STAT-03][S] a batch holds what happened together, in order', async () => {
	await subscribe({ batch: { size: 3, as: 'array' }, waitMs: 10_000 });
	await live();
	const [batch] = (await arrived(1)) as unknown as Array<Array<{ event: string }>>;
	expect(batch?.map(({ event }) => event)).toEqual(['aes_sent', 'aes_received', 'aes_opened']);
});

it('a batch that does not fill goes out after its wait', async () => {
	// Longer than a busy machine takes from the first event to the last.
	await subscribe({ batch: { size: 100, as: 'events' }, waitMs: 2_000 });
	await live();
	const [batch] = (await arrived(1)) as unknown as Array<{ events: unknown[] }>;
	expect(batch?.events).toHaveLength(3);
});

it('repeats each event, the very same', async () => {
	await subscribe({ duplicates: 1 });
	await live();
	const events = await arrived(6);
	expect(events.map(({ event }) => event)).toEqual(
		['aes_sent', 'aes_received', 'aes_opened'].flatMap((name) => [name, name]),
	);
	expect(events[0]).toEqual(events[1]);
});

it('swaps pairs of events', async () => {
	await subscribe({ reorder: true, waitMs: 2_000 });
	await live();
	const names = (await arrived(3)).map(({ event }) => event);
	expect(names).toEqual(['aes_received', 'aes_sent', 'aes_opened']);
});

it('tells how events go out, but no secret; and publishes its key', async () => {
	await subscribe({ shape: 'nested', signing: 'jwks' });
	const { webhooks } = await stateOf(sandbox);
	expect(webhooks.endpoints).toEqual([
		{ url: expect.any(String), shape: 'nested', signing: 'jwks' },
	]);
	const keys = await call(sandbox, '/_sandbox/jwks.json', { as: null });
	expect(keys.json.keys).toHaveLength(1);
});

it.each([
	['an unknown shape', { shape: 'round' }],
	['a batch where a header names the event', { shape: 'header', batch: { size: 2, as: 'array' } }],
	['a Standard Webhooks secret without prefix', { signing: 'standard' }],
])('refuses %s', async (_title, options) => {
	expect((await subscribe(options)).status).toBe(422);
});
