// Send Letter with its letters watched, by a real receiver that polls the sandbox.
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import type { WatchView } from '../../webhook-receiver/src/core/event-contract.ts';
import { cleanUp, later, start, TOKEN as managementToken } from '../contract/receiver/harness.ts';
import { runNode, type RunOptions } from '../support/n8n-core.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { sandboxState, serviceCredential } from '../support/sandbox.ts';
import { useStrictSandbox } from './services.ts';

const SENDS = { method: 'POST', path: '/messages/bulk_send' } as const;

const sandbox = useStrictSandbox();
let receiver: Awaited<ReturnType<typeof start>>;
let unaware: typeof receiver;
let page: Proxy;

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
	page = await startProxy({ targets: () => [receiver.url], isPage: () => true });
	later(() => page.close());
});
afterAll(cleanUp);

async function send(
	options: object,
	change: { receiverUrl?: string; managementToken?: string } | null = {},
	count = 1,
	more: Partial<RunOptions> = {},
) {
	return await runNode(new SendLetter(), {
		...more,
		items: Array.from({ length: count }, (_, n) => ({ json: { n } })),
		parameters: {
			type: 'LRE',
			body: '<p>Hello</p>',
			recipientsFrom: 'json',
			recipientsJson: [{ email: 'accept@recipients.example', firstname: 'A', lastname: 'M' }],
			options,
		} as RunOptions['parameters'],
		credentials: {
			registeredDeliveryApi: serviceCredential(sandbox, 'direct'),
			...(change !== null && {
				registeredDeliveryReceiverApi: { receiverUrl: receiver.url, managementToken, ...change },
			}),
		},
	});
}

async function watches(): Promise<WatchView[]> {
	return (await receiver.manage('GET', '/watches?limit=500')).body.data as WatchView[];
}

it('has the letters watched, with their type and references, in one request', async () => {
	const { items, error } = await send(
		{ watch: true, fileReference: 'INV-1', customerReference: '=C-{{ $json.n }}' },
		{},
		3,
	);
	expect(error).toBeUndefined();
	expect(items?.every(({ json }) => !('watch' in json))).toBe(true);
	const ids = items?.map(({ json }) => json.messageId);
	const all = (await watches()).filter(({ messageId }) => ids?.includes(messageId));
	expect(all.map(({ customerReference }) => customerReference).sort()).toEqual([
		'C-0',
		'C-1',
		'C-2',
	]);
	expect(all).toMatchObject(all.map(() => ({ messageType: 'LRE', fileReference: 'INV-1' })));
});

it.each([false, true])(
	'has those watched that left before a failure stopped the run, Retry On Fail %s',
	async (retryOnFail) => {
		const before = (await sandboxState(sandbox)).messages.map(({ id }) => id);
		await sandbox.control('POST /faults', {
			faults: [{ ...SENDS, fault: { kind: 'status', status: 422 }, skip: 2, times: null }],
		});
		const { error } = await send({ watch: true, concurrency: 1 }, {}, 4, { retryOnFail });
		expect(error).toBeDefined();
		const sent = (await sandboxState(sandbox)).messages.filter(({ id }) => !before.includes(id));
		expect(sent).toHaveLength(2);
		const watched = (await watches()).map(({ messageId }) => messageId);
		expect(watched).toEqual(expect.arrayContaining(sent.map(({ id }) => id)));
	},
);

it('watches nothing unless asked to', async () => {
	const before = await watches();
	await send({});
	await send({ watch: false });
	expect(await watches()).toHaveLength(before.length);
});

const SENT =
	'The letter was sent; do not send it again. To have it watched, correct this and send PUT /watches/<message ID> to the receiver, or use Await Outcome.';

it.each([
	[
		'a wrong token',
		() => ({ managementToken: 'wrong' }),
		/^The webhook receiver does not accept the Management Token of the credential\. The letter/,
	],
	[
		'a receiver that is down',
		() => ({ receiverUrl: 'http://127.0.0.1:9' }),
		/^The webhook receiver cannot be reached\. .* Reported as ECONNREFUSED\. Check the Receiver URL of the credential\. The letter/,
	],
	[
		'one that knows no service',
		() => ({ receiverUrl: unaware.url }),
		/^The webhook receiver does not watch it: .*Set SERVICE_URL.*\. The letter/,
	],
	[
		'a page with status 200',
		() => ({ receiverUrl: page.url }),
		/^The server at the Receiver URL is not a webhook receiver\. Check the Receiver URL.* The letter/,
	],
])('a letter stays sent whatever comes of watching it: %s', async (_, change, words) => {
	const { messages } = await sandboxState(sandbox);
	const { items, error } = await send({ watch: true }, change());
	expect(error).toBeUndefined();
	const json = items?.[0]?.json ?? {};
	expect(json.messageId).toMatch(/^\d{12}$/);
	expect(json.watch).toEqual({ error: expect.stringMatching(words) });
	expect((json.watch as { error: string }).error.endsWith(` ${SENT}`)).toBe(true);
	expect(JSON.stringify(json)).not.toContain(managementToken);
	expect((await sandboxState(sandbox)).messages).toHaveLength(messages.length + 1);
});

it('sends nothing where the receiver’s credential is not chosen, or gone', async () => {
	const { messages } = await sandboxState(sandbox);
	const { error } = await send({ watch: true }, null);
	expect(error?.message).toMatch(/^Watch: It needs your webhook receiver: choose its credential/);
	expect((await sandboxState(sandbox)).messages).toHaveLength(messages.length);
});
