import { Agent, request } from 'node:https';
import fc from 'fast-check';
import { startSandbox, type Sandbox } from '../../../sandbox/src/sandbox.ts';
import { tenfoldAtNight } from '../../support/ring.ts';
import { accountOf, call, form, letter, person, readAnswer, send, type Answer } from './client.ts';
import { checkAnswer } from './described.ts';
import { requests, type FuzzedRequest, type Known } from './fuzz-requests.ts';

// The same in every run unless told otherwise: FUZZ_SEED=… FUZZ_RUNS=… npm run jest -- …
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const RUNS = Number(process.env.FUZZ_RUNS ?? tenfoldAtNight(1_000));

jest.setTimeout(300_000);

let sandbox: Sandbox;
const agents = new Map<string, Agent>();
const reported: unknown[] = [];

beforeAll(async () => {
	sandbox = await startSandbox({ automatic: false, report: (error) => void reported.push(error) });
});
afterAll(async () => {
	for (const agent of agents.values()) agent.destroy();
	await sandbox.close();
});

/** Connections are kept: one handshake for each who asks, not for each request. */
function agentOf(as: string, certificate: boolean): Agent {
	const key = `${as} ${certificate}`;
	const account = certificate ? accountOf(sandbox, as) : null;
	const shown = account ? { cert: account.certificate ?? '', key: account.key ?? '' } : {};
	const agent =
		agents.get(key) ?? new Agent({ keepAlive: true, ca: sandbox.caCertificate, ...shown });
	agents.set(key, agent);
	return agent;
}

function ask({ method, path, as, certificate, contentType, body }: FuzzedRequest): Promise<Answer> {
	return new Promise((resolve, reject) => {
		const outgoing = request(sandbox.url, {
			// As it is: a URL object would mend the path.
			path,
			method,
			agent: agentOf(as ?? 'direct', certificate),
			headers: {
				...(as ? { 'x-api-token': accountOf(sandbox, as).token } : {}),
				...(contentType ? { 'content-type': contentType } : {}),
				...(body ? { 'content-length': body.length } : {}),
			},
		});
		outgoing.on('response', (incoming) => void readAnswer(incoming).then(resolve, reject));
		outgoing.on('error', reject);
		outgoing.end(body ?? undefined);
	});
}

async function prepare(): Promise<Known> {
	const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
	const messages = [];
	for (const changes of [{}, { type: 'AES' }, { scheduledAt }, { type: 'LRE' }])
		for (const as of ['direct', 'reseller'])
			messages.push(
				(await send(sandbox, letter(changes), { as, certificate: true })).json.messages[0].id,
			);
	const { customers } = accountOf(sandbox, 'reseller');
	const { recipients } = person('ada');
	const consents = [];
	for (const type of ['EMAIL', 'LINK'])
		consents.push(
			(await call(sandbox, '/consents/bulkStore', { as: 'reseller', body: { type, recipients } }))
				.json[0].id,
		);
	return { messages, consents, customers: customers.map(({ id }) => id) };
}

it(`${RUNS} generated requests: always an answer the interface has, never a fault`, async () => {
	const known = await prepare();
	const seen = new Map<number, number>();
	await fc.assert(
		fc.asyncProperty(requests(known), async (generated) => {
			const answer = await ask(generated);
			seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
			checkAnswer(generated.method, pathname(generated.path), answer);
			expect(answer.status).toBeLessThan(500);
			// Words of a library, about its types.
			expect(String(answer.bytes)).not.toMatch(
				/Invalid (?:input|option)|\bToo (?:small|big)|Unrecognized/,
			);
			expect(reported).toEqual([]);
		}),
		{ numRuns: RUNS, seed: SEED, endOnFailure: true },
	);
	// The generator is worth something only if requests get far, and fail in every way.
	const statuses = [200, 201, 204, 400, 401, 403, 404, 405, 415, 422];
	if (RUNS >= 10_000) expect([...seen.keys()]).toEqual(expect.arrayContaining(statuses));
	const share = (seen.get(200) ?? 0) + (seen.get(201) ?? 0);
	expect(share / RUNS).toBeGreaterThan(0.05);
});

it('still serves as ever afterwards', async () => {
	const body = form(
		['type', 'LS'],
		['body', 'Hi'],
		['recipients', JSON.stringify(letter().recipients)],
	);
	expect((await send(sandbox, body)).status).toBe(201);
});

/** Without the query; `..` is no way up for a service. */
const pathname = (path: string): string => path.split('?')[0] ?? path;
