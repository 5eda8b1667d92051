// Send Once Key while the receiver that keeps the keys goes away in mid-mailing.
import { createHash } from 'node:crypto';

import { cleanUp, start, TOKEN, until } from '../contract/receiver/harness.ts';
import { sendLetters, type Letters } from '../support/letters.ts';
import { byReceiver, sandboxState, serviceCredential } from '../support/sandbox.ts';
import { Wire, type Fate } from '../support/wire.ts';
import { useStrictSandbox } from './services.ts';

const sandbox = useStrictSandbox();
let receiver: Awaited<ReturnType<typeof start>>;
let wire: Wire;
/** What becomes of the requests to the receiver, in order; those after the last get through. */
let fates: Fate[];

beforeAll(async () => {
	receiver = await start();
	wire = await Wire.open(receiver.url);
	wire.fate = () => fates.shift();
});
afterAll(async () => {
	wire.cut();
	await cleanUp();
});
beforeEach(() => {
	fates = [];
	wire.requests.length = 0;
});

const leaving = async () =>
	(await receiver.manage('GET', '/claims?state=leaving')).body.data as Array<{ name: string }>;
const sent = async () => (await sandboxState(sandbox)).messages.length;

const rows = (...keys: string[]) => ({
	items: keys.map((key) => ({ json: { key, email: `${key}@recipients.example` } })),
});
const send = async (letters: Letters, options: object = {}) =>
	await sendLetters(serviceCredential(sandbox, 'direct', byReceiver(wire.url, TOKEN)), {
		...letters,
		options: { sendOnceKey: '={{ $json.key }}', concurrency: 1, ...options },
	});

describe('claims whose answer was lost: nothing left under them', () => {
	const lost: Fate[] = ['loseAnswer', 'refuse', 'refuse', 'refuse'];

	it('are given back, whatever ends the run', async () => {
		fates = [...lost];
		const { error } = await send(rows('lost-1', 'lost-2'), { concurrency: 2 });
		expect(error?.message).toMatch('The webhook receiver cannot be reached');
		expect(await leaving()).toEqual([]);
	});

	it('do not count for two rows with one key, of which the other is another letter', async () => {
		fates = [...lost];
		const onError = 'continueRegularOutput' as const;
		const { items: both } = await send(
			{ ...rows('one', 'other'), onError },
			{ sendOnceKey: 'lost-5' },
		);
		expect(both.map(({ json }) => json.error === undefined)).toEqual([false, true]);
		const { body } = await receiver.manage('GET', `/claims/${digestOf('lost-5')}`);
		const to = 'other@recipients.example';
		expect(body).toMatchObject({ state: 'sent', usedFor: { to } });
		expect(await sent()).toBe(1);
	});

	it('are given back by a later try of this process, where that was lost too', async () => {
		fates = [...lost, ...Array<Fate>(4).fill('refuse')];
		await send(rows('lost-3', 'lost-4'), { concurrency: 2 });
		expect([await sent(), await leaving()]).toMatchObject([0, { length: 2 }]);

		const { items: later } = await send(rows('lost-3', 'lost-4'));
		expect(later.map(({ json }) => json.alreadySent ?? false)).toEqual([false, false]);
		expect(await sent()).toBe(2);
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
		fates = [{ body: JSON.stringify({ claims }) }];
		const { error } = await send(rows('odd'));
		expect(error?.message).toContain(words);
		expect(error?.description).toContain('it sent none');
		// The claim, and that it is given up.
		expect(wire.requests).toHaveLength(2);
		expect(await sent()).toBe(0);
	});
});

it('keys with more kept under them than one answer may have are asked for in several requests', async () => {
	const keys = Array.from({ length: 20 }, (_, n) => `large-${n}`);
	for (const key of keys) {
		const answer = { id: key, text: 'x'.repeat(250_000) };
		const settled = { state: 'sent', holder: 'who-sent-them-all', answer };
		expect((await receiver.manage('PUT', `/claims/${digestOf(key)}`, settled)).status).toBe(200);
	}
	const { items, error } = await send(rows(...keys, 'small'));
	expect(error).toBeUndefined();
	expect(items.slice(0, 20).map(({ json }) => json.id)).toEqual(keys);
	expect(await sent()).toBe(1);
	// Of twenty, each half; the next one, and how that ended.
	expect(wire.requests).toHaveLength(5);
});

it('a limit that cannot be reckoned lets nothing out, and never puts out the input', async () => {
	fates = Array<Fate>(4).fill('refuse');
	const { items } = await send(
		{ ...rows('one', 'two'), onError: 'continueRegularOutput' },
		{ maxLetters: 1 },
	);
	expect(items).toMatchObject(
		[0, 1].map((item) => ({
			json: { error: 'The webhook receiver cannot be reached' },
			pairedItem: { item },
		})),
	);
	expect(await sent()).toBe(0);
});

it('a look at the keys that arrives late releases none that was claimed since', async () => {
	await send(rows('one'));
	wire.requests.length = 0;
	fates = ['refuse'];
	const slow = { kind: 'delay', ms: 500 } as const;
	const path = '/messages/bulk_send';
	await sandbox.control('POST /faults', { faults: [{ path, fault: slow, times: null }] });
	// One has been sent, so of three only two would go out.
	const sending = send(rows('one', 'three', 'four'), { maxLetters: 2, concurrency: 3 });
	await until(async () => (await leaving()).length === 2, 'the claims of both');
	const [{ method, path: late, body }] = wire.requests;
	await receiver.manage(method, late, body);
	expect((await leaving()).map(({ name }) => name).sort()).toEqual(['four', 'three']);
	expect((await sending).error).toBeUndefined();
});

function digestOf(key: string): string {
	return createHash('sha256').update(key).digest('base64url');
}
