// What Await Outcome and the trigger say when a real receiver does not do what they ask. (What Send
// Letter says of its letters stands in send-letter-watch.test.ts.)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { WEBHOOK_URL_HINT } from '../../nodes/shared/webhookUrl.ts';
import { readConfig } from '../../webhook-receiver/src/config.ts';
import { startReceiver, type Receiver } from '../../webhook-receiver/src/server.ts';
import { runNode } from '../support/n8n-core.ts';
import { N8nLike } from './trigger-harness.ts';

const managementToken = 'management-token-of-the-test';

let folder: string;
let receiver: Receiver;
let n8n: N8nLike;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'receiver-failures-'));
	n8n = await N8nLike.start();
	// Names no targets, so that no n8n on this machine is one.
	receiver = await startReceiver(
		readConfig({
			PORT: '0',
			DATABASE_FILE: join(folder, 'receiver.db'),
			MANAGEMENT_TOKEN: managementToken,
			INGEST_HMAC_SECRETS: 'ingest-secret-of-the-test',
			LOG_LEVEL: 'silent',
		}),
	);
});
afterAll(async () => {
	await receiver.close();
	n8n.close();
	await rm(folder, { recursive: true });
});

interface Shown {
	message: string;
	description: string;
}

const credentials = (change: object) => ({
	registeredDeliveryReceiverApi: { receiverUrl: receiver.url, managementToken, ...change },
});

async function awaitOutcome(change: object): Promise<unknown> {
	const items = [{ json: { messageId: '000000000123' } }];
	const options = { items, parameters: {}, credentials: credentials(change) };
	const { error, run } = await runNode(new AwaitOutcome(), options);
	expect(run.waitTill).toBeFalsy();
	expect(JSON.stringify(run)).not.toContain(managementToken);
	return error;
}

async function activate(change: object): Promise<unknown> {
	n8n.open({ credentials: credentials(change) });
	const error: unknown = await n8n.hooks.create
		.call(n8n.contexts.registering())
		.catch((thrown: unknown) => thrown);
	expect(JSON.stringify(error)).not.toContain(managementToken);
	return error;
}

const NOBODY = { receiverUrl: 'http://127.0.0.1:9' };
const WRONG_TOKEN = { managementToken: 'wrong-token-of-the-test' };
const elsewhere = () => ({ receiverUrl: `${receiver.url}/elsewhere/` });

describe.each([
	{
		node: 'Await Outcome',
		ask: awaitOutcome,
		refused: /^The webhook receiver refused to wait: Outcomes .*localhost/,
		unknown: 'The webhook receiver does not know how to wait for outcomes',
		consequence: 'The execution did not go to sleep.',
		todo: 'Correct the credential or the receiver.',
		unreachable: / Reported as ECONNREFUSED\. The execution did not go to sleep\. Check the Rec/,
	},
	{
		node: 'Registered Delivery Trigger',
		ask: activate,
		refused: /^The webhook receiver refused the registration: Events .*localhost/,
		unknown: 'The webhook receiver does not know how to register workflows',
		consequence: 'Nothing was registered.',
		todo: 'Correct the credential or the receiver, then activate the workflow again.',
		unreachable: / Reported as ECONNREFUSED\. Check the Rec/,
	},
])('$node', ({ ask, refused, unknown, consequence, todo, unreachable }) => {
	it('nobody answers', async () => {
		const { message, description } = (await ask(NOBODY)) as Shown;
		expect(message).toBe('The webhook receiver cannot be reached');
		expect(description).toMatch(unreachable);
		expect(description).toMatch(/Check the Receiver URL of the credential\.$/);
	});

	it('the token is wrong', async () => {
		expect(await ask(WRONG_TOKEN)).toMatchObject({
			message: 'The webhook receiver does not accept the Management Token of the credential',
			description: `${consequence} ${todo}`,
			httpCode: '401',
		});
	});

	it('what answers is no receiver of this version', async () => {
		expect(await ask(elsewhere())).toMatchObject({
			message: unknown,
			description: `${consequence} Check the Receiver URL of the credential, and that the receiver has the version of this node.`,
			httpCode: '404',
		});
	});

	it('n8n is no target the receiver may call', async () => {
		const { message, description } = (await ask({})) as Shown;
		expect(message).toMatch(refused);
		const [, target] = /If (localhost:\d+) is this n8n/.exec(description) ?? [];
		expect(description).toBe(
			`${consequence} If ${target} is this n8n, add it to ALLOWED_TARGETS of the receiver and restart the receiver. If it is not: ${WEBHOOK_URL_HINT}`,
		);
	});
});
