// Send Letter with its letters watched, by a real receiver that polls the sandbox.
import type { IDataObject } from 'n8n-workflow';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import {
	MOST_WATCHES_AT_ONCE,
	type WatchView,
} from '../../webhook-receiver/src/core/event-contract.ts';
import { cleanUp, later, start, TOKEN as managementToken } from '../contract/receiver/harness.ts';
import { runNode, type RunOptions } from '../support/n8n-core.ts';
import { serve, type HttpServer } from '../support/http-server.ts';
import { byReceiver, sandboxState, serviceCredential } from '../support/sandbox.ts';
import { useStrictSandbox } from './services.ts';

const SENDS = { method: 'POST', path: '/messages/bulk_send' } as const;

const sandbox = useStrictSandbox();
let receiver: Awaited<ReturnType<typeof start>>;
let unaware: typeof receiver;
let reluctant: HttpServer;

beforeAll(async () => {
	const { baseUrl, apiToken, caCertificate } = serviceCredential(sandbox, 'direct');
	receiver = await start({
		env: {
			SERVICE_URL: baseUrl,
			SERVICE_TOKEN: apiToken,
			SERVICE_CA: caCertificate,
			WATCH_DELAYS: '0s:1s',
		},
	});
	unaware = await start();
	reluctant = await serve((request, response) => {
		void (async () => {
			const { method = '', url = '' } = request;
			const isWatch = url === '/watches';
			const body = JSON.parse((await request.toArray()).join('')) as object;
			const answer = isWatch
				? { status: 503, body: { message: 'Not today' } }
				: await receiver.manage(method, url, body);
			response.writeHead(answer.status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(answer.body));
		})();
	});
	later(() => reluctant.close());
});
afterAll(cleanUp);

async function send(
	options: object,
	change: { receiverUrl?: string; receiverToken?: string } = {},
	count = 1,
	{ to = ['accept'], ...more }: Partial<RunOptions> & { to?: string[] } = {},
) {
	return await runNode(new SendLetter(), {
		...more,
		items: Array.from({ length: count }, (_, n) => ({ json: { n } })),
		parameters: {
			type: 'LRE',
			body: '<p>Hello</p>',
			recipientsFrom: 'json',
			recipientsJson: to.map((name) => ({
				email: `${name}@recipients.example`,
				firstname: 'A',
				lastname: 'M',
			})),
			options,
		} as RunOptions['parameters'],
		credentials: {
			registeredDeliveryApi: serviceCredential(sandbox, 'direct', {
				...byReceiver(receiver.url, managementToken),
				...change,
			}),
		},
	});
}

async function watches(): Promise<WatchView[]> {
	return (await receiver.manage('GET', '/watches?limit=500')).body.data as WatchView[];
}

it('has the letters to all recipients watched, with their type and references, in one request', async () => {
	const { items, error } = await send(
		{ fileReference: 'INV-1', customerReference: '=C-{{ $json.n }}' },
		{},
		2,
		{ to: ['accept', 'refuse'] },
	);
	expect(error).toBeUndefined();
	expect(items?.every(({ json }) => !('watch' in json))).toBe(true);
	const ids = items.flatMap(({ json }) => (json.messages as IDataObject[]).map(({ id }) => id));
	const all = (await watches()).filter(({ messageId }) => ids.includes(messageId));
	expect(all.map(({ customerReference }) => customerReference).sort()).toEqual([
		'C-0',
		'C-0',
		'C-1',
		'C-1',
	]);
	expect(all).toMatchObject(all.map(() => ({ messageType: 'LRE', fileReference: 'INV-1' })));
});

it('has more letters watched than one request may name', async () => {
	const to = Array.from({ length: MOST_WATCHES_AT_ONCE + 1 }, (_, n) => `accept${n}`);
	const { items } = await send({}, {}, 1, { to });
	const last = (items[0].json.messages as IDataObject[]).at(-1);
	const { body } = await receiver.manage('GET', `/messages/${last?.id as string}`);
	expect(body.watch).not.toBeNull();
});

it.each([false, true])(
	'has those watched that left before a failure stopped the run, Retry On Fail %s',
	async (retryOnFail) => {
		const before = (await sandboxState(sandbox)).messages.map(({ id }) => id);
		await sandbox.control('POST /faults', {
			faults: [{ ...SENDS, fault: { kind: 'status', status: 422 }, skip: 2, times: null }],
		});
		const { error } = await send({ concurrency: 1 }, {}, 4, { retryOnFail });
		expect(error).toBeDefined();
		const sent = (await sandboxState(sandbox)).messages.filter(({ id }) => !before.includes(id));
		expect(sent).toHaveLength(2);
		const watched = (await watches()).map(({ messageId }) => messageId);
		expect(watched).toEqual(expect.arrayContaining(sent.map(({ id }) => id)));
	},
);

it('sends where the receiver has no access to the service, and says nothing of it', async () => {
	const { items, error, hints } = await send({}, { receiverUrl: unaware.url });
	expect(error).toBeUndefined();
	expect(items[0].json).not.toHaveProperty('watch');
	expect(hints).toEqual([]);
});

it('a letter stays sent whatever comes of watching it', async () => {
	const { items, error } = await send({}, { receiverUrl: reluctant.url });
	expect(error).toBeUndefined();
	expect(items[0].json.messageId).toMatch(/^\d{12}$/);
	expect(items[0].json.watch).toEqual({
		error:
			'The webhook receiver does not watch it: Not today. The letter was sent; do not send it again. To have it watched, correct this and send PUT /watches/<message ID> to the receiver, or use Await Outcome.',
	});
});
