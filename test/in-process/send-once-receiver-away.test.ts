// Send Once Key while the receiver that keeps the keys goes away in mid-mailing.
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

import type { INodeType } from 'n8n-workflow';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { cleanUp, start, TOKEN } from '../contract/receiver/harness.ts';
import { serve, type HttpServer } from '../support/http-server.ts';
import { runNode, type RunOptions } from '../support/n8n-core.ts';
import { byReceiver, sandboxState, serviceCredential } from '../support/sandbox.ts';
import { useStrictSandbox } from './services.ts';

const sandbox = useStrictSandbox();
let receiver: Awaited<ReturnType<typeof start>>;
let between: HttpServer;
/** What becomes of the requests to the receiver, in order; those after the last get through. */
let fates: Array<'answer lost' | 'cut' | 'late' | { body: object }>;
/** Requests to the receiver so far. */
let requests = 0;
/** Requests whose connection is cut, and that reach the receiver only after the next claim. */
const late: string[] = [];
/** What was claimed once they had. */
let claimed: Array<{ name: string }> = [];

beforeAll(async () => {
	receiver = await start();
	between = await serve((incoming, outgoing) => {
		requests++;
		const fate = fates.shift();
		if (fate === 'cut') return void incoming.socket.destroy();
		if (typeof fate === 'object') {
			outgoing.setHeader('content-type', 'application/json');
			return void outgoing.end(JSON.stringify(fate.body));
		}
		if (fate === 'late') {
			return void text(incoming).then((body) => {
				late.push(body);
				incoming.socket.destroy();
			});
		}
		const { method, url, headers } = incoming;
		const passed = request(`${receiver.url}${url}`, { method, headers }, (answer) => {
			if (fate === 'answer lost')
				return void answer.resume().once('end', () => incoming.socket.destroy());
			void replayLate().then(() => {
				outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
				answer.pipe(outgoing);
			});
		});
		incoming.pipe(passed);
	});
});
afterAll(async () => {
	await between.close();
	await cleanUp();
});

/** Once something is claimed. */
async function replayLate(): Promise<void> {
	if (late.length === 0) return;
	const leaving = async () =>
		(await receiver.manage('GET', '/claims?state=leaving')).body.data as Array<{ name: string }>;
	if ((await leaving()).length === 0) return;
	for (const body of late.splice(0)) await receiver.manage('PUT', '/claims', JSON.parse(body));
	claimed = await leaving();
}

const send = (
	more: Partial<RunOptions> = {},
	options: object = {},
	node: INodeType = new SendLetter(),
) =>
	runNode(node, {
		parameters: {
			type: 'LS',
			body: '<p>Dear reader</p>',
			recipientsFrom: 'json',
			recipientsJson:
				'={{ [{ email: $json.key + "@recipients.example", firstname: "A", lastname: "B" }] }}',
			options: { sendOnceKey: '={{ $json.key }}', concurrency: 1, ...options },
		} as RunOptions['parameters'],
		credentials: {
			registeredDeliveryApi: serviceCredential(sandbox, 'direct', byReceiver(between.url, TOKEN)),
		},
		items: ['one', 'two'].map((key) => ({ json: { key } })),
		...more,
	});

describe('claims whose answer was lost: nothing left under them', () => {
	const lost = ['answer lost', 'cut', 'cut', 'cut'] as const;
	const items = (...keys: string[]) => ({ items: keys.map((key) => ({ json: { key } })) });

	it('are given back, whatever ends the run', async () => {
		fates = [...lost];
		const { error } = await send(items('lost-1', 'lost-2'), { concurrency: 2 });
		expect(error?.message).toMatch('The webhook receiver cannot be reached');
		const { body } = await receiver.manage('GET', '/claims?state=leaving');
		expect(body.data).toEqual([]);
	});

	it('do not count for two rows with one key, of which the other is another letter', async () => {
		const { messages } = await sandboxState(sandbox);
		fates = [...lost];
		const onError = 'continueRegularOutput' as const;
		const { items: both } = await send(
			{ ...items('one', 'other'), onError },
			{ sendOnceKey: 'lost-5' },
		);
		expect(both.map(({ json }) => json.error === undefined)).toEqual([false, true]);
		const { body } = await receiver.manage('GET', `/claims/${digestOf('lost-5')}`);
		const to = 'other@recipients.example';
		expect(body).toMatchObject({ state: 'sent', usedFor: { to } });
		expect((await sandboxState(sandbox)).messages).toHaveLength(messages.length + 1);
	});

	it('are given back by a later try of this process, where that was lost too', async () => {
		const { messages } = await sandboxState(sandbox);
		fates = [...lost, 'cut', 'cut', 'cut', 'cut'];
		await send(items('lost-3', 'lost-4'), { concurrency: 2 });
		expect((await sandboxState(sandbox)).messages).toHaveLength(messages.length);
		const { body } = await receiver.manage('GET', '/claims?state=leaving');
		expect(body.data).toHaveLength(2);

		const { items: sent } = await send(items('lost-3', 'lost-4'));
		expect(sent.map(({ json }) => json.alreadySent ?? false)).toEqual([false, false]);
		expect((await sandboxState(sandbox)).messages).toHaveLength(messages.length + 2);
	});
});

describe('an answer that says nothing of the keys ends the run at once, and nothing leaves', () => {
	const claim = (key: string, more: object = {}) => ({
		key: digestOf(key),
		state: 'leaving',
		mine: true,
		name: key,
		usedFor: null,
		answer: null,
		reason: null,
		leaseUntil: '2999-01-01T00:00:00.000Z',
		updatedAt: '2026-01-01T00:00:00.000Z',
		...more,
	});
	const other = claim('other');
	it.each<[string, object, string]>([
		['no list', {}, 'The server at the Receiver URL is not a webhook receiver'],
		['an empty list', [], 'it has 0 of 1 claims'],
		['one too many', [claim('odd'), other], 'it has 2 of 1 claims'],
		['another key', [other], 'claims.0 answers something else'],
		['no key', [{ state: 'leaving', mine: true }], 'claims.0.key: '],
		['null', [null], 'claims.0: '],
		['an unknown state', [claim('odd', { state: 'waiting' })], 'claims.0.state: '],
		['a free key, though it was claimed', [claim('odd', { state: 'free' })], 'claims.0 answers'],
	])('%s', async (_title, claims, words) => {
		const { messages } = await sandboxState(sandbox);
		fates = [{ body: { claims } }];
		const before = requests;
		const { error } = await send({ items: [{ json: { key: 'odd' } }] });
		expect(error?.message).toContain(words);
		expect(error?.description).toContain('it sent none');
		// The claim, and that it is given up.
		expect(requests - before).toBe(2);
		expect((await sandboxState(sandbox)).messages).toHaveLength(messages.length);
	});
});

it('keys with more kept under them than one answer may have are asked for in several requests', async () => {
	const { messages } = await sandboxState(sandbox);
	fates = [];
	const keys = Array.from({ length: 20 }, (_, n) => `large-${n}`);
	for (const key of keys) {
		const answer = { id: key, text: 'x'.repeat(250_000) };
		const sent = { state: 'sent', holder: 'who-sent-them-all', answer };
		expect((await receiver.manage('PUT', `/claims/${digestOf(key)}`, sent)).status).toBe(200);
	}
	const before = requests;
	const { items, error } = await send(
		{ items: [...keys, 'small'].map((key) => ({ json: { key } })) },
		{},
	);
	expect(error).toBeUndefined();
	expect(items.slice(0, 20).map(({ json }) => json.id)).toEqual(keys);
	expect((await sandboxState(sandbox)).messages).toHaveLength(messages.length + 1);
	// Of twenty, each half; the next one, and how that ended.
	expect(requests - before).toBe(5);
});

it('a limit that cannot be reckoned lets nothing out, and never puts out the input', async () => {
	const { messages } = await sandboxState(sandbox);
	fates = ['cut', 'cut', 'cut', 'cut'];
	const { items } = await send({ onError: 'continueRegularOutput' }, { maxLetters: 1 });
	expect(items).toMatchObject(
		[0, 1].map((item) => ({
			json: { error: 'The webhook receiver cannot be reached' },
			pairedItem: { item },
		})),
	);
	expect((await sandboxState(sandbox)).messages).toHaveLength(messages.length);
});

it('a look at the keys that arrives late releases none that was claimed since', async () => {
	fates = [];
	await send({ items: [{ json: { key: 'one' } }] });
	fates = ['late'];
	// One has been sent, so of three only two would go out.
	const { error } = await send(
		{ items: ['one', 'three', 'four'].map((key) => ({ json: { key } })) },
		{ maxLetters: 2, concurrency: 3 },
	);
	expect(error).toBeUndefined();
	expect(late).toEqual([]);
	expect(claimed.map(({ name }) => name).sort()).toEqual(['four', 'three']);
});

function digestOf(key: string): string {
	return createHash('sha256').update(key).digest('base64url');
}
