import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_IN_SCENARIOS } from '../../../sandbox/src/control/built-in-scenarios.ts';
import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import { MESSAGE_STATUSES } from '../../../sandbox/src/world/model.ts';
import {
	advance,
	call,
	control,
	letter,
	person,
	send,
	sendOne,
	stateOf,
	statusOf,
} from './client.ts';
import { ownSandbox } from './own.ts';

let place: string;
beforeAll(async () => {
	place = await mkdtemp(join(tmpdir(), 'sandbox-scenarios-'));
});
afterAll(() => rm(place, { recursive: true }));

const play = (sandbox: Sandbox, name: string) => control(sandbox, `/scenarios/${name}`);

const EFFECTS: Record<string, (sandbox: Sandbox) => Promise<void>> = {
	'letters-in-every-state': async (sandbox) => {
		const { messages } = await stateOf(sandbox);
		const told = messages.map((one: { fileReference: string; status: string }) => [
			one.fileReference,
			one.status,
		]);
		const every = MESSAGE_STATUSES.map((status) => [`STATE-${status}`, status]);
		expect(told.sort()).toEqual(every.sort());
	},
	'bounced-mailing': async (sandbox) => {
		const { messages } = await stateOf(sandbox);
		const statuses = messages.map(({ status }: { status: string }) => status).sort();
		expect(statuses).toEqual([
			...Array.from({ length: 14 }, () => 'RECEIVED'),
			...Array.from({ length: 6 }, () => 'UNDELIVERED'),
		]);
	},
	'expired-certificate': async (sandbox) => {
		const { status, json } = await send(sandbox, letter({ type: 'LRE' }), { certificate: true });
		expect([status, json.code]).toEqual([405, 'lre-must-use-mtls']);
		expect((await send(sandbox, letter())).status).toBe(201);
	},
	'identity-ended': async (sandbox) => {
		expect((await send(sandbox, letter({ type: 'LRE' }), { certificate: true })).status).toBe(405);
	},
	'payment-refused': async (sandbox) => {
		const ids = [await sendOne(sandbox, {})];
		expect((await call(sandbox, '/messages/resend', { body: { ids } })).status).toBe(402);
	},
	'rate-limited': async (sandbox) => {
		const statuses = [];
		for (let index = 0; index < 6; index++)
			statuses.push((await call(sandbox, '/consents')).status);
		expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
		await advance(sandbox, 10_000);
		expect((await call(sandbox, '/consents')).status).toBe(200);
	},
	'service-down': async (sandbox) => {
		for (let index = 0; index < 3; index++) {
			const { status, headers } = await call(sandbox, '/consents');
			expect([status, headers['retry-after']]).toEqual([503, '60']);
		}
		await advance(sandbox, 60_000);
		expect((await call(sandbox, '/consents')).status).toBe(200);
	},
	'lost-answers': async (sandbox) => {
		const outcomes = [];
		for (let index = 0; index < 12; index++)
			outcomes.push(
				await send(sandbox, letter()).then(
					({ status }) => status,
					() => 'lost',
				),
			);
		const lost = outcomes.filter((outcome) => outcome === 'lost').length;
		expect(lost).toBeGreaterThan(0);
		expect(lost).toBeLessThan(12);
		expect((await stateOf(sandbox)).messages).toHaveLength(12);
	},
	'slow-service': async (sandbox) => {
		const startedAt = performance.now();
		expect((await call(sandbox, '/consents')).status).toBe(200);
		// Timers may be a millisecond early.
		expect(performance.now() - startedAt).toBeGreaterThan(48);
	},
};

it.each(Object.keys(BUILT_IN_SCENARIOS))('%s does what it says', async (name) => {
	const sandbox = await ownSandbox();
	const { status, json } = await play(sandbox, name);
	expect([status, json.name]).toEqual([200, name]);
	await EFFECTS[name]?.(sandbox);
	expect(EFFECTS).toHaveProperty(name);
	await control(sandbox, '/reset');
	expect((await call(sandbox, '/consents')).status).toBe(200);
	expect((await control(sandbox, '/latency', { method: 'GET' })).json.rules).toEqual([]);
});

it('lists them with what they do, and names them when asked for another', async () => {
	const sandbox = await ownSandbox();
	const { json } = await control(sandbox, '/scenarios', { method: 'GET' });
	expect(json.scenarios).toEqual(
		Object.entries(BUILT_IN_SCENARIOS).map(([name, { description }]) => ({ name, description })),
	);
	for (const name of ['nonsense', 'constructor']) {
		const { status, json: refused } = await play(sandbox, name);
		expect([status, refused.message]).toEqual([404, expect.stringContaining('bounced-mailing')]);
	}
});

const own = (steps: object[]) =>
	JSON.stringify({ scenarios: { 'two-letters': { description: 'Two letters', steps } } });

it.each(['scenarios.json in the folder', 'a file of an option'])(
	'plays those of %s',
	async (where) => {
		const file = join(place, where.startsWith('a') ? 'elsewhere.json' : 'scenarios.json');
		await writeFile(
			file,
			own([
				{ call: 'reset' },
				{ call: 'setClock', with: { now: '2030-01-01T00:00:00Z', frozen: true } },
				{ call: 'placeLetters', with: { letters: [{ type: 'AES', email: 'never@mail.example' }] } },
				{ call: 'setKyc', with: { name: 'direct', valid: false } },
			]),
		);
		const options = where.startsWith('a') ? { scenarios: file } : { folder: place };
		const sandbox = await ownSandbox(options);
		await sendOne(sandbox, person('never'));
		const { json } = await play(sandbox, 'two-letters');
		expect(json.answers.map((one: { call: string }) => one.call)).toEqual([
			'reset',
			'setClock',
			'placeLetters',
			'setKyc',
		]);
		const [{ id }] = json.answers[2].answer.messages;
		expect(await statusOf(sandbox, id)).toBe('SENT');
		const { now, messages, accounts } = await stateOf(sandbox);
		expect([now, messages.length, accounts[0].kyc]).toEqual(['2030-01-01T00:00:00.000Z', 1, false]);
	},
);

it.each([
	['no JSON', '{', 'not JSON'],
	['no steps', own([]), 'two-letters.steps'],
	['a call that is none', own([{ call: 'sendMoney' }]), 'step 1 (sendMoney): use one of getState'],
	[
		'a wrong call',
		own([{ call: 'reset' }, { call: 'advanceClock', with: { ms: -1 } }]),
		'two-letters, step 2 (advanceClock): ms',
	],
	['a part of the path that is missing', own([{ call: 'setKyc', with: { valid: true } }]), 'name'],
	[
		'a name that is taken',
		JSON.stringify({
			scenarios: { 'service-down': { description: 'Mine', steps: [{ call: 'reset' }] } },
		}),
		'has a scenario service-down already',
	],
])('does not start with %s, and says what and where', async (_title, text, message) => {
	const file = join(place, 'wrong.json');
	await writeFile(file, text);
	await expect(ownSandbox({ scenarios: file })).rejects.toThrow(message);
	await expect(ownSandbox({ scenarios: file })).rejects.toThrow(file);
});

it('does not start without the file that is asked for', async () => {
	await expect(ownSandbox({ scenarios: join(place, 'none.json') })).rejects.toThrow('no such file');
});

it('stops at the first call that is not possible, and says which', async () => {
	const file = join(place, 'impossible.json');
	const letters = [{ type: 'AES', email: 'never@mail.example', happens: ['accept'] }];
	await writeFile(file, own([{ call: 'placeLetters', with: { letters } }, { call: 'reset' }]));
	const { status, json } = await play(await ownSandbox({ scenarios: file }), 'two-letters');
	expect([status, json.message]).toEqual([409, expect.stringContaining('letters.0')]);
});
