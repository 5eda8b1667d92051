// A Send Once Key stands for one letter: the same letter is answered from it, another is refused.
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { cleanUp, start, TOKEN } from '../contract/receiver/harness.ts';
import {
	accepted,
	arrived,
	readers,
	sendLetters,
	takeAll,
	type Letters,
	verdictOf,
} from '../support/letters.ts';
import { serve } from '../support/http-server.ts';
import type { RunResult } from '../support/n8n-core.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { byReceiver } from '../support/sandbox.ts';
import { useStub } from './services.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

const stub = useStub();
const elsewhere = useStub();
let keeping: Awaited<ReturnType<typeof start>>;
let receiver: object;

beforeAll(async () => {
	keeping = await start();
	receiver = byReceiver(keeping.url, TOKEN);
});
afterAll(cleanUp);

const CUSTOMER = '00000000-0000-4000-8000-0000000000c1';
const REFUSED = { status: 422, body: { message: 'No', code: 'not-allowed' } };
const person = (email: string) => ({ email, firstname: 'A', lastname: 'B' });

describe.each(['n8n', 'the receiver'])('kept by %s', (keeper) => {
	let keys = 0;
	let key: string;
	beforeEach(async () => {
		key = `${keeper}, Dossier Zoë-${++keys}`;
		const { items } = await send({});
		expect(items[0].json).toMatchObject({ messageId: expect.any(String) });
	});

	const send = async ({ options, ...more }: Letters, credential: object = stub.credential) =>
		await sendLetters(keeper === 'n8n' ? credential : { ...credential, ...receiver }, {
			options: { sendOnceKey: key, ...options },
			...more,
		});
	it.each<[string, () => Promise<unknown>, string]>([
		[
			'another address of the service',
			async () => await send({}, elsewhere.credential),
			'service address',
		],
		[
			'another account',
			async () =>
				await send(
					{ credentialIds: { registeredDeliveryApi: 'another' } },
					{ ...stub.credential, apiToken: 'another token' },
				),
			'account',
		],
		['another customer', async () => await send({ options: { sender: CUSTOMER } }), 'sender'],
		['another type', async () => await send({ parameters: { type: 'AS' } }), 'type'],
		[
			'another recipient',
			async () => await send({ items: [{ json: { email: 'other@x.example' } }] }),
			'recipients',
		],
		[
			'one recipient more',
			async () =>
				await send({
					parameters: {
						// Sorts behind the first.
						recipientsJson: [person('reader0@x.example'), person('second@x.example')],
					},
				}),
			'recipients',
		],
	])('refuses %s before anything leaves', async (_, sendOther, differs) => {
		const today = new Date().toISOString().slice(0, 10);
		expect(await sendOther()).toMatchObject({
			error: {
				message: `This key was used for a letter to reader0@x.example on ${today}. Nothing was sent for it. [row 1]`,
				description: expect.stringContaining(`differs in its ${differs}.`),
			},
		});
		expect([...arrived(stub), ...arrived(elsewhere)]).toHaveLength(1);
	});

	it('says in a hint if it holds in one n8n process only', async () => {
		const { hints } = await send({});
		const isTold = hints.some(({ message }) => message.includes('one n8n process'));
		expect(isTold).toBe(keeper === 'n8n');
	});

	it('answers the same letter to another spelling of the address', async () => {
		const to = (email: string) => ({
			options: { sendOnceKey: `${key} to Zoë` },
			items: [{ json: { email } }],
		});
		await send(to('zoë@bücher.example'));
		const { items } = await send(to('ZOE\u0308@xn--bcher-kva.example'));
		expect(items[0].json).toMatchObject({ alreadySent: true });
	});

	it.each<[string, Letters]>([
		['other content', { parameters: { body: '<p>Another text</p>' } }],
		['the address in capitals', { items: [{ json: { email: 'READER0@X.EXAMPLE' } }] }],
		[
			'a new token in the same credential',
			{ credentials: { registeredDeliveryApi: { apiToken: 'a new one' } } },
		],
		[
			'the same token in another credential',
			{ credentialIds: { registeredDeliveryApi: 'of another n8n' } },
		],
	])('answers the same letter with %s', async (_, { credentials, ...letters }) => {
		const credential = { ...stub.credential, ...credentials?.registeredDeliveryApi };
		const { items } = await send(letters, credential);
		expect(items[0].json).toMatchObject({ alreadySent: true, messageId: expect.any(String) });
		expect(arrived(stub)).toHaveLength(1);
	});

	// Which spellings are the same: unit/pack/keyForm.test.ts.
	it('is the same composed of letter and mark, as macOS names files', async () => {
		const { items } = await send({ options: { sendOnceKey: key.normalize('NFD') } });
		expect(items[0].json).toMatchObject({ alreadySent: true, messageId: expect.any(String) });
		expect(arrived(stub)).toHaveLength(1);
	});

	it.each<[string, string, RegExp]>([
		['nothing shows of', '\u200b\u00ad\u3164', /It is empty for this item/],
		['has half a character', 'Z\ud83d', /a broken character in it \(U\+D83D\)/],
	])('that %s fails', async (_, sendOnceKey, words) => {
		const { error } = await send({ options: { sendOnceKey } });
		expect(error?.message).toMatch(words);
		expect(arrived(stub)).toHaveLength(1);
	});

	it('taken over, it is unknown again when the second letter surely stayed, since the first may have gone', async () => {
		key = `${key}, taken over`;
		const take = async (ifOutcomeUnknown: string) => await send({ options: { ifOutcomeUnknown } });
		stub.answer = () => ({ status: 500, body: '' });
		expect((await take('fail')).error?.message).toMatch(/^Outcome unknown: /);
		stub.answer = () => REFUSED;
		expect((await take('sendAgain')).error?.message).toBe('No (not-allowed)');

		takeAll(stub);
		expect((await take('fail')).error?.message).toMatch(/^Outcome unknown: /);
		expect(arrived(stub)).toEqual([]);
		const { items } = await take('sendAgain');
		expect(items.map(({ json }) => json.alreadySent ?? false)).toEqual([false]);
	});

	it('of a rejected letter, it is free again while the others of the run go out', async () => {
		const letters = { options: { sendOnceKey: `=${key} {{ $json.at }}`, concurrency: 1 } };
		let again: RunResult | undefined;
		stub.answer = async (request) => {
			if (request.body.includes('reader0@')) return REFUSED;
			stub.answer = accepted;
			again = await send(letters);
			return accepted(request);
		};
		await send({ ...letters, items: readers(2), onError: 'continueRegularOutput' });
		expect(again?.items[0].json).toMatchObject({ messageId: expect.any(String) });
	});

	it('allowed to be sent again, it is not within the same run', async () => {
		stub.answer = () => ({ status: 502, body: '' });
		const { items } = await send({
			options: { sendOnceKey: `${key} again`, ifOutcomeUnknown: 'sendAgain' },
			items: [1, 1].map((at) => ({ json: { email: `reader${at}@x.example` } })),
			onError: 'continueRegularOutput',
		});
		expect(items.map(verdictOf)).toEqual(['unknown', 'unknown']);
		expect(arrived(stub)).toHaveLength(2);
	});

	it('in one run, too: one goes out, and the others are refused', async () => {
		key = `${key}, shared`;
		takeAll(stub);
		const { items } = await send({
			items: [1, 2, 1].map((at) => ({ json: { email: `reader${at}@x.example` } })),
			onError: 'continueRegularOutput',
		});
		expect(items.map(({ json }) => json)).toMatchObject([
			{ messageId: expect.any(String) },
			{ error: expect.stringMatching(/^This key was used for a letter to reader1@x.example on/) },
			{ alreadySent: true },
		]);
		expect(arrived(stub)).toHaveLength(1);
	});
});

it('the receiver hears of a letter for as long as it is under way', async () => {
	const leases: string[] = [];
	stub.answer = async (request) => {
		for (let look = 0; look < 2; look++) {
			const { body } = await keeping.manage('GET', '/claims?state=leaving');
			leases.push((body.data as Array<{ leaseUntil: string }>)[0].leaseUntil);
			await sleep(1_000);
		}
		return accepted(request);
	};
	await sendLetters({ ...stub.credential, ...receiver }, { options: { sendOnceKey: 'slow' } });
	expect(leases[1] > leases[0]).toBe(true);
});

it('of a letter to more people than the receiver keeps, it is answered without them', async () => {
	const people = Array.from({ length: 7_000 }, (_, at) => person(`reader${at}@x.example`));
	const letter = { parameters: { recipientsJson: people }, options: { sendOnceKey: 'to many' } };
	const sent = await sendLetters({ ...stub.credential, ...receiver }, letter);
	expect(sent.hints).toEqual([]);
	const { items } = await sendLetters({ ...stub.credential, ...receiver }, letter);
	expect(items[0].json).toMatchObject({ alreadySent: true });
	expect(arrived(stub)).toHaveLength(1);
});

it('of a rejected letter, it is free though word that it is under way was late at the receiver', async () => {
	let tell = () => {};
	const told = new Promise<void>((resolve) => (tell = resolve));
	const passing: Array<Promise<void>> = [];
	const between = await serve((incoming, outgoing) => {
		const pass = async () => {
			const { method, url, headers } = incoming;
			const body = await text(incoming);
			// Who claims a key says its name, who only renews the claim does not.
			if (body.includes('"leaving"') && !body.includes('"name"')) {
				tell();
				await sleep(500);
			}
			const { authorization = '' } = headers;
			const answer = await fetch(`${keeping.url}${url}`, {
				method,
				body,
				headers: { authorization, 'content-type': 'application/json' },
			});
			outgoing.setHeader('content-type', 'application/json').end(await answer.text());
		};
		passing.push(pass());
	});
	// The last of those that are claimed together: that it is free goes with the claim of the next.
	stub.answer = async (request) =>
		request.body.includes('reader19@') ? (await told, REFUSED) : accepted(request);
	const credential = { ...stub.credential, ...byReceiver(between.url, TOKEN) };
	const { items } = await sendLetters(credential, {
		items: readers(21),
		options: { sendOnceKey: '=told late {{ $json.at }}', concurrency: 1 },
		onError: 'continueRegularOutput',
	});
	expect(items.slice(19).map(verdictOf)).toEqual(['not sent', 'sent']);
	await Promise.all(passing);
	await between.close();
	const { body } = await keeping.manage('GET', '/claims?state=leaving');
	expect(body.data).toEqual([]);
});
