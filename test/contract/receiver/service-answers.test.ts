// What the polled service may answer without doing harm, and what a stop leaves of a poll under way.
import { serve } from '../../support/http-server.ts';
import { ManualClock, cleanUp, later, start, until } from './harness.ts';
import { startStrictSandbox } from '../../support/sandbox.ts';
import { pollService } from './watching/service.ts';

const ID = '000000000001';
const MEGABYTE = 2 ** 20;

jest.setTimeout(120_000);
afterEach(cleanUp);

const rate = { WATCH_RATE_LIMIT: '60000' };

it('an answer without end is cut off, and the letter is polled again', async () => {
	/** Bytes sent by the end of each answer. */
	const cut: number[] = [];
	const server = await serve((_request, response) => {
		let sent = 0;
		const more = () => {
			// More than the buffers in between, and little enough for the test if all of it is read.
			while (sent < 64 * MEGABYTE && response.write('x'.repeat(MEGABYTE))) sent += MEGABYTE;
			sent += MEGABYTE;
		};
		response.on('drain', more).once('close', () => cut.push(sent));
		response.writeHead(200, { 'content-type': 'application/json' });
		more();
	});
	later(server.close);
	const clock = new ManualClock();
	const env = { ...rate, SERVICE_URL: server.url, SERVICE_TOKEN: 'token-of-the-service' };
	const receiver = await start({ env, dependencies: { clock } });
	await receiver.manage('PUT', `/watches/${ID}`, {});
	await until(() => {
		clock.advance(60_000);
		return cut.length >= 2;
	}, 'it is polled again');
	expect(Math.max(...cut)).toBeLessThan(64 * MEGABYTE);
	const { body } = await receiver.manage('GET', `/watches/${ID}`);
	expect(body).toMatchObject({ status: null, endReason: null, problem: expect.any(String) });
});

it('a poll that a stop breaks off is none: no problem, and the next start polls at once', async () => {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	service.trouble = () => 'hang';
	const env = { ...rate, ...service.env() };
	const first = await start({ env, dependencies: { clock } });
	await first.manage('PUT', `/watches/${ID}`, {});
	// In small steps, so that it is not given to another receiver before it has begun.
	await until(() => {
		clock.advance(1_000);
		return service.polls.length > 0;
	}, 'it is polled');
	await first.close();
	const polls = service.polls.length;
	const second = await start({ folder: first.folder, env, dependencies: { clock } });
	const { body } = await second.manage('GET', `/watches/${ID}`);
	expect(body).toMatchObject({ problem: null });
	await until(() => service.polls.length > polls, 'it is polled while the clock stands still');
});

it.each([
	[
		'a service whose authority is not trusted',
		async () => {
			const sandbox = await startStrictSandbox();
			later(() => sandbox.close());
			return { SERVICE_URL: sandbox.url, SERVICE_TOKEN: 'a-token-of-tests' };
		},
		/^the service's certificate is from an authority .*: set SERVICE_CA_FILE/,
	],
	[
		'a service that does not run',
		async () => {
			const server = await serve(() => undefined);
			await server.close();
			return { SERVICE_URL: server.url, SERVICE_TOKEN: 'a-token-of-tests' };
		},
		/ECONNREFUSED/,
	],
])(
	'%s is told of after the first letter, and has never answered',
	async (_, serviceOf, problem) => {
		const clock = new ManualClock();
		const receiver = await start({
			env: { ...rate, ...(await serviceOf()) },
			dependencies: { clock },
		});
		const told = async () => (await receiver.manage('GET', '/watches/service')).body;
		expect(await told()).toMatchObject({ problem: null, answeredAt: null });
		await receiver.manage('PUT', `/watches/${ID}`, {});
		await until(async () => {
			clock.advance(1_000);
			return (await told()).problem !== null;
		}, 'it is told');
		expect(await told()).toMatchObject({
			problem: expect.stringMatching(problem),
			answeredAt: null,
		});
	},
);

it('one that answers has answered, to within a minute', async () => {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	service.messages.set(ID, { status: 'SENT' });
	const receiver = await start({ env: { ...rate, ...service.env() }, dependencies: { clock } });
	await receiver.manage('PUT', `/watches/${ID}`, {});
	const told = async () =>
		(await receiver.manage('GET', '/watches/service')).body as { answeredAt: string | null };
	await until(async () => {
		clock.advance(60_000);
		await receiver.atRest();
		const { answeredAt } = await told();
		return answeredAt !== null && clock.now() - Date.parse(answeredAt) <= 5 * 60_000;
	}, 'it has answered');
	expect(await told()).toMatchObject({ problem: null });
});
