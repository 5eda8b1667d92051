// What an operation puts out feeds the default of every operation that reads a letter's ID: nothing is to
// be filled in between two nodes of the pack.
import type { IDataObject, INodeType } from 'n8n-workflow';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { DownloadEvidence } from '../../nodes/DownloadEvidence/DownloadEvidence.node.ts';
import { GetStatus } from '../../nodes/GetStatus/GetStatus.node.ts';
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { nodeDescriptions, operationsOf } from '../support/descriptions.ts';
import { runNode, type RunOptions } from '../support/n8n-core.ts';
import { byReceiver, sandboxState, serviceCredential } from '../support/sandbox.ts';
import { useStrictSandbox } from './services.ts';
import { event, executions, open, send, useDirectTrigger } from './direct-trigger.ts';

const NODES: Record<string, INodeType> = {
	awaitOutcome: new AwaitOutcome(),
	downloadEvidence: new DownloadEvidence(),
	getStatus: new GetStatus(),
	sendLetter: new SendLetter(),
};

/** Those with a default that is an expression: what the node before put out. */
const readers = nodeDescriptions().flatMap((node) =>
	operationsOf(node)
		.filter((operation) =>
			node.properties.some(
				({ default: standard, displayOptions }) =>
					String(standard).startsWith('={{') &&
					(displayOptions?.show?.operation ?? [operation]).includes(operation),
			),
		)
		.map((operation) => ({ name: node.name, operation })),
);

/** What else those need that change something. */
const MORE: IDataObject = {
	scheduledAt: new Date(Date.now() + 3 * 86_400_000).toISOString(),
	sendTo: 'originalContact',
};

const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
const letter = (...emails: string[]) => ({
	operation: 'send',
	type: 'LS',
	body: '<p>Hello</p>',
	recipientsFrom: 'json',
	recipientsJson: emails.map((email) => ({ email, firstname: 'Ada', lastname: 'Martin' })),
	options: { scheduledAt },
});

const sandbox = useStrictSandbox();
useDirectTrigger();

async function run(
	name: string,
	parameters: object,
	json: IDataObject = {},
	more: Partial<RunOptions> = {},
) {
	return await runNode(NODES[name], {
		parameters: parameters as never,
		credentials: {
			registeredDeliveryApi: serviceCredential(sandbox, 'direct', {
				...(name.startsWith('await') && byReceiver('http://localhost:1', 'x')),
			}),
		},
		items: [{ json }],
		...more,
	});
}

const outputOf = async (name: string, parameters: object, json?: IDataObject) => {
	const { items, error } = await run(name, parameters, json);
	expect(error).toBeUndefined();
	return items[0].json;
};
const sent = async (...emails: string[]) => await outputOf('sendLetter', letter(...emails));
const one = async () => await sent('ada@recipients.example');
/** Only what has left can be sent again. */
const left = async () =>
	await outputOf('sendLetter', { ...letter('ada@recipients.example'), options: {} });
const eventOf = async (simplify: boolean) => {
	const { messageId } = await one();
	open({ simplify });
	await send(event('aes_sent', { messageId }));
	return executions.flat()[0];
};

/** What each puts out of a letter. */
const OUTPUTS: Record<string, () => Promise<IDataObject>> = {
	'sendLetter: send': one,
	'sendLetter: reschedule': async () =>
		await outputOf('sendLetter', { operation: 'reschedule', ...MORE }, await one()),
	'sendLetter: cancel': async () =>
		await outputOf('sendLetter', { operation: 'cancel' }, await one()),
	'sendLetter: resend': async () =>
		await outputOf('sendLetter', { operation: 'resend' }, await left()),
	'sendLetter: resendTo': async () =>
		await outputOf('sendLetter', { operation: 'resendTo', ...MORE }, await left()),
	'getStatus: get': async () => await outputOf('getStatus', { operation: 'get' }, await one()),
	'getStatus: get, raw': async () =>
		await outputOf('getStatus', { operation: 'get', simplify: false }, await one()),
	'downloadEvidence: download': async () =>
		await outputOf('downloadEvidence', { operation: 'download' }, await one()),
	'registeredDeliveryTrigger: null': async () => await eventOf(true),
	'registeredDeliveryTrigger: null, raw': async () => await eventOf(false),
};

/** Each output for the default of one ID and for that of several, and one output for all that have these. */
const pairs = Object.keys(OUTPUTS).flatMap((from) =>
	readers
		.filter(({ operation }) => from === 'sendLetter: send' || /^(get|resend)$/.test(`${operation}`))
		.map(({ name, operation }) => [from, name, operation] as const),
);

it('there are outputs and defaults of all nodes that are about letters', () => {
	expect(readers.map(({ name, operation }) => `${name}: ${operation}`).sort()).toEqual([
		'awaitOutcome: null',
		'downloadEvidence: download',
		'downloadEvidence: getLink',
		'getStatus: get',
		...['cancel', 'reschedule', 'resend', 'resendTo'].map((name) => `sendLetter: ${name}`),
	]);
});

it.each(pairs)('%s → %s: %s', async (from, name, operation) => {
	const output = await OUTPUTS[from]();
	await expectRead(name, operation, output, String(output.messageId));
});

it.each([
	['sendLetter', 'cancel'],
	['sendLetter', 'reschedule'],
	['sendLetter', 'resend'],
	['awaitOutcome', null],
])('a letter to several recipients → %s: %s', async (name, operation) => {
	const output = await sent('a@recipients.example', 'b@recipients.example');
	const ids = (output.messages as Array<{ id: string }>).map(({ id }) => id);
	await expectRead(name, operation, output, ...ids);
});

it('a letter that was not sent leaves Await Outcome as it came', async () => {
	const wrong = { ...letter('ada@recipients.example'), body: ' ' };
	const { items } = await run('sendLetter', wrong, {}, { onError: 'continueRegularOutput' });
	expect(items).toMatchObject([{ json: { error: expect.stringMatching(/^Body: /) } }]);
	const { error, run: result } = await run('awaitOutcome', {}, items[0].json);
	expect(error).toBeUndefined();
	const outputs = result.data.resultData.runData['Under Test'][0].data?.main ?? [];
	expect(outputs.map((all) => all ?? [])).toEqual([[], [], [], [], items]);
});

it('a scheduled letter tells when, with the offset of the zone; one that left at once does not', async () => {
	const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
	const later = { ...letter('ada@recipients.example'), options: { scheduledAt: `${day}T09:30` } };
	const { items } = await run('sendLetter', later, {}, { timezone: 'Asia/Kolkata' });
	expect(items).toMatchObject([{ json: { scheduledAt: `${day}T09:30:00+05:30` } }]);
	expect(await left()).toMatchObject({ scheduledAt: null });
});

async function expectRead(
	name: string,
	operation: string | null,
	output: IDataObject,
	...ids: string[]
): Promise<void> {
	const before = (await sandboxState(sandbox)).requests.length;
	const { error } = await run(name, { ...(operation && { operation }), ...MORE }, output);
	if (name === 'awaitOutcome') return expect(error?.message).toContain('cannot be reached');
	const requests = (await sandboxState(sandbox)).requests.slice(before);
	const named = JSON.stringify(requests.map(({ path, body }) => [path, body]));
	for (const id of ids) expect(named).toContain(id);
}
