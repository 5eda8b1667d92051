// No letter goes out twice, whatever the network does.
import type { INodeExecutionData } from 'n8n-workflow';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { runNode, type InputItem, type RunOptions } from '../support/n8n-core.ts';
import { control, sandboxState, serviceCredential } from '../support/sandbox.ts';
import type * as Pauses from '../support/short-pauses.ts';

import { TOO_LONG, useStrictSandbox } from './services.ts';

// Hundreds of letters are asked to wait.
jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

const sandbox = useStrictSandbox();

const letters = (count: number): InputItem[] =>
	Array.from({ length: count }, (_, index) => ({
		json: { reference: `L-${index}`, email: `reader${index}@recipients.example` },
	}));

/** Sends a letter to each item's address; each has its own reference, unless it is left out. */
async function send(
	items: InputItem[],
	sendOptions: Record<string, unknown> = { fileReference: '={{ $json.reference }}' },
	runOptions: Partial<RunOptions> = {},
) {
	return await runNode(new SendLetter(), {
		parameters: {
			type: 'LS',
			body: '={{ $json.body ?? "<p>Dear reader</p>" }}',
			recipientsFrom: 'json',
			recipientsJson:
				'={{ [{ email: $json.email, firstname: $json.firstname ?? "A", lastname: "B" }] }}',
			options: sendOptions,
		} as RunOptions['parameters'],
		credentials: { registeredDeliveryApi: serviceCredential(sandbox, 'direct') },
		items,
		...runOptions,
	});
}

const faults = (...rules: object[]) => control(sandbox, 'POST', '/faults', { faults: rules });
const onSend = { method: 'POST', path: '/messages/bulk_send' };
const sends = async () =>
	(await sandboxState(sandbox)).requests.filter(({ path }) => path === onSend.path);
const messages = async () => (await sandboxState(sandbox)).messages;

/** What an output item says became of its letter. */
function verdict({ json }: INodeExecutionData): 'sent' | 'not sent' | 'unknown' {
	if (json.error === undefined) return 'sent';
	return String(json.error).startsWith('Outcome unknown') ? 'unknown' : 'not sent';
}

describe('a failed request', () => {
	it('can be sent again all the same, if the user says so', async () => {
		await faults({ ...onSend, fault: { kind: 'cutAfter' } });
		const { items, error } = await send(
			letters(1),
			{ ifOutcomeUnknown: 'sendAgain' },
			{ retryOnFail: true },
		);
		expect(error).toBeUndefined();
		expect(items.map(verdict)).toEqual(['sent']);
		expect(await messages()).toHaveLength(2);
	});

	it('in mid-mailing ends it; Retry On Fail sends what is left, and nothing again', async () => {
		await faults({ ...onSend, skip: 3, times: 1, fault: { kind: 'status', status: 422 } });
		const { items } = await send(letters(8), undefined, { retryOnFail: true });
		expect(items.map(verdict)).toEqual(Array(8).fill('sent'));
		const sent = await messages();
		expect(sent).toHaveLength(8);
		expect(new Set(sent.map(({ fileReference }) => fileReference)).size).toBe(8);
		// A retry answers what was sent before as the first try did, body included.
		expect(items.every(({ json }) => json.body === '<p>Dear reader</p>')).toBe(true);
	});
});

it('1,000 letters, the connection cut in every way, 429 and 503 in between, Retry On Fail on', async () => {
	await faults({
		...onSend,
		seed: 7,
		rates: {
			tooManyRequests: 0.04,
			unavailable: 0.04,
			unavailableSilent: 0.02,
			serverError: 0.02,
			badGateway: 0.02,
			cutBefore: 0.05,
			cutBody: 0.05,
			cutAfter: 0.05,
			cutAnswer: 0.05,
		},
	});
	// The first item is wrong, so that n8n runs the node again and again, as far as its setting goes.
	const items = letters(1001);
	items[0].json = { ...items[0].json, body: ' ' };
	const result = await send(
		items,
		{ fileReference: '={{ $json.reference }}', concurrency: 20 },
		{ onError: 'continueRegularOutput', retryOnFail: true },
	);

	expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
		items.map((_, item) => ({ item })),
	);
	const byReference = new Map<string, string[]>();
	for (const { id, fileReference } of await messages()) {
		const reference = String(fileReference);
		byReference.set(reference, [...(byReference.get(reference) ?? []), id]);
	}
	const rows = (count: number) => (count === 1 ? '1 row' : `${count} rows`);
	const counts = { sent: 0, 'not sent': 0, unknown: 0 };
	for (const [index, item] of result.items.entries()) {
		const held = byReference.get(`L-${index}`) ?? [];
		const outcome = verdict(item);
		counts[outcome]++;
		expect(held.length).toBeLessThanOrEqual(1);
		if (outcome === 'sent') expect(held).toEqual([item.json.messageId]);
		if (outcome === 'not sent') expect(held).toEqual([]);
	}
	expect(result.hints.at(-1)?.message).toBe(
		`${counts.sent} letters sent, ${rows(counts['not sent'])} not sent, ${rows(counts.unknown)} of unknown outcome.`,
	);
	expect(counts.sent).toBeGreaterThan(600);
	expect(counts.unknown).toBeGreaterThan(50);
	console.log(
		`1,001 items: ${JSON.stringify(counts)}; the service holds ${byReference.size} letters`,
	);
}, 180_000);

describe('letters that differ only in their recipients', () => {
	const together = { groupRecipients: true };

	it('1,000 go out in 4 requests, each item with its own id and address', async () => {
		const items = letters(1000);
		const result = await send(items, together);
		expect(await sends()).toHaveLength(4);
		const sent = new Map((await messages()).map(({ id, contact }) => [id, contact.email]));
		expect(sent.size).toBe(1000);
		for (const [index, { json, pairedItem }] of result.items.entries()) {
			expect(pairedItem).toEqual({ item: index });
			expect(sent.get(String(json.messageId))).toBe(items[index].json?.email);
			expect(json.messages).toEqual([{ id: json.messageId, email: items[index].json?.email }]);
		}
	});

	it('tell how the mailing ended', async () => {
		const { hints } = await send(letters(40), { concurrency: 1 });
		expect(hints).toMatchObject([{ message: '40 letters sent.', type: 'info' }]);
	});

	it('share attachments that are the same', async () => {
		const content = Buffer.from('the same bytes');
		const files = { data: { name: 'a.txt', type: 'text/plain', content } };
		const result = await runNode(new SendLetter(), {
			parameters: {
				type: 'LS',
				body: 'Hello',
				recipientsFrom: 'json',
				recipientsJson: '={{ [{ email: $json.email, firstname: "A", lastname: "B" }] }}',
				attachmentFields: 'data',
				options: together,
			} as never,
			credentials: { registeredDeliveryApi: serviceCredential(sandbox, 'direct') },
			items: letters(5).map((item) => ({ ...item, files })),
		});
		expect(result.error).toBeUndefined();
		expect(await sends()).toHaveLength(1);
		expect((await messages()).every(({ attachments }) => attachments.length === 1)).toBe(true);
	});

	it('[SEND-11][N] one the service refuses is named; the others say because of whom', async () => {
		const items = letters(1000);
		items[617].json = { ...items[617].json, firstname: TOO_LONG };
		const result = await send(items, together, { onError: 'continueRegularOutput' });
		expect(result.items.map(verdict).filter((one) => one === 'sent')).toHaveLength(750);
		expect(result.items[617].json).toMatchObject({
			error: expect.stringContaining('message-bad-contacts'),
			details: {
				description: expect.stringContaining(`<${String(items[617].json.email)}>, firstname`),
			},
		});
		expect(result.items[618].json.error).toBe(
			'Not sent: it went in one request with row 618, which the service rejected',
		);
		expect(await messages()).toHaveLength(750);
	});
});

it('[AUTH-05][N] a mailing waits at the rate limit of the service, as often as it takes', async () => {
	await control(sandbox, 'PUT', '/rate-limit', { requests: 4, seconds: 1 });
	const { items, error } = await send(letters(20), { concurrency: 20 });
	await control(sandbox, 'DELETE', '/rate-limit');
	expect(error).toBeUndefined();
	expect(items.map(verdict)).toEqual(Array(20).fill('sent'));
	expect(await messages()).toHaveLength(20);
	expect((await sends()).filter(({ status }) => status === 429).length).toBeGreaterThan(10);
}, 120_000);
