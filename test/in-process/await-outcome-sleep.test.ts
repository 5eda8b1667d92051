// Executions that sleep in Await Outcome and are woken by pulls, in n8n's own engine and against a real
// receiver. What only a whole n8n can show stands in test/real-n8n/await-outcome.test.ts.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import type { WaitView } from '../../webhook-receiver/src/core/wait-contract.ts';
import {
	cleanUp,
	later,
	start as startReceiver,
	TOKEN,
	until,
} from '../contract/receiver/harness.ts';
import { systemClock } from '../../webhook-receiver/src/time/clock.ts';
import { makeCertificate } from '../support/certificates.ts';
import { useForwardProxy } from '../support/forward-proxy.ts';
import { serve, type HttpServer } from '../support/http-server.ts';
import { protectFromSsrf } from '../support/n8n-core.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { byReceiver } from '../support/sandbox.ts';
import { Wire } from '../support/wire.ts';
import {
	errorOf,
	goneOn,
	isAsleep,
	left,
	originsOf,
	SleepingN8n,
	untilAsleep,
	waitOf as storedWaitOf,
	type Execution,
	type StartOptions,
} from './sleeping-n8n.ts';

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

let receiver: Receiver;
let n8n: SleepingN8n;

beforeEach(async () => {
	// n8n reads the names that are allowed once, with its first request.
	protectFromSsrf(false, ['localhost']);
	receiver = await startReceiver();
	n8n = await SleepingN8n.start(new AwaitOutcome());
	later(() => n8n.close());
});

// An execution that still waits would keep this process asking.
afterEach(async () => {
	await Promise.all(
		[...n8n.executions.values()].filter(isAsleep).map(async (execution) => {
			await receiver.manage('DELETE', `/waits/${sleeping(execution).waitId}`, undefined, token);
		}),
	);
	await until(async () => {
		const { body } = await receiver.manage('GET', '/batches?state=in-hand', undefined, token);
		return (body.data as object[]).length === 0;
	}, 'the receiver knows of each wake-up');
	await cleanUp();
	token = TOKEN;
});

const DAY = 86_400_000;

let token = TOKEN;
let last = 0;

const letters = (...names: string[]) =>
	names.map((name) => ({
		json: { name, messageId: String(++last).padStart(12, '0'), type: 'AES' },
	}));

const credentials = (change: object = {}) => ({
	registeredDeliveryApi: { ...byReceiver(receiver.url, token), ...change },
});

const run = async (options: Partial<StartOptions>) =>
	await n8n.run({ credentials: credentials(), ...options });

const asleep = async (options: Partial<StartOptions>) => await untilAsleep(run(options));

const sleeping = (execution: Execution) => storedWaitOf(execution)!;

async function waitOf(execution: Execution): Promise<WaitView> {
	const path = `/waits/${sleeping(execution).waitId}`;
	return (await receiver.manage('GET', path, undefined, token)).body as unknown as WaitView;
}

/** The service tells of letters, by their events. */
const told = async (
	...events: Array<[event: string, letter: ReturnType<typeof letters>[number]]>
) => {
	const timestamp = new Date().toISOString();
	const at = ([event, { json }]: (typeof events)[number]) => {
		return { event, messageId: json.messageId, timestamp };
	};
	await receiver.emit(events.map(at));
};

const opened = async (...items: ReturnType<typeof letters>) =>
	await told(...items.map((one): ['aes_opened', typeof one] => ['aes_opened', one]));

const ended = async (execution: Execution) => {
	await goneOn(execution);
	await until(async () => (await waitOf(execution)).state !== 'in-hand', 'the receiver knows');
};

const brief = (execution: Execution) =>
	left(execution).map(([output, { json }]) => [
		output,
		json.name,
		(json.outcome as { outcome?: unknown } | undefined)?.outcome,
	]);

describe('a manual run, which nobody else pulls for', () => {
	it('sleeps, is woken by its own process, and the pulling ends by itself', async () => {
		const [a, b] = letters('a', 'b');
		const execution = await asleep({ items: [a, b] });
		expect(await waitOf(execution)).toMatchObject({ state: 'open', attempts: 0 });
		await told(['aes_opened', b], ['aes_failed', a]);
		await ended(execution);
		expect(brief(execution)).toEqual([
			['Opened', 'b', 'opened'],
			['Expired', 'a', 'failed'],
		]);
		expect(left(execution).map(([, { pairedItem }]) => pairedItem)).toEqual([
			{ item: 1 },
			{ item: 0 },
		]);
		expect(await waitOf(execution)).toMatchObject({
			state: 'done',
			lastResult: `by ${n8n.url}/webhook-waiting/${execution.id}/registered-delivery: resumed`,
		});
		await until(async () => (await pulling()) === 0, 'nobody pulls any more');
	});

	it('takes the place of the run before it, whose pull ends at once', async () => {
		for (const item of letters('a', 'b')) await asleep({ items: [item] });
		await sleep(1_000);
		const metrics = await (await fetch(`${receiver.url}/metrics`)).text();
		expect(metrics).toContain('receiver_pulls_open 1\n');
	});

	it('goes on pulling until none waits any more, however many it has woken', async () => {
		const waiting: Array<[Execution, ReturnType<typeof letters>[number]]> = [];
		for (const one of letters('a', 'b', 'c', 'd', 'e', 'f')) {
			waiting.push([await asleep({ items: [one] }), one]);
		}
		for (const [execution, one] of waiting) {
			await opened(one);
			await ended(execution);
			expect(brief(execution)).toEqual([['Opened', one.json.name, 'opened']]);
		}
	});

	it('keeps no secret but as a digest, and no token', async () => {
		const execution = await asleep({ items: letters('a') });
		expect(execution.stored).not.toContain(TOKEN);
		const { secretDigest } = sleeping(execution);
		expect(secretDigest).toMatch(/^[\w-]{43}$/);
		const isSecret = (text: string) =>
			createHash('sha256').update(text).digest('base64url') === secretDigest;
		expect((execution.stored.match(/[\w-]{43}/g) ?? []).filter(isSecret)).toEqual([]);
		const { body } = await receiver.manage('GET', `/waits/${sleeping(execution).waitId}`);
		expect(JSON.stringify(body)).not.toMatch(/secret|signature/);
	});

	it('does not sleep where no process would stay to wake it', async () => {
		const execution = await run({ items: letters('a'), mode: 'cli' });
		expect(isAsleep(execution)).toBe(false);
		expect(errorOf(execution)).toMatchObject({
			message: 'There is no running n8n to wake this execution',
			description: expect.stringContaining('did not go to sleep'),
		});
		expect(await pulling()).toBe(0);
	});
});

describe.each(['v0', 'v1'] as const)('in the execution order %s', (executionOrder) => {
	const EVENTS = { Opened: 'aes_opened', Expired: 'aes_failed' };

	it('letters that leave by several outputs are each paired with their own item', async () => {
		const ways = ['Opened', 'Expired', 'Opened'];
		const items = letters(...ways.map((way, at) => `${way} ${at}`));
		const execution = await asleep({ items, executionOrder });
		await told(
			...items.map((one, at): [string, typeof one] => [
				EVENTS[ways[at] as keyof typeof EVENTS],
				one,
			]),
		);
		await ended(execution);
		expect(originsOf(execution)).toEqual(left(execution).map(([, { json }]) => json.name));
		expect(left(execution).map(([output]) => output)).toEqual([...ways].sort().reverse());
	});
});

it('a letter to several recipients, as Send Letter returns it, waits for all and leaves by the worst', async () => {
	const [a, b] = letters('a', 'b');
	const messages = [a, b].map(({ json }) => ({ id: json.messageId }));
	const execution = await asleep({ items: [{ json: { name: 'both', type: 'AES', messages } }] });
	await opened(a);
	expect(execution.resumed).toBe(0);
	await told(['aes_failed', b]);
	await ended(execution);
	expect(left(execution)).toMatchObject([
		[
			'Expired',
			{
				json: {
					name: 'both',
					outcome: { messageId: b.json.messageId, outcome: 'failed' },
					outcomes: [{ outcome: 'opened' }, { outcome: 'failed' }],
				},
			},
		],
	]);
});

it('a wait whose registration lost its answer is taken back', async () => {
	const wire = await Wire.open(receiver.url);
	later(() => wire.cut());
	wire.fate = ({ method }) => (method === 'PUT' ? 'loseAnswer' : undefined);
	const items = letters('a');
	const execution = await run({ items, credentials: credentials({ receiverUrl: wire.url }) });
	expect(errorOf(execution)?.message).toMatch(/cannot be reached/);
	const waits = await receiver.manage('GET', `/waits?message=${items[0].json.messageId}`);
	expect(waits.body.data).toEqual([]);
});

/** How many processes pull, as a wait that is registered hears. */
async function pulling(): Promise<number> {
	const [execution] = n8n.executions.values();
	const { instance } = (await waitOf(execution)) as Partial<WaitView>;
	const path = '/waits/of-the-test-that-asks-how-many-pull';
	const { body } = await receiver.manage('PUT', path, {
		instance: instance ?? 'nobody',
		resumeUrl: 'http://127.0.0.1:1/',
		secret: 'x'.repeat(43),
		messages: [{ messageId: '999999999999' }],
		deadline: new Date(Date.now() + 60_000).toISOString(),
	});
	await receiver.manage('DELETE', path);
	return body.pulling as number;
}

describe('a published workflow', () => {
	it('has its executions woken, also those that slept before it was published again', async () => {
		const [a, b] = letters('a', 'b');
		const published = await n8n.publish(credentials());
		const [one, two] = [
			await asleep({ items: [a], mode: 'trigger' }),
			await asleep({ items: [b], mode: 'cli' }),
		];
		await opened(a);
		await ended(one);
		await published.unpublish();
		await opened(b);
		// Somebody waits, so the process goes on.
		await ended(two);
		const again = await n8n.publish(credentials());
		await again.unpublish();
		expect(brief(two)).toEqual([['Opened', 'b', 'opened']]);
		await until(async () => (await pulling()) === 0, 'nobody pulls any more');
	});

	it('has them woken by its own credential once that of another, which was published later, is gone', async () => {
		const proxy = await startTcpProxy(Number(new URL(receiver.url).port));
		later(() => proxy.stop());
		const receiverUrl = `http://127.0.0.1:${proxy.port}`;
		const items = letters('a');
		const execution = await asleep({ items, credentials: credentials({ receiverUrl }) });
		const published = await n8n.publish(credentials({ receiverUrl }));
		const deleted = credentials({ receiverUrl });
		const other = await n8n.publish(deleted);
		await other.unpublish();
		Object.assign(deleted.registeredDeliveryApi, { followWith: 'nothing' });
		await receiver.untilHeld(1);
		// After a failure the credential is read anew.
		proxy.cut();
		await receiver.untilHeld();
		await receiver.untilHeld(1);
		await opened(...items);
		await ended(execution);
		expect(brief(execution)).toEqual([['Opened', 'a', 'opened']]);
		await published.unpublish();
	});

	it('is not published with a token that the receiver refuses, but with one that is away', async () => {
		const wrong = n8n.publish(credentials({ receiverToken: 'wrong-token-of-the-test' }));
		await expect(wrong).rejects.toThrow(/does not accept the Receiver Token/);
		const away = await n8n.publish(credentials({ receiverUrl: 'http://127.0.0.1:9' }));
		await away.unpublish();
		expect(away.failures).toEqual([]);
	});
});

it('a failed execution that is retried twice sleeps twice, and both are woken', async () => {
	const wire = await Wire.open(receiver.url);
	later(() => wire.cut());
	// By then it has what it would be woken by, which its retries get a copy of.
	wire.fate = ({ method }) => (method === 'PUT' ? 'refuse' : undefined);
	const items = letters('a');
	const failed = await run({ items, credentials: credentials({ receiverUrl: wire.url }) });
	expect(errorOf(failed)?.message).toMatch(/cannot be reached/);
	const retried = [
		await asleep({ items, retryOf: failed.run }),
		await asleep({ items, retryOf: failed.run }),
	];
	await opened(...items);
	for (const one of retried) {
		await ended(one);
		expect(brief(one)).toEqual([['Opened', 'a', 'opened']]);
	}
});

describe('what n8n answers', () => {
	/** Where a redirect leads. */
	let elsewhere: HttpServer;
	const asked: unknown[] = [];
	beforeAll(async () => {
		elsewhere = await serve(({ url }, response) => {
			asked.push(url);
			response.setHeader('content-type', 'application/json').end('{"wakeUp":"resumed"}');
		});
	});
	afterAll(() => elsewhere.close());

	it.each<[string, () => void, RegExp]>([
		[
			'a page',
			() => {
				n8n.instead = (_request, response) => response.send('<p>Welcome <b>home</b></p>');
			},
			/: answered 200, "Welcome home"/,
		],
		[
			'404 while its workflows are not active yet',
			() => {
				n8n.instead = (_request, response) =>
					response.status(404).json({ code: 404, message: 'Not registered.' });
			},
			/: answered 404, "Not registered\."/,
		],
		[
			'a page that repeats the address',
			() => {
				n8n.instead = (request, response) => response.status(502).send(`No ${request.originalUrl}`);
			},
			/: answered 502$/,
		],
		[
			'a redirect',
			() => {
				n8n.instead = (_request, response) => response.redirect(307, `${elsewhere.url}/there`);
			},
			/: answered 307/,
		],
	])('%s: failed, and again', async (_title, begin, result) => {
		const items = letters('a');
		const execution = await asleep({ items });
		begin();
		await opened(...items);
		await until(async () => (await waitOf(execution)).lastResult !== null, 'an attempt in vain');
		const { state, lastResult } = await waitOf(execution);
		expect(['queued', 'in-hand']).toContain(state);
		expect(lastResult).toMatch(result);
		expect(lastResult).not.toContain('signature');
		expect([asked, execution.resumed]).toEqual([[], 0]);
		n8n.instead = null;
		await ended(execution);
		expect(brief(execution)).toEqual([['Opened', 'a', 'opened']]);
	});
});

describe('where n8n cannot reach its own public address', () => {
	// Where nothing does: nobody-is-called.test.ts.
	it('and something else answers there: loopback is the way, and it says so', async () => {
		await woken({});
		const items = letters('a');
		const publicUrl = `http://${await otherServer()}:${n8n.port}`;
		const execution = await asleep({ items, publicUrl });
		await opened(...items);
		await ended(execution);
		expect(await waitOf(execution)).toMatchObject({
			state: 'done',
			attempts: 1,
			lastResult: [
				`by ${publicUrl}/webhook-waiting/${execution.id}/registered-delivery: answered 200, "Router login"`,
				`by 127.0.0.1:${n8n.port}: resumed`,
			].join('; then '),
		});
		// Now that it is known, it is the first: an address that swallows what it gets costs time.
		expect(await waitOf(await woken({ publicUrl }))).toMatchObject({
			lastResult: `by 127.0.0.1:${n8n.port}: resumed`,
		});
	});

	it('and a proxy there fails: the next attempt begins with loopback', async () => {
		await woken({});
		const publicUrl = `http://${await otherServer(502)}:${n8n.port}`;
		expect(await waitOf(await woken({ publicUrl }))).toMatchObject({
			state: 'done',
			attempts: 2,
			lastResult: `by 127.0.0.1:${n8n.port}: resumed`,
		});
	});

	async function woken(options: Partial<StartOptions>): Promise<Execution> {
		const items = letters('a');
		const execution = await asleep({ items, ...options });
		await opened(...items);
		await ended(execution);
		return execution;
	}

	/** At n8n's port, but another address of this machine. */
	async function otherServer(status = 200): Promise<string> {
		const server: Server = createServer((_request, response) =>
			response.writeHead(status).end('<h1>Router login</h1>'),
		);
		server.listen(n8n.port, '127.0.0.3');
		await once(server, 'listening');
		later(() => void server.close());
		return (server.address() as AddressInfo).address;
	}
});

describe('where n8n sends what goes to itself elsewhere, or nowhere', () => {
	afterEach(() => protectFromSsrf(false));

	/** In another process of n8n: this one knows its way. */
	async function asleepAnew(change: object = {}) {
		const items = letters('a');
		let node = n8n.node;
		await jest.isolateModulesAsync(async () => {
			const module = await import('../../nodes/AwaitOutcome/AwaitOutcome.node.ts');
			node = new module.AwaitOutcome();
		});
		n8n.node = node;
		return { items, execution: await asleep({ items, credentials: credentials(change) }) };
	}

	async function inVain(execution: Execution): Promise<string> {
		await until(async () => (await waitOf(execution)).lastResult !== null, 'an attempt in vain');
		return String((await waitOf(execution)).lastResult);
	}

	it('a forward proxy reads no secret: the receiver hears why, and once it is named, it wakes', async () => {
		const { items, execution } = await asleepAnew();
		// The receiver is asked past it, as a wise operator has it.
		const proxy = await useForwardProxy(new URL(receiver.url).host);
		later(() => proxy.close());
		await opened(...items);
		expect(await inVain(execution)).toMatch(
			/n8n's forward proxy is in between \(HTTP status \d+\) and must not get the secret: start n8n with 127\.0\.0\.1 in NO_PROXY/,
		);
		expect(proxy.passed.join()).not.toMatch(/signature|secret/);
		process.env.NO_PROXY = '127.0.0.1';
		await ended(execution);
		expect(brief(execution)).toEqual([['Opened', 'a', 'opened']]);
	});

	it('another program with a certificate of its own gets nothing, at n8n’s name or on loopback', async () => {
		const { certificate: cert, key } = await makeCertificate(Date.now() - DAY, Date.now() + DAY);
		const asked: unknown[] = [];
		const server = createTlsServer({ cert, key }, (request, response) => {
			asked.push(request.url);
			response.end('{"wakeUp":"resumed"}');
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		later(() => void server.close());
		const { port } = server.address() as AddressInfo;
		const items = letters('a');
		const execution = await asleep({ items, publicUrl: `https://localhost:${port}` });
		await opened(...items);
		expect(await inVain(execution)).toMatch(/no answer \(.*SELF_SIGNED/);
		expect([asked, execution.resumed]).toEqual([[], 0]);
	});

	it('n8n’s SSRF protection: the receiver hears of it, and once that allows it, it wakes', async () => {
		// The receiver is allowed, n8n itself is not.
		protectFromSsrf(true, ['localhost']);
		const receiverUrl = receiver.url.replace('127.0.0.1', 'localhost');
		const { items, execution } = await asleepAnew({ receiverUrl });
		await opened(...items);
		expect(await inVain(execution)).toMatch(
			/^by http:.* and 127\.0\.0\.1:5678: no answer \(.*(restricted IP address|SSRF protection)/,
		);
		protectFromSsrf(false);
		await ended(execution);
		expect(brief(execution)).toEqual([['Opened', 'a', 'opened']]);
	});
});

describe('who posts to the resume URL', () => {
	const outcomeOf = ({ json: { messageId } }: ReturnType<typeof letters>[number]) => ({
		id: messageId,
		outcome: 'accepted',
		status: 'ACCEPTED',
		occurredAt: null,
		event: 'letter.accepted',
		eventId: 'evt_1',
	});

	it('without the secret changes nothing', async () => {
		const [a] = letters('a');
		const execution = await asleep({ items: [a] });
		const { waitId, secretDigest } = sleeping(execution);
		const resume = { waitId, reason: 'complete', outcomes: [outcomeOf(a)] };
		const refused = { status: 401, body: { wakeUp: 'refused' } };
		for (const body of [
			resume,
			{ ...resume, secret: 'guessed' },
			{ ...resume, secret: secretDigest },
			{ secret: '' },
			{},
		]) {
			expect(await n8n.post(execution, body)).toEqual(refused);
		}
		const other = { ...resume, waitId: 'another-wait-of-this-node', secret: 'guessed' };
		expect(await n8n.post(execution, other)).toEqual({ status: 410, body: { wakeUp: 'over' } });
		expect(execution.resumed).toBe(0);
		await opened(a);
		await ended(execution);
		expect(brief(execution)).toEqual([['Opened', 'a', 'opened']]);
	});

	it('once more, after it went on: the process that resumed it knows, and asks nobody', async () => {
		const items = letters('a');
		const execution = await asleep({ items });
		await opened(...items);
		await ended(execution);
		const { batch } = await waitOf(execution);
		await receiver.manage('POST', `/batches/${String(batch)}/retry`);
		await n8n.publish(credentials()).then(async ({ unpublish }) => await unpublish());
		await ended(execution);
		expect(await waitOf(execution)).toMatchObject({
			state: 'done',
			attempts: 1,
			lastResult: 'resumed by an earlier request',
		});
		expect([n8n.requests.length, execution.resumed]).toEqual([1, 1]);
	});
});

describe('at its concurrency limit', () => {
	// What n8n holds is in progress, and nobody makes it again: test/real-n8n/at-the-limit.test.ts.
	it('a sender that lost its answer makes it no more, and hears of it', async () => {
		const proxy = await startTcpProxy(n8n.port);
		later(() => proxy.stop());
		const items = letters('a');
		const { promise, resolve } = Promise.withResolvers<void>();
		n8n.capacity = promise;
		const execution = await asleep({ items, publicUrl: `http://127.0.0.1:${proxy.port}` });
		await opened(...items);
		await until(() => n8n.bodies.length === 1, 'the wake-up');
		proxy.cut();
		resolve();
		await ended(execution);
		expect(await waitOf(execution)).toMatchObject({
			state: 'done',
			attempts: 1,
			lastResult: 'resumed by an earlier request',
		});
		expect([n8n.requests.length, execution.resumed]).toEqual([1, 1]);
	});
});

it('n8n goes on by itself an hour after the deadline, so that a receiver that was away is not too late', async () => {
	const deadline = new Date(Date.now() + DAY);
	const parameters = { deadlineMode: 'at', deadlineAt: deadline.toISOString() };
	const items = letters('a');
	const execution = await asleep({ items, parameters });
	const graceMs = Number(execution.run.waitTill) - Number(deadline);
	expect(Math.abs(graceMs - 60 * 60_000)).toBeLessThan(1_000);
	const before = n8n.bodies.length;
	n8n.instead = ({ path }, response) => {
		response.status(path === '/webhook-waiting' ? 404 : 503).end();
	};
	await opened(...items);
	await until(() => n8n.bodies.length > before, 'a wake-up');
	n8n.instead = null;
	// Half an hour before that it takes no other: n8n could hold both.
	const now = jest.spyOn(Date, 'now').mockReturnValue(Number(deadline) + 31 * 60_000);
	const answer = await n8n.post(execution, n8n.bodies[before] as object).finally(() => {
		now.mockRestore();
	});
	expect([answer.status, execution.resumed]).toEqual([410, 0]);
});

it.each([-30, 30])('a receiver whose clock is %s days ahead keeps the wait by it', async (days) => {
	const now = () => Date.now() + days * DAY;
	const skewed = await startReceiver({ dependencies: { clock: { ...systemClock, now } } });
	const parameters = { deadlineMode: 'after', deadlineAmount: 1, deadlineUnit: 'days' };
	const items = letters('a');
	const own = credentials({ receiverUrl: skewed.url });
	const execution = await asleep({ items, parameters, credentials: own });
	const path = `/waits/${sleeping(execution).waitId}`;
	const { body } = await skewed.manage('GET', path);
	const lasts = Date.parse(String(body.deadline)) - now();
	expect(Math.abs(lasts - DAY)).toBeLessThan(20_000);
	// n8n's own wake-up is n8n's: when a day has passed here.
	const sleeps = Number(execution.run.waitTill) - Date.now();
	expect(Math.abs(sleeps - DAY - 60 * 60_000)).toBeLessThan(20_000);
	await skewed.manage('DELETE', path);
});

describe('items that do not sleep', () => {
	it('all leave by the last output when the deadline is past, and nothing is registered', async () => {
		const items = letters('a', 'b');
		const parameters = { deadlineMode: 'at', deadlineAt: '2020-01-31T09:30:00' };
		const execution = await run({ items, parameters });
		expect(errorOf(execution)).toBeUndefined();
		expect(left(execution)).toMatchObject([
			['Pending', { json: { name: 'a', outcome: { outcome: 'none', reason: 'deadline' } } }],
			['Pending', { json: { name: 'b', outcome: { outcome: 'none', reason: 'deadline' } } }],
		]);
		expect(isAsleep(execution)).toBe(false);
		expect(n8n.requests).toEqual([]);
	});
});

describe('an item with an error and no letter, as Send Letter gives for one that it could not send', () => {
	const failed = { json: { name: 'b', error: 'Row 2 of 3: Email: "x"', details: { status: 422 } } };

	it('leaves by the last output as it came, when the letters of the others have outcomes', async () => {
		const [a, c] = letters('a', 'c');
		const execution = await asleep({ items: [a, failed, c] });
		await opened(a, c);
		await ended(execution);
		const [, , pending] = left(execution);
		expect(brief(execution)).toMatchObject([
			['Opened', 'a', 'opened'],
			['Opened', 'c', 'opened'],
			['Pending', 'b', undefined],
		]);
		expect(pending).toEqual(['Pending', { ...failed, pairedItem: { item: 1 } }]);
	});

	it('leaves at once where no other has a letter, with On Error: Continue, too', async () => {
		for (const onError of [undefined, 'continueRegularOutput'] as const) {
			const execution = await run({ items: [failed], onError });
			expect(errorOf(execution)).toBeUndefined();
			expect(left(execution)).toEqual([['Pending', { ...failed, pairedItem: { item: 0 } }]]);
		}
	});

	it('one with a wrong message ID is not taken for it', async () => {
		const execution = await run({ items: [{ json: { error: 'odd', messageId: '12' } }] });
		expect(errorOf(execution)?.message).toMatch(/"12" is not a message ID/);
	});
});

it('the reason of an outcome is its own, also of one that came long before the deadline', async () => {
	const [a, b] = letters('a', 'b');
	const deadline = new Date(Date.now() + 1500).toISOString();
	const execution = await asleep({
		items: [a, b],
		parameters: { deadlineMode: 'at', deadlineAt: deadline },
	});
	await opened(a);
	await ended(execution);
	expect(left(execution)).toMatchObject([
		['Opened', { json: { name: 'a', outcome: { outcome: 'opened', reason: 'opened' } } }],
		['Pending', { json: { name: 'b', outcome: { outcome: 'none', reason: 'deadline' } } }],
	]);
});

describe('where n8n begins with this node', () => {
	it('it says so and does nothing', async () => {
		const execution = await run({ beginsHere: true, mode: 'cli' });
		expect(errorOf(execution)).toMatchObject({
			message: 'Await Outcome cannot start a workflow',
			description: expect.stringContaining('cut this node in the editor and paste it back'),
		});
		expect(left(execution)).toEqual([]);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'with %s nothing leaves, least of all as accepted',
		async (onError) => {
			const execution = await run({ beginsHere: true, mode: 'cli', onError });
			expect(errorOf(execution)).toBeUndefined();
			expect(left(execution)).toEqual([]);
		},
	);
});

describe('by which output', () => {
	const OPTIONS = { options: { routeItems: 'all' } };

	it('all leave together by the worst, if wanted; a wrong one alone, with its error', async () => {
		const items = letters('a', 'b', 'wrong');
		items[2].json.messageId = '12';
		const execution = await asleep({
			items,
			parameters: { messageId: '={{ $json.messageId }}', ...OPTIONS },
			onError: 'continueRegularOutput',
		});
		await told(['aes_opened', items[0]], ['aes_failed', items[1]]);
		await ended(execution);
		expect(left(execution)).toMatchObject([
			['Expired', { json: { name: 'a', outcome: { outcome: 'opened' } } }],
			['Expired', { json: { name: 'b', outcome: { outcome: 'failed' } } }],
			['Pending', { json: { error: expect.stringContaining('"12" is not a message ID') } }],
		]);
	});

	it('an outcome that only a newer receiver knows leaves by the last, as it is', async () => {
		const items = letters('a');
		const execution = await asleep({ items });
		n8n.instead = ({ path, body }, response) => {
			// The way is tried without the secret first.
			if (path === '/webhook-waiting') return void response.status(404).end();
			n8n.instead = null;
			const wakeUp = body as { outcomes: object[] };
			const outcomes = wakeUp.outcomes.map((one) => ({ ...one, outcome: 'returned' }));
			void n8n
				.post(execution, { ...wakeUp, outcomes })
				.then((answered) => response.status(answered.status).json(answered.body));
		};
		await opened(...items);
		await ended(execution);
		expect(brief(execution)).toEqual([['Pending', 'a', 'returned']]);
	});
});

describe('the deadline', () => {
	const dates: Array<[object, (since: number) => number]> = [
		[{ deadlineAmount: '2', deadlineUnit: 'hours' }, (since) => since + DAY / 12],
		[{ deadlineAmount: 0.5, deadlineUnit: 'minutes' }, (since) => since + 30_000],
		[{ deadlineAmount: 366, deadlineUnit: 'days' }, (since) => since + 366 * DAY],
		[{}, (since) => since + 30 * DAY],
	];
	it.each(dates)('after %j', async (parameters, at) => {
		const began = Date.now();
		const execution = await asleep({ items: letters('a'), parameters: parameters as never });
		const deadline = Date.parse((await waitOf(execution)).deadline);
		expect(deadline).toBeGreaterThanOrEqual(at(began));
		expect(deadline).toBeLessThanOrEqual(at(Date.now()));
	});

	it('at a date of the workflow’s zone', async () => {
		const date = new Date(Date.now() + 7 * DAY).toISOString().slice(0, 10);
		const parameters = { deadlineMode: 'at', deadlineAt: `${date} 12:00` };
		const execution = await asleep({ items: letters('a'), parameters, timezone: 'Asia/Tokyo' });
		const { deadline } = await waitOf(execution);
		expect(Date.parse(deadline)).toBe(Date.parse(`${date}T03:00:00Z`));
	});

	it.each<[object, RegExp]>([
		[{ deadlineAmount: 367 }, /Wait For: .*366 days/],
		[{ deadlineAmount: 0 }, /Wait For: It is 0; a number above 0 is/],
		[{ deadlineAmount: '={{ "soon" }}' }, /Wait For: /],
		[{ deadlineAmount: '={{ null }}' }, /Wait For: It is null; a number above 0 is/],
		[{ deadlineUnit: 'weeks' }, /Unit: It is "weeks"\. Choose one of days, hours, minutes/],
		[{ deadlineMode: 'at', deadlineAt: '={{ $now.plus(367, "days") }}' }, /Wait Until: .*366 days/],
		[{ deadlineMode: 'at', deadlineAt: '23:59' }, /Wait Until: "23:59" is not a date and time/],
		[
			{ deadlineMode: '={{ "At" }}', deadlineAt: '2030-01-01T00:00' },
			/Deadline: .*"At"\. Choose one of after, at/,
		],
	])('not %j: it does not sleep', async (parameters, words) => {
		const execution = await run({ items: letters('a'), parameters: parameters as never });
		expect(isAsleep(execution)).toBe(false);
		expect(errorOf(execution)?.message).toMatch(words);
	});
});
