// SIGTERM under load: readiness goes first, then what is under way is finished. Nobody is cut off.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { ClientRequestArgs, IncomingMessage } from 'node:http';
import { cleanUp, signed, temporaryFolder, until } from './harness.ts';
import { idsIn, startProcess } from './process.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const CLIENTS = 48;

/** One request; rejects with the connection's error. */
function send(
	url: string,
	options: ClientRequestArgs & { body?: string },
): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		const outgoing = request(url, options, (response) => {
			response.resume();
			response.once('end', () => resolve(response.statusCode));
			response.once('error', reject);
		});
		outgoing.once('error', reject).end(options.body);
	});
}

it.each(['one-shot', 'keep-alive'])(
	'%s clients that a balancer sends elsewhere are all answered, and open pulls too',
	async (kind) => {
		// Long enough for a balancer to look, however busy the machine is.
		const env = { STOP_DELAY: '4s' };
		const folder = temporaryFolder();
		const receiver = await startProcess(folder, env);
		await receiver.pull();
		let isReady = true;
		let sent = 0;
		const acknowledged = new Set<string>();
		const failures: string[] = [];
		const client = async (lane: number) => {
			const agent = kind === 'one-shot' ? false : new Agent({ keepAlive: true, maxSockets: 1 });
			for (let n = 0; isReady; n++) {
				const id = `e-${lane}-${n}`;
				const body = JSON.stringify({ id, event: 'aes_sent', messageId: lane + 1 });
				const headers = signed(body, Date.now());
				sent++;
				await send(`${receiver.url}/events`, { agent, method: 'POST', headers, body }).then(
					(status) => (status === 200 ? acknowledged.add(id) : failures.push(`${status}`)),
					(error: NodeJS.ErrnoException) => failures.push(error.code ?? error.message),
				);
			}
			if (agent) agent.destroy();
		};
		const clients = Array.from({ length: CLIENTS }, (_, lane) => client(lane));
		const idle = { wants: { events: ['no.such'] }, openMs: 25_000 };
		const held = Array.from({ length: 5 }, (_, n) => receiver.pulled(idle, { key: `n8n~${n}` }));
		await until(() => acknowledged.size >= 200, 'there is load');
		const ready = () => send(`${receiver.url}/readyz`, { agent: false });
		await until(async () => (await ready()) === 200, 'it is ready');
		receiver.child.kill('SIGTERM');
		// The balancer looks often; it sees it before anything is closed.
		await until(async () => (await ready()) === 503, 'it says that it stops');
		isReady = false;
		await Promise.all(clients);
		expect(failures).toEqual([]);
		expect(acknowledged.size).toBe(sent);
		for (const pull of held) expect((await pull).batches).toEqual([]);
		expect(await receiver.exited).toEqual([0, null]);
		const again = await startProcess(folder, env);
		expect(new Set(await idsIn(again))).toEqual(acknowledged);
	},
);

/** A request whose second half is still to come. */
async function half(url: string, agent: Agent | false = false) {
	const body = JSON.stringify({ event: 'aes_sent', messageId: 1, text: 'x'.repeat(1_000) });
	const headers = {
		...signed(body, Date.now()),
		expect: '100-continue',
		'content-length': Buffer.byteLength(body),
	};
	const outgoing = request(`${url}/events`, { agent, method: 'POST', headers });
	const ended = new Promise<IncomingMessage | string | undefined>((resolve) => {
		outgoing.once('response', (response) => resolve(response.resume()));
		outgoing.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
	});
	outgoing.flushHeaders();
	// So it has been taken.
	await once(outgoing, 'continue');
	outgoing.write(body.slice(0, 500));
	return { finish: () => outgoing.end(body.slice(500)), ended };
}

/** The receiver takes no more connections. */
async function untilClosed(url: string): Promise<void> {
	const isClosed = () =>
		send(`${url}/healthz`, { agent: false }).then(
			() => false,
			() => true,
		);
	await until(isClosed, 'it takes no more connections');
}

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s stops it properly', async (signal) => {
	const receiver = await startProcess(temporaryFolder());
	receiver.child.kill(signal);
	expect(await receiver.exited).toEqual([0, null]);
});

it('a request that is under way is answered as long as STOP_TIMEOUT says, and then cut off', async () => {
	const receiver = await startProcess(temporaryFolder(), { STOP_TIMEOUT: '2s' });
	const [one, other] = [await half(receiver.url), await half(receiver.url)];
	receiver.child.kill('SIGTERM');
	await untilClosed(receiver.url);
	one.finish();
	expect(await one.ended).toMatchObject({ statusCode: 200 });
	expect(await other.ended).toBe('ECONNRESET');
	expect(await receiver.exited).toEqual([0, null]);
});

it('a client is told to send no more on a connection that was used before, with the answer under way', async () => {
	const receiver = await startProcess(temporaryFolder());
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	const headersOf = async ({ finish, ended }: Awaited<ReturnType<typeof half>>) => {
		finish();
		return ((await ended) as IncomingMessage).headers;
	};
	expect(await headersOf(await half(receiver.url, agent))).toMatchObject({
		connection: 'keep-alive',
	});
	const last = await half(receiver.url, agent);
	receiver.child.kill('SIGTERM');
	await untilClosed(receiver.url);
	expect(await headersOf(last)).toMatchObject({ connection: 'close' });
	expect(await receiver.exited).toEqual([0, null]);
});
