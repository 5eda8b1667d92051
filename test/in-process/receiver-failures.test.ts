// What Await Outcome says when a real receiver does not do what it asks. (What Send Letter says of its
// letters stands in send-letter-watch.test.ts, what the trigger says in trigger-publishing.test.ts.)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { readConfig } from '../../webhook-receiver/src/config/read-config.ts';
import { startReceiver, type Receiver } from '../../webhook-receiver/src/server.ts';
import { runNode } from '../support/n8n-core.ts';

const managementToken = 'management-token-of-the-test';

let folder: string;
let receiver: Receiver;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'receiver-failures-'));
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

const NOBODY = { receiverUrl: 'http://127.0.0.1:9' };
const WRONG_TOKEN = { managementToken: 'wrong-token-of-the-test' };
const elsewhere = () => ({ receiverUrl: `${receiver.url}/elsewhere/` });

it('nobody answers', async () => {
	const { message, description } = (await awaitOutcome(NOBODY)) as Shown;
	expect(message).toBe('The webhook receiver cannot be reached');
	expect(description).toMatch(
		/^Nothing answers at the Receiver URL.* the receiver is running\. Reported as ECONNREFUSED\. The execution did not go to sleep\. Check the Receiver URL of the credential\.$/,
	);
});

it('the token is wrong', async () => {
	expect(await awaitOutcome(WRONG_TOKEN)).toMatchObject({
		message: 'The webhook receiver does not accept the Management Token of the credential',
		description: 'The execution did not go to sleep. Correct the credential or the receiver.',
		httpCode: '401',
	});
});

it('what answers is no receiver of this version', async () => {
	expect(await awaitOutcome(elsewhere())).toMatchObject({
		message: 'The webhook receiver does not support waiting for outcomes',
		description:
			'The execution did not go to sleep. Check the Receiver URL of the credential, and that the receiver has the same version as this node.',
		httpCode: '404',
	});
});
