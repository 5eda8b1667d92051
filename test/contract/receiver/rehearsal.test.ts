// A rehearsal: the receiver goes by the time of a sandbox, which people move, and of nothing but a sandbox.
import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import type { WaitView } from '../../../webhook-receiver/src/core/wait-contract.ts';
import { serviceVariables, startStrictSandbox } from '../../support/sandbox.ts';
import { startStubService, type StubAnswer } from '../../support/stub-service.ts';
import { INGEST_SECRET, cleanUp, later, recordedLog, start, until, waitFor } from './harness.ts';
import { poster } from './watching/poster.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Of an answer, and of what the receiver hears late. */
const MARGIN = 20_000;

afterEach(cleanUp);

const variables = (sandbox: Parameters<typeof serviceVariables>[0], env = {}) => ({
	CLOCK: 'service',
	...serviceVariables(sandbox, 'direct'),
	...env,
});

async function rehearsal(options: Parameters<typeof startStrictSandbox>[0] = {}, env = {}) {
	const sandbox = await startStrictSandbox({ automatic: true, ...options });
	later(() => sandbox.close());
	const receiver = await start({ env: variables(sandbox, env) });
	const webhooks = [{ url: `${receiver.url}/events`, secret: INGEST_SECRET }];
	await sandbox.control('PUT /webhooks', { webhooks });
	const tells = async () => (await receiver.manage('GET', '/clock')).body;
	const now = async () => Date.parse(String((await tells()).now));
	/** The sandbox's time, once the receiver has it. */
	const untilSame = async () => {
		const { now: there } = await sandbox.control('GET /clock');
		await until(async () => Math.abs((await now()) - Date.parse(there)) < MARGIN, 'its time');
	};
	return { sandbox, receiver, tells, now, untilSame };
}

type Running = Awaited<ReturnType<typeof rehearsal>>;

/** A letter to somebody whose address says what happens. */
const send = (sandbox: Sandbox, type: string, address: string) =>
	poster(sandbox).send({
		type,
		body: '<p>Hello</p>',
		recipients: [{ email: `${address}@recipients.example`, firstname: 'A', lastname: 'B' }],
	});

async function awaitLetter({ receiver, now }: Running, messageId: string, days: number) {
	const path = `/waits/${messageId}-for-${days}-days`;
	const deadline = new Date((await now()) + days * DAY).toISOString();
	const wait = waitFor({ now: Date.now }, [], { messages: [{ messageId }], deadline });
	await receiver.manage('PUT', path, wait);
	const view = async () => (await receiver.manage('GET', path)).body as unknown as WaitView;
	const over = async () => {
		await until(async () => (await view()).state !== 'open', 'it is over');
		const { outcomes } = await view();
		return outcomes.map(({ outcome }) => outcome);
	};
	return { view, over };
}

describe('refused at the start, whoever else answers', () => {
	const MARK = { now: new Date().toISOString(), frozen: false, sandbox: true };

	it.each<[string, StubAnswer]>([
		['a page with status 200', { status: 200, contentType: 'text/html', body: '<p>Hello</p>' }],
		['the service, which has no such path', { status: 404, body: { code: 'not-found' } }],
		['an answer without the mark', { status: 200, body: { ...MARK, sandbox: undefined } }],
		['a word in place of the mark', { status: 200, body: { ...MARK, sandbox: 'true' } }],
		['the mark with another status', { status: 201, body: MARK }],
		['a time that is none', { status: 200, body: { ...MARK, now: 'soon' } }],
	])('%s', async (_, answer) => {
		const service = await startStubService();
		later(() => service.close());
		service.answer = () => answer;
		const { caCertificate } = service.credential as { caCertificate: string };
		const env = {
			CLOCK: 'service',
			SERVICE_URL: service.url,
			SERVICE_TOKEN: 'token',
			SERVICE_CA: caCertificate,
		};
		await expect(start({ env })).rejects.toThrow(
			/CLOCK: .*SERVICE_URL does not say that it is one: .*answered \d+/,
		);
		// Nor was the token shown to whoever that is.
		expect(service.requests.map(({ path }) => path)).toEqual(['/_sandbox/clock']);
		expect(service.requests[0].headers).not.toHaveProperty('x-api-token');
	});

	it('one that leads on to a sandbox', async () => {
		const sandbox = await startStrictSandbox();
		later(() => sandbox.close());
		const service = await startStubService();
		later(() => service.close());
		service.answer = ({ path }) => ({ status: 307, headers: { location: sandbox.url + path } });
		const { caCertificate } = service.credential as { caCertificate: string };
		const env = variables(sandbox, {
			SERVICE_URL: service.url,
			SERVICE_CA: `${sandbox.caCertificate}\n${caCertificate}`,
		});
		await expect(start({ env })).rejects.toThrow(/answered 307/);
	});

	it('a sandbox of another authority, or none at all', async () => {
		const sandbox = await startStrictSandbox();
		later(() => sandbox.close());
		const env = variables(sandbox, { SERVICE_CA: '' });
		await expect(start({ env })).rejects.toThrow(/does not say that it is one: .*certificate/);
		await expect(start({ env: { CLOCK: 'service' } })).rejects.toThrow(/CLOCK: .*SERVICE_URL/);
	});
});

it('has the time of the sandbox, says so, and what is due happens as that is moved', async () => {
	const all = await rehearsal();
	const { sandbox, receiver, tells, now, untilSame } = all;
	expect(await tells()).toMatchObject({ of: 'service' });
	expect((await fetch(`${receiver.url}/readyz`)).json()).resolves.toEqual({
		status: 'ok',
		clock: 'service',
	});
	const id = await send(sandbox, 'LRE', 'never');
	const long = await awaitLetter(all, id, 30);
	const short = await awaitLetter(all, id, 7);
	await sandbox.control.advance(6 * DAY);
	await untilSame();
	await receiver.atRest();
	expect((await short.view()).state).toBe('open');
	await sandbox.control.advance(2 * DAY);
	expect(await short.over()).toEqual(['none']);
	expect((await long.view()).state).toBe('open');
	// Nobody has to open a page: the letter expires, and the receiver, which asks for it, sees that.
	await sandbox.control.advance(15 * DAY);
	expect(await long.over()).toEqual(['expired']);
	expect((await now()) - Date.now()).toBeGreaterThan(22 * DAY);
	// Nobody had the time to fetch the other, though it looks as if it had been there for two weeks.
	await receiver.atRest();
	expect((await short.view()).state).toBe('queued');
});

it('takes webhooks, which are signed in real time, and notes when they came by the sandbox', async () => {
	const { sandbox, receiver, untilSame } = await rehearsal();
	await sandbox.control.advance(40 * DAY);
	await untilSame();
	await send(sandbox, 'AES', 'open');
	await sandbox.control.advance(DAY);
	const types = async () => (await receiver.events()).map(({ type }) => type);
	await until(async () => (await types()).includes('tracked_mail.opened'), 'its opening');
	for (const { receivedAt } of await receiver.events()) {
		expect(Date.parse(receivedAt) - Date.now()).toBeGreaterThan(39 * DAY);
	}
});

it('an answer from before the deadline counts, though the time is moved past both at once', async () => {
	const all = await rehearsal({ automatic: false });
	const { sandbox, receiver } = all;
	const id = await send(sandbox, 'LRE', 'ada');
	const wait = await awaitLetter(all, id, 7);
	// The receiver has asked, and will again in a minute.
	await receiver.atRest();
	const fault = { kind: 'delay', ms: 300 } as const;
	await sandbox.control('POST /faults', { faults: [{ path: '/messages/{id}', fault }] });
	await sandbox.control('POST /messages/{id}/{trigger}', { id, trigger: 'accept' });
	await sandbox.control.advance(15 * DAY);
	expect(await wait.over()).toEqual(['accepted']);
});

it('time that stands is no deadline, and comes on again', async () => {
	const all = await rehearsal();
	const { sandbox, receiver, untilSame, now } = all;
	await sandbox.control('PUT /clock', { frozen: true });
	await untilSame();
	let stood = 0;
	await until(async () => {
		const before = stood;
		stood = await now();
		await receiver.atRest();
		return stood === before;
	}, 'it stands');
	await sandbox.control('POST /clock/advance', { ms: HOUR });
	await until(async () => (await now()) === stood + HOUR, 'it has moved');
	await sandbox.control('PUT /clock', { frozen: false });
	await until(async () => (await now()) > stood + HOUR, 'it runs');
});

it('goes on where the sandbox is away, and where it has begun anew, before what is stored', async () => {
	const all = await rehearsal();
	const { sandbox, receiver, now, untilSame } = all;
	await sandbox.control.advance(30 * DAY);
	await untilSame();
	await receiver.emit({ id: 'before', event: 'aes_sent' });
	await sandbox.control('POST /reset');
	await untilSame();
	expect(Math.abs((await now()) - Date.now())).toBeLessThan(MARGIN);
	await receiver.emit({ id: 'after', event: 'aes_sent' });
	const { batches } = await receiver.pulled({ since: '2020-01-01T00:00:00.000Z', atOnce: 9 });
	expect(batches.flatMap(({ events }) => events)).toHaveLength(2);
	await sandbox.close();
	const before = await now();
	await until(async () => (await now()) > before, 'time goes on');
	expect((await receiver.emit({ id: 'alone', event: 'aes_sent' })).status).toBe(200);
});

it('a sandbox that is away is told of when that lasts, not for moments long apart', async () => {
	const service = await startStubService();
	later(() => service.close());
	let isAway = false;
	service.answer = () =>
		isAway
			? { status: 503 }
			: { body: { now: new Date().toISOString(), frozen: false, sandbox: true } };
	const { caCertificate } = service.credential as { caCertificate: string };
	const { lines, logger } = recordedLog();
	const env = { SERVICE_URL: service.url, SERVICE_TOKEN: 'token', SERVICE_CA: caCertificate };
	await start({ env: { CLOCK: 'service', ...env }, dependencies: { logger } });
	const told = () => lines.filter((line) => line.includes('does not tell the time')).length;
	const present = performance.now.bind(performance);
	const began = present();
	let passed = 0;
	// Slow, so that a moment is one on a busy machine, too.
	const slow = () => began + (present() - began) / 10 + passed;
	const time = jest.spyOn(performance, 'now').mockImplementation(slow);
	later(() => time.mockRestore());
	for (isAway of [true, false, true]) {
		const asked = service.requests.length;
		await until(() => service.requests.length > asked + 1, 'it has asked');
		expect(told()).toBe(0);
		passed += 11_000;
	}
	await until(() => told() === 1, 'it is told');
});
