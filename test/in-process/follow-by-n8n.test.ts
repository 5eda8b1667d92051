// Where n8n itself follows: what its own API may answer, and keys that end, in n8n's own engine. What is the same
// whoever follows stands in await-consent.test.ts, what only a whole n8n can show in test/real-n8n/.
import { parse, stringify } from 'flatted';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { until } from '../contract/receiver/harness.ts';
import { poster } from '../contract/receiver/watching/poster.ts';
import { useForwardProxy } from '../support/forward-proxy.ts';
import {
	byN8n,
	sandboxState,
	serviceCredential,
	startStrictSandbox,
	type Fault,
	type Trigger,
} from '../support/sandbox.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { tested } from './services.ts';
import {
	errorOf,
	goneOn as ended,
	isAsleep,
	left,
	SleepingN8n,
	waitOf,
	type Execution,
	type Published,
	type StartOptions,
} from './sleeping-n8n.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withHurriedClock(),
);

let sandbox: Sandbox;
let service: ReturnType<typeof poster>;
let n8n: SleepingN8n;
const open: Published[] = [];

beforeAll(async () => {
	sandbox = await startStrictSandbox();
	service = poster(sandbox);
});

beforeEach(async () => {
	n8n = await SleepingN8n.start(new AwaitOutcome());
});

// What is left of a test is forgotten at the next look, of which there is one at once where all have left.
afterEach(async () => {
	for (const published of open.splice(0)) await published.unpublish();
	n8n.apiInstead = null;
	const isOver = ![...n8n.executions.values()].some(isAsleep);
	n8n.executions.clear();
	await new Promise((resolve) => setTimeout(resolve, isOver ? 200 : 1_500));
	n8n.close();
});

afterAll(async () => {
	await sandbox.close();
});

let last = 0;

async function letter(type = 'LRE') {
	const name = `reader${++last}`;
	const recipients = [{ email: `${name}@x.example`, firstname: 'Ada', lastname: 'Martin' }];
	const messageId = await service.send({ type, body: '<p>Dear reader</p>', recipients });
	return { json: { name, messageId, type } };
}

const settle = async ({ json: { messageId } }: Awaited<ReturnType<typeof letter>>, how: Trigger) =>
	await sandbox.control('POST /messages/{id}/{trigger}', { id: messageId, trigger: how });

const credentials = (change: object = {}) => ({
	registeredDeliveryApi: serviceCredential(sandbox, 'direct', {
		...byN8n(n8n.url, n8n.apiKey),
		...change,
	}) as ReturnType<typeof serviceCredential> & { n8nApiKey: string },
});

const run = async ({ parameters, ...options }: Partial<StartOptions>) =>
	await n8n.run({
		credentials: credentials(),
		...options,
		parameters,
	});

/** It is read before it sleeps, and once more when it is found. */
const isFound = async ({ id }: Execution) => {
	const reads = () => n8n.requests.filter((path) => path.endsWith(`/executions/${id}`)).length;
	await until(() => reads() > 1, 'it to be found');
};

/** It asks n8n twice more for what sleeps, so that it has had time for all that was to be done by now. */
const looksAgain = async () => {
	const looks = () => n8n.requests.filter((path) => path === 'GET /api/v1/executions').length;
	const before = looks();
	await until(() => looks() > before + 1, 'it to look again');
};

const outputs = (execution: Execution) => left(execution).map(([output]) => output);

/** A workflow until the test has ended. */
async function publish(change: object = {}) {
	const known = credentials(change);
	const published = await n8n.publish(known);
	open.push(published);
	return { ...published, known };
}

/** An execution that sleeps for a letter, of a workflow that is published. */
async function sleeping() {
	const published = await publish();
	const one = await letter();
	const execution = await run({ items: [one], mode: 'trigger' });
	expect(isAsleep(execution)).toBe(true);
	return { published, one, execution };
}

// What else it may answer for a while: follow-worlds.test.ts.
it('an API that fails for a while wakes nobody wrongly, and everybody later; nobody is told', async () => {
	const { published, one, execution } = await sleeping();
	let pages = 0;
	n8n.apiInstead = (_, response) => {
		pages++;
		response.send('n8n is starting up');
	};
	await settle(one, 'accept');
	await until(() => pages > 1, 'it to be answered so again');
	n8n.apiInstead = null;
	await ended(execution);
	expect([outputs(execution), execution.resumed]).toEqual([['Accepted'], 1]);
	expect(published.failures).toEqual([]);
});

it('a key that ends while it sleeps: told once, and read anew until it was replaced', async () => {
	const published = await publish();
	const one = await letter();
	// Asleep in another process, so that this one has to find it.
	const own = { id: '1', status: 'running', workflowId: 'workflow1' };
	n8n.apiInstead = (_, response) => response.json({ data: [], nextCursor: null, ...own });
	const execution = await run({ items: [one], mode: 'trigger' });
	n8n.apiInstead = null;
	n8n.apiKey = 'another-key-of-the-test';
	await settle(one, 'refuse');
	await until(() => published.failures.length > 0, 'it to be told');
	await looksAgain();
	expect(published.failures.map(({ message }) => message)).toEqual([
		'The n8n API key of the credential is not accepted. It has expired or was deleted: create another under Settings > n8n API and enter it in the credential.',
	]);
	expect(execution.resumed).toBe(0);
	published.known.registeredDeliveryApi.n8nApiKey = n8n.apiKey;
	await ended(execution);
	expect(outputs(execution)).toEqual(['Refused']);
});

it('the test of the credential says when the key ends', async () => {
	const exp = Date.now() / 1000 + 6 * 86_400;
	const claims = Buffer.from(JSON.stringify({ exp })).toString('base64url');
	n8n.apiKey = `head.${claims}.signature`;
	const { registeredDeliveryApi } = credentials();
	const { status, message } = await tested(registeredDeliveryApi);
	expect([status, message]).toEqual(['OK', expect.stringMatching(/The key expires on 20/)]);
});

describe('before it sleeps', () => {
	it.each<[string, object, string]>([
		['a wrong key', { n8nApiKey: 'wrong' }, 'The n8n API key of the credential is not accepted'],
		['nobody there', { n8nUrl: 'http://127.0.0.1:9' }, 'n8n cannot be reached at the n8n URL'],
	])('%s is said, and with On Error: Continue nothing passes for accepted', async (...given) => {
		const [, change, words] = given;
		const items = [await letter()];
		const failed = await run({ items, credentials: credentials(change) });
		expect(errorOf(failed)).toMatchObject({
			message: expect.stringContaining(words),
			description: 'Nobody was asked, and the execution did not go to sleep.',
		});
		const onError = 'continueRegularOutput';
		const goesOn = await run({ items, credentials: credentials(change), onError });
		expect(outputs(goesOn)).toEqual(['Pending']);
		const { status, message } = await tested(credentials(change).registeredDeliveryApi);
		expect([status, message]).toEqual(['Error', expect.stringContaining(words)]);
	});

	// The smallest: this n8n's credential, with address and key of a staging n8n.
	it.each<[string, object]>([
		['runs another workflow', { status: 'running', workflowId: 'workflow2' }],
		['has run the same workflow, copied', { status: 'success', workflowId: 'workflow1' }],
		['lets the same workflow sleep', { status: 'waiting', workflowId: 'workflow1' }],
	])('another n8n, whose execution of that number %s', async (_title, shown) => {
		n8n.apiInstead = ({ path }, response) =>
			response.json({ id: path.split('/').at(-1), data: [], nextCursor: null, ...shown });
		const execution = await run({ items: [await letter()] });
		expect(isAsleep(execution)).toBe(false);
		expect(errorOf(execution)?.message).toBe(
			'The n8n at the n8n URL of the credential is another one than this. Enter the address of this n8n in the credential, and a key of it.',
		);
	});

	it('one answer that goes wrong costs no execution', async () => {
		let asked = 0;
		const guard = n8n.apiInstead;
		n8n.apiInstead = (_, response) => {
			n8n.apiInstead = guard;
			asked++;
			response.status(500).send('Oops');
		};
		expect(isAsleep(await run({ items: [await letter()] }))).toBe(true);
		expect(asked).toBe(1);
	});

	it('a page in place of the API', async () => {
		n8n.apiInstead = (_, response) => response.send('<p>Sign in');
		expect(errorOf(await run({ items: [await letter()] }))?.message).toMatch(
			/^The server at the n8n URL did not answer as n8n's public API does/,
		);
	});
});

describe('the loop that wakes others', () => {
	/** One that falls asleep now. */
	async function expectAnotherToBeWoken() {
		const one = await letter();
		const execution = await run({ items: [one], mode: 'trigger' });
		await isFound(execution);
		await settle(one, 'accept');
		await ended(execution);
		expect([outputs(execution), execution.resumed]).toEqual([['Accepted'], 1]);
	}

	it('outlives what n8n throws when it is to tell of a failure', async () => {
		const published = await publish();
		let thrown = 0;
		published.failures.push = () => {
			thrown++;
			throw new Error('no room in the database');
		};
		const { apiKey } = n8n;
		n8n.apiKey = 'another-key-of-the-test';
		await until(() => thrown > 0, 'it to be told');
		n8n.apiKey = apiKey;
		await expectAnotherToBeWoken();
	});

	it('is not held up by an execution that it cannot read', async () => {
		await publish();
		const broken = await run({ items: [await letter()], mode: 'trigger' });
		delete waitOf(broken)?.subjects;
		broken.stored = stringify(broken.run.data);
		await expectAnotherToBeWoken();
	});
});

it('a forward proxy reads no secret of a wake-up: it is told, and once that is named, it wakes', async () => {
	const { published, one, execution } = await sleeping();
	const proxy = await useForwardProxy('');
	await settle(one, 'accept');
	await until(() => published.failures.length > 0, 'it to be told');
	proxy.close();
	expect(published.failures.map(({ message }) => message)).toEqual([
		expect.stringMatching(
			/^Executions that sleep cannot be woken: by http:.*start n8n with 127\.0\.0\.1 in NO_PROXY/,
		),
	]);
	expect(proxy.passed.join()).not.toMatch(/signature|secret/);
	await ended(execution);
	expect(outputs(execution)).toEqual(['Accepted']);
});

describe('while it sleeps the credential comes to lead to another n8n', () => {
	it.each<[string, (execution: Execution) => object]>([
		[
			'that has such an execution of another workflow',
			() => ({ listed: [], shown: { workflowId: 'workflow2' } }),
		],
		[
			'where the same workflow, copied, sleeps in such an execution',
			(execution) => ({
				listed: [{ id: execution.id, waitTill: 'another' }],
				shown: {
					status: 'waiting',
					workflowId: 'workflow1',
					data: parse(
						execution.stored.replaceAll(waitOf(execution)?.byN8n?.instance ?? '', 'another'),
					) as object,
				},
			}),
		],
	])('%s: it is told, and once mended the execution is woken', async (_title, other) => {
		const { published, one, execution } = await sleeping();
		await isFound(execution);
		const { listed, shown } = other(execution) as { listed: object[]; shown: object };
		n8n.apiInstead = ({ path }, response) => {
			const { id } = execution;
			response.json(path === '/executions' ? { data: listed } : { id, ...shown });
		};
		await until(() => published.failures.length > 0, 'it to be told');
		expect(published.failures.map(({ message }) => message)).toEqual([
			'The n8n at the n8n URL of the credential is another one than this. Enter the address of this n8n in the credential, and a key of it.',
		]);
		await settle(one, 'accept');
		n8n.apiInstead = null;
		await ended(execution);
		expect([outputs(execution), execution.resumed]).toEqual([['Accepted'], 1]);
	});
});

it('is not published with a key that n8n refuses, but while n8n cannot be reached', async () => {
	await expect(publish({ n8nApiKey: 'wrong' })).rejects.toThrow(
		/n8n API key of the credential is not accepted/,
	);
	const away = await publish({ n8nUrl: 'http://127.0.0.1:9' });
	await away.unpublish();
	expect(away.failures).toEqual([]);
});

it('a service that refuses the token is told of once, and once more when it does so again later', async () => {
	const { published, one, execution } = await sleeping();
	const path = `/messages/${one.json.messageId}`;
	const asked = async () =>
		(await sandboxState(sandbox)).requests.filter((request) => request.path === path);
	const refuses = async (told: number) => {
		const fault: Fault = { kind: 'status', status: 401, message: 'No such token' };
		await sandbox.control('POST /faults', { faults: [{ path, fault, times: 2 }] });
		await until(() => published.failures.length >= told, 'it to be told');
		await until(async () => (await asked()).at(-1)?.status === 200, 'it to be answered again');
	};
	await refuses(1);
	await refuses(2);
	const messages = published.failures.map(({ message }) => message);
	expect(messages).toEqual(Array(2).fill('No such token (requested-fault)'));
	await settle(one, 'accept');
	await ended(execution);
});

it('waits as long as the service asks to', async () => {
	const one = await letter();
	await publish();
	const tooMany: Fault = { kind: 'status', status: 429, retryAfter: 150 };
	const path = `/messages/${one.json.messageId}`;
	await sandbox.control('POST /faults', { faults: [{ path, fault: tooMany, times: null }] });
	const execution = await run({ items: [one], mode: 'trigger' });
	const asleepSince = Date.now();
	const asked = async () =>
		(await sandboxState(sandbox)).requests
			.filter((request) => request.path === path)
			.map(({ at }) => Date.parse(at));
	await until(async () => (await asked()).length > 0, 'the first request');
	await sandbox.control('DELETE /faults');
	await settle(one, 'accept');
	await ended(execution);
	const [, second] = await asked();
	expect(second - asleepSince).toBeGreaterThanOrEqual(150_000);
	expect(outputs(execution)).toEqual(['Accepted']);
});

it('reads what is new, and asks the service once for what many wait for', async () => {
	const one = await letter();
	await publish();
	const executions: Execution[] = [];
	for (let n = 0; n < 20; n++) executions.push(await run({ items: [one], mode: 'trigger' }));
	const reads = () =>
		n8n.requests.filter((path) => /GET \/api\/v1\/executions\/\d+$/.test(path)).length;
	await until(() => reads() >= 40, 'all to be found');
	await looksAgain();
	// Once each before it sleeps, and once when it was found.
	expect(reads()).toBe(40);
	const { requests } = await sandboxState(sandbox);
	const asked = requests.filter(({ path }) => path === `/messages/${one.json.messageId}`);
	expect(asked.length).toBeLessThan(40);
	await settle(one, 'expire');
	for (const execution of executions) {
		await ended(execution);
		expect([outputs(execution), execution.resumed]).toEqual([['Expired'], 1]);
	}
});

const wakeUps = ({ id }: Execution) =>
	n8n.requests.filter((path) => path.startsWith(`POST /webhook-waiting/${id}/`)).length;

const HOUR = 3_600_000;

describe('the answer that counts', () => {
	/** Two that have slept for two days, with half an hour to go: by then each letter is asked for once an hour. */
	async function afterTwoDays() {
		await publish();
		const both = [await letter(), await letter()];
		const clock = jest.spyOn(Date, 'now');
		const now = clock.getMockImplementation() ?? (() => 0);
		const end = now() + 48 * HOUR;
		const execution = await run({
			items: both,
			mode: 'trigger',
			parameters: { deadlineMode: 'at', deadlineAt: new Date(end).toISOString() },
		});
		const paths = both.map(({ json }) => `/messages/${json.messageId}`);
		const lastAnswer = async () => {
			const { requests } = await sandboxState(sandbox);
			const answers = requests.filter(({ status }) => status === 200);
			const last = paths.map((one) => answers.filter(({ path }) => path === one).at(-1)?.at);
			return Math.min(...last.map((at) => Date.parse(at ?? '1970-01-01')));
		};
		await until(async () => (await lastAnswer()) > 0, 'the first answer');
		const goTo = (time: number) => {
			const shift = time - now();
			clock.mockImplementation(() => now() + shift);
		};
		goTo(end - HOUR / 2);
		await until(async () => (await lastAnswer()) >= end - HOUR / 2, 'an answer two days later');
		const back = () => clock.mockImplementation(now);
		return { both, execution, back, goToEnd: () => goTo(end) };
	}

	it('came just before the deadline: nobody leaves without a last look', async () => {
		const { both, execution, back, goToEnd } = await afterTwoDays();
		// The one that is asked for last.
		await settle(both[1], 'accept');
		goToEnd();
		await ended(execution);
		back();
		expect(outputs(execution)).toEqual(['Accepted', 'Pending']);
	});

	it('is not put off by a clock that is set back', async () => {
		const { both, execution, back } = await afterTwoDays();
		back();
		for (const one of both) await settle(one, 'refuse');
		await ended(execution);
		expect(outputs(execution)).toEqual(['Refused', 'Refused']);
	});

	it('[STAT-05][N] is that of mail that bounced and arrived after all', async () => {
		await publish();
		const { json } = await letter('AES');
		const execution = await run({
			items: [{ json }],
			mode: 'trigger',
			parameters: { options: { trackedMailGoal: 'received' } },
		});
		await settle({ json }, 'bounce');
		await settle({ json }, 'deliver');
		await ended(execution);
		expect(left(execution)).toMatchObject([
			[expect.any(String), { json: { outcome: { outcome: 'received' } } }],
		]);
	});

	it('is told once to an n8n that holds it, at its concurrency limit', async () => {
		await publish();
		const both = [await letter(), await letter()];
		const [first, second] = await Promise.all(
			both.map(async (one) => await run({ items: [one], mode: 'trigger' })),
		);
		const { promise, resolve: release } = Promise.withResolvers<void>();
		n8n.capacity = promise;
		for (const [at, execution] of [first, second].entries()) {
			await settle(both[at], 'accept');
			await until(() => wakeUps(execution) > 0, 'a wake-up');
		}
		expect(wakeUps(first)).toBe(1);
		release();
		for (const execution of [first, second]) await ended(execution);
		expect([first.resumed, second.resumed]).toEqual([1, 1]);
	});

	it('is told again where n8n did not let in what it held', async () => {
		const { one, execution } = await sleeping();
		n8n.capacity = Promise.reject(new Error('no room in the database'));
		n8n.capacity.catch(() => undefined);
		await settle(one, 'accept');
		await until(() => wakeUps(execution) > 1, 'another wake-up');
		n8n.capacity = Promise.resolve();
		await ended(execution);
		expect([outputs(execution), execution.resumed]).toEqual([['Accepted'], 1]);
	});

	it('of a letter is not held up by one that the service does not know', async () => {
		await publish();
		const one = await letter();
		const unknown = { json: { ...one.json, messageId: '999999999999' } };
		await run({ items: [unknown], mode: 'trigger' });
		const execution = await run({ items: [one], mode: 'trigger' });
		await settle(one, 'accept');
		await ended(execution);
		expect(outputs(execution)).toEqual(['Accepted']);
	});
});
