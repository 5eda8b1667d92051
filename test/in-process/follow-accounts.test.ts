// Where n8n itself follows letters of several accounts: each is asked for with its own token, as that is by now, and
// all of them together at the pace that is promised.
import { parse } from 'flatted';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { until } from '../contract/receiver/harness.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { byN8n } from '../support/sandbox.ts';
import { useStub } from './services.ts';
import { goneOn, isAsleep, left, SleepingN8n, type Execution } from './sleeping-n8n.ts';

// No faster: between requests that are under way all the time there would be no pause to see.
jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withHurriedClock(5),
);

jest.setTimeout(60_000);

const stub = useStub();
/** No service that knows the letters. */
const wrong = useStub();
let n8n: SleepingN8n;
beforeAll(async () => {
	n8n = await SleepingN8n.start(new AwaitOutcome());
});
afterAll(() => n8n.close());

/** By letter: its account's token, and what became of it. */
const letters = new Map<string, { token: string; status: string }>();
/** Requests for letters, each with the token that came with it, or should have. */
let asked: Array<{ id: string; token: unknown; own: string }>;

beforeEach(() => {
	letters.clear();
	wrong.answer = () => ({ status: 500, body: '' });
	asked = [];
	stub.answer = ({ path, headers }) => {
		const id = path.split('/').at(-1) ?? '';
		const { token, status } = letters.get(id) ?? { token: '', status: 'SENT' };
		const given = headers['x-api-token'];
		asked.push({ id, token: given, own: token });
		if (given !== token) return { status: 401, body: { message: 'No', code: 'unauthorized' } };
		return { body: { id, status, evidences: [] } };
	};
});

/** An execution that waits for letters, in a node with the credential of that account. */
async function sleeps(
	ids: string | readonly string[],
	account: string,
	mistaken: object | null = null,
) {
	const token = `token-of-${account}`;
	const all = [ids].flat();
	for (const id of all) letters.set(id, { token, status: 'SENT' });
	const given = mistaken ?? { ...stub.credential, apiToken: token };
	const service = { ...given, ...byN8n(n8n.url, n8n.apiKey) };
	const execution = await n8n.run({
		nodeId: `node-of-${account}`,
		credentialIds: { registeredDeliveryApi: account },
		credentials: { registeredDeliveryApi: service },
		items: all.map((messageId) => ({ json: { messageId, type: 'LRE' } })),
	});
	expect(isAsleep(execution)).toBe(true);
	return { execution, service };
}

async function accepted(id: string, execution: Execution): Promise<void> {
	const letter = letters.get(id);
	if (letter) letter.status = 'ACCEPTED';
	await goneOn(execution);
	expect(left(execution).map(([output]) => output)).toEqual(['Accepted']);
}

it('each letter is asked for with the token of its own account', async () => {
	const ones = await sleeps('000000000001', 'one');
	const twos = await sleeps('000000000002', 'two');
	const ids = ['000000000001', '000000000002'];
	await until(() => ids.every((id) => asked.some((one) => one.id === id)), 'both are asked for');
	await accepted('000000000001', ones.execution);
	await accepted('000000000002', twos.execution);
	expect(asked.filter(({ token, own }) => token !== own)).toEqual([]);
});

it('a credential that is mended counts as it is from then on', async () => {
	const mistaken = { ...wrong.credential, apiToken: 'token-of-three' };
	const { execution, service } = await sleeps('000000000003', 'three', mistaken);
	await until(() => wrong.requests.length > 0, 'it is asked for at the wrong address');
	Object.assign(service, stub.credential, { apiToken: 'token-of-three' });
	await accepted('000000000003', execution);
});

it('all accounts together get at most four requests a second', async () => {
	const accounts = ['four', 'five', 'six'];
	const asleep = accounts.map(async (account, at) => {
		// So many that without that limit they would be asked for more often.
		const ids = Array.from({ length: 30 }, (_, n) => String(1000 * (at + 1) + n).padStart(12, '0'));
		return await sleeps(ids, account);
	});
	const executions = await Promise.all(asleep);
	const before = asked.length;
	const began = Date.now();
	await until(() => asked.length >= before + 90, 'they are asked for');
	const seconds = (Date.now() - began) / 1000;
	// One of each account may have been under way when this began.
	const since = asked.length - before - accounts.length;
	expect(since).toBeLessThanOrEqual(1 + seconds * 4);
	for (const letter of letters.values()) letter.status = 'ACCEPTED';
	for (const { execution } of executions) await goneOn(execution);
});

it('what sleeps on the last page of n8n’s list is found', async () => {
	const asleep: Execution[] = [];
	n8n.apiInstead = ({ path, query }, response) => {
		const [known] = asleep as Array<Execution | undefined>;
		const id = path.split('/').at(-1) ?? '';
		const workflowId = 'workflow1';
		if (path === '/executions') {
			const isLast = query.cursor === 'next' || known === undefined;
			const listed = isLast ? known?.id : 'of another node';
			const data = listed === undefined ? [] : [{ id: listed, waitTill: 'then' }];
			response.json({ data, nextCursor: isLast ? null : 'next' });
		} else if (known === undefined) response.json({ id, workflowId, status: 'running' });
		else if (id !== known.id) response.status(404).json({ message: 'Not Found' });
		else response.json({ id, workflowId, status: 'waiting', data: parse(known.stored) as object });
	};
	const { execution } = await sleeps('000000000020', 'seven');
	asleep.push(execution);
	await accepted('000000000020', execution);
	n8n.apiInstead = null;
});
