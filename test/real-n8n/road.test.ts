import { createPrivateKey } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { pino } from 'pino';

import type { StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import { connectionsOf } from '../n8n/workers-n8n.ts';
import { untilEventsOf, type SeenEvent } from './events.ts';
import { leaks, pemLines, secretsOf, traces } from './secrets.ts';
import { saveChain, sendLetter, START, to } from './workflows.ts';
import { stack, useStack } from './use-stack.ts';

jest.setTimeout(120_000);

let follower: StoredWorkflow;
const receiverLog: string[] = [];
const sandboxReports: string[] = [];

useStack({
	receiverDependencies: {
		// Its own hides what is named like a secret: this one shows whether it is needed.
		logger: pino({ level: 'trace' }, { write: (line: string) => void receiverLog.push(line) }),
	},
	sandbox: { report: (error) => void sandboxReports.push(String(error)) },
});

beforeAll(async () => {
	// Other files have had this n8n before.
	await writeFile(connectionsOf(stack.n8n.userFolder), '');
	follower = await stack.importExample('follow-letters.json');
	await stack.activate(follower);
}, 300_000);

/** Runs the workflow and returns the id of the letter it sent. */
async function send(workflow: StoredWorkflow): Promise<string> {
	const execution = await stack.api.run(workflow);
	expect(execution).toMatchObject({ status: 'success', error: null });
	const messageId = execution.output['Send Letter'][0].json.messageId;
	expect(messageId).toMatch(/^\d{12}$/);
	return String(messageId);
}

const eventsOfLetter = async (messageId: string, count: number) =>
	await untilEventsOf(stack, follower, messageId, count);

const OPENED = ['tracked_mail.sent', 'tracked_mail.received', 'tracked_mail.opened'];
const typesOf = (events: SeenEvent[]) => events.map(({ type }) => type);

it('[STAT-01][STAT-02][STAT-03][T] runs the demo: the second workflow once for each of sent, received, opened', async () => {
	const demo = await stack.importExample('send-tracked-mail.json');
	const messageId = await send(demo);
	await eventsOfLetter(messageId, 3);
	await stack.receiverApi.untilDrained();
	const events = await eventsOfLetter(messageId, 3);
	expect(events).toMatchObject([
		{ type: 'tracked_mail.sent', status: 'SENT', terminal: false },
		{ type: 'tracked_mail.received', status: 'RECEIVED', terminal: false },
		{ type: 'tracked_mail.opened', status: 'OPENED' },
	]);
	expect(new Set(events.map(({ execution }) => execution)).size).toBe(3);
});

describe('the consumer', () => {
	const purposes = async () =>
		(await stack.consumers()).flatMap(({ key, held }) => (held ? [key.split('~').at(-1)] : []));

	it('outlives a restart of n8n: one, not two, and events still come', async () => {
		const before = await stack.consumers();
		expect(before).toHaveLength(1);
		await stack.restartN8n();

		const messageId = await send(await stack.importExample('send-tracked-mail.json'));
		const events = await eventsOfLetter(messageId, 3);
		expect(typesOf(events)).toEqual(OPENED);
		const [after, ...others] = await stack.consumers();
		expect(after).toMatchObject({ key: before[0].key, held: true, name: before[0].name });
		expect(others).toEqual([]);
	});

	it('of a test run starts one test execution, and the production workflow as ever', async () => {
		await stack.api.listen(follower, 'Registered Delivery Trigger');
		await until('the test consumer', async () => (await purposes()).length === 2);
		const messageId = await send(await stack.importExample('send-tracked-mail.json'));
		await eventsOfLetter(messageId, 4);
		await until('its end after one event', async () => (await purposes()).length === 1);
		await stack.receiverApi.untilDrained();
		const events = await eventsOfLetter(messageId, 4);
		expect(typesOf(events.filter(({ mode }) => mode === 'trigger'))).toEqual(OPENED);
		expect(typesOf(events.filter(({ mode }) => mode === 'manual'))).toEqual(['tracked_mail.sent']);
	});
});

describe('after all of this', () => {
	it('n8n has talked to this machine and nobody else', async () => {
		const noted = await readFile(connectionsOf(stack.n8n.userFolder), 'utf8');
		const remotes = [...new Set(noted.trim().split('\n'))];
		expect(remotes).toContain(new URL(stack.sandbox.url).host);
		expect(remotes.filter((one) => !/^(localhost|127\.[\d.]+|::1):\d+$/.test(one))).toEqual([]);
	});

	it('the sandbox had nothing to complain of', () => {
		expect(sandboxReports).toEqual([]);
	});

	it('no secret is in executions or logs, of a run that failed either', async () => {
		const passphrase = ' a passphrase, spaces and all ';
		const direct = stack.sandbox.accounts.find(({ name }) => name === 'direct');
		const clientKey = createPrivateKey(direct?.key ?? '')
			.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase })
			.toString();
		const workflow = await saveChain(
			stack,
			'To a stranger',
			[START, sendLetter({ type: 'LRE', ...to('never@recipients.example') })],
			{ caCertificate: '', clientKey, passphrase },
		);
		const { error } = await stack.api.run(workflow);
		expect(error?.message).toMatch(/not from a known authority/);
		const found = {
			...(await traces(stack)),
			'log of the receiver': receiverLog.join('\n'),
			'reports of the sandbox': sandboxReports.join('\n'),
		};
		expect(Object.keys(found).length).toBeGreaterThan(15);
		expect(receiverLog.length).toBeGreaterThan(10);
		const secrets = [...secretsOf(stack), ...pemLines(clientKey), passphrase];
		expect(leaks(found, secrets)).toEqual([]);
	});
});
