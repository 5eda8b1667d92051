// What Send Letter tells a real receiver that polls the sandbox: each letter is in its book from before it leaves, and
// watched once it was sent.
import type { IDataObject } from 'n8n-workflow';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { lettersSchema, type Letter } from '../../webhook-receiver/src/core/letter-contract.ts';
import { cleanUp, start, TOKEN as managementToken } from '../contract/receiver/harness.ts';
import { sendLetters, type Letters } from '../support/letters.ts';
import { runNode, type RunOptions } from '../support/n8n-core.ts';
import { byReceiver, sandboxState, serviceCredential } from '../support/sandbox.ts';
import { useStrictSandbox, watchingAt } from './services.ts';

const SENDS = { method: 'POST', path: '/messages/bulk_send' } as const;

const sandbox = useStrictSandbox();
let receiver: Awaited<ReturnType<typeof start>>;
let unaware: typeof receiver;

beforeAll(async () => {
	receiver = await start({ env: watchingAt(serviceCredential(sandbox, 'direct')) });
	unaware = await start();
});
afterAll(cleanUp);

async function send(
	options: object,
	change: { receiverUrl?: string; receiverToken?: string } = {},
	count = 1,
	{ to = ['accept'], ...more }: Letters & { to?: string[] } = {},
) {
	const follow = { ...byReceiver(receiver.url, managementToken), ...change };
	const recipientsJson = to.map((name) => ({
		email: `${name}@recipients.example`,
		firstname: 'A',
		lastname: 'M',
	}));
	return await sendLetters(serviceCredential(sandbox, 'direct', follow), {
		...more,
		items: Array.from({ length: count }, (_, n) => ({ json: { n } })),
		parameters: { type: 'LRE', recipientsJson },
		options,
	});
}

async function letters(search = '', { manage } = receiver): Promise<Letter[]> {
	const { status, body } = await manage('GET', `/letters?limit=500${search}`);
	expect(status).toBe(200);
	return lettersSchema.parse(body).data;
}

it('has the letters to all recipients in the book, with what is known of them, and watched', async () => {
	const { items, error } = await send(
		{ fileReference: 'INV-1', customerReference: '=C-{{ $json.n }}' },
		{},
		2,
		{ to: ['accept', 'refuse'] },
	);
	expect(error).toBeUndefined();
	const sent = items.flatMap(({ json }) => json.messages as IDataObject[]);
	const found = await letters('&fileReference=INV-1');
	expect(found.map(({ messageId, recipient }) => ({ id: messageId, email: recipient }))).toEqual(
		expect.arrayContaining(sent),
	);
	expect(found.map(({ customerReference }) => customerReference)).toEqual([
		'C-1',
		'C-1',
		'C-0',
		'C-0',
	]);
	expect(found).toMatchObject(
		found.map(() => ({
			type: 'LRE',
			outcome: 'open',
			workflow: { id: expect.any(String) },
			executionId: expect.any(String),
		})),
	);
	for (const { id } of sent) {
		const { body } = await receiver.manage('GET', `/watches/${String(id)}`);
		expect(body).toMatchObject({ messageType: 'LRE', fileReference: 'INV-1', endedAt: null });
	}
});

it('has all letters of a row with very many recipients in it', async () => {
	const to = Array.from({ length: 1001 }, (_, n) => `accept${n}`);
	const { items } = await send({}, {}, 1, { to });
	const last = (items[0].json.messages as IDataObject[]).at(-1);
	const { body } = await receiver.manage('GET', `/letters/${String(last?.id)}`);
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
		for (const { id } of sent) {
			expect((await receiver.manage('GET', `/watches/${id}`)).status).toBe(200);
		}
		// What was refused never left, and is not in the book.
		const known = (await letters()).map(({ messageId }) => messageId);
		expect(known).not.toContain(null);
	},
);

it('of an unknown outcome is in the book, until a person settles it', async () => {
	const fault = { kind: 'cutAnswer' } as const;
	await sandbox.control('POST /faults', { faults: [{ ...SENDS, fault, times: 1 }] });
	await sandbox.control('POST /faults', { faults: [{ ...SENDS, fault, times: 1 }] });
	const options = { customerReference: 'cut', fileReference: 'INV-1', sendOnceKey: 'INV-1' };
	const { error } = await send(options);
	expect(error?.message).toMatch(/^Outcome unknown/);
	const [letter] = await letters('&customerReference=cut&outcome=unknown');
	expect(letter).toMatchObject({ messageId: null, recipient: 'accept@recipients.example' });
	const { id } = (await sandboxState(sandbox)).messages.at(-1) as { id: string };
	await receiver.manage('POST', `/claims/${letter.claim}/sent`, { messageIds: [id] });
	expect(await letters('&customerReference=cut')).toMatchObject([
		{ messageId: id, outcome: 'open' },
	]);
	// To who sends it later it was sent like any other.
	const { items } = await send(options);
	expect(items).toMatchObject([
		{ json: { messageId: id, type: 'LRE', fileReference: 'INV-1', customerReference: 'cut' } },
	]);
});

it('is in the book of a receiver that has no access to the service, too', async () => {
	const { items, error, hints } = await send({}, { receiverUrl: unaware.url });
	expect(error).toBeUndefined();
	expect(hints).toEqual([]);
	expect(await letters('', unaware)).toMatchObject([{ messageId: items[0].json.messageId }]);
});

it.each([
	['resend', { messageIds: '={{ $json.id }}' }],
	['resendTo', { messageId: '={{ $json.id }}', sendTo: 'originalContact' }],
])('a letter that is sent again is another one: %s', async (operation, parameters) => {
	const { items } = await send({});
	const { items: again, error } = await runNode(new SendLetter(), {
		items: [{ json: { id: items[0].json.messageId } }],
		parameters: { operation, ...parameters } as RunOptions['parameters'],
		credentials: {
			registeredDeliveryApi: serviceCredential(
				sandbox,
				'direct',
				byReceiver(receiver.url, managementToken),
			),
		},
	});
	expect(error).toBeUndefined();
	const id = String(again[0].json.messageId);
	const [letter] = await letters();
	expect(letter).toMatchObject({ messageId: id, recipient: null, outcome: 'open' });
	expect(letter.workflow).not.toBeNull();
	expect((await receiver.manage('GET', `/watches/${id}`)).status).toBe(200);
});
