// The examples that find letters in the receiver's book, count and prove them, and mend what needs a person, with
// this stack's credentials.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Execution, StoredWorkflow, WorkflowFile } from '../n8n/api.ts';
import { using, writingTo } from '../n8n/example-workflows.ts';
import { until } from '../n8n/poll.ts';
import { startMailbox, type Mailbox } from '../support/mailbox.ts';
import { byReceiver } from '../support/sandbox.ts';
import { pullElsewhere, refuseBatch } from './elsewhere.ts';
import { press, saveSmtp } from './mails.ts';
import { node, saveChain, sendLetter, START } from './workflows.ts';
import { stack, useStack } from './use-stack.ts';

jest.setTimeout(240_000);

let mailbox: Mailbox;
let smtp: string;
useStack({ receiverEnv: { WATCH_DELAYS: '0s:1s' } });

beforeAll(async () => {
	mailbox = await startMailbox();
	smtp = await saveSmtp(stack, mailbox);
}, 300_000);
afterAll(() => mailbox?.close());

/**
 * As who uses it: with this stack's mail server, receiver and folder.
 *
 * @param words what to write instead of the example's own
 */
const importExample = async (
	file: string,
	words: Record<string, string> = {},
	change: (workflow: WorkflowFile) => void = () => {},
) =>
	await stack.importExample(file, (workflow) => {
		let text = JSON.stringify(writingTo(stack.n8n.filesFolder, workflow));
		const all = { ...words, 'https://receiver.example.com': stack.receiver.url };
		for (const [sample, own] of Object.entries(all)) text = text.replaceAll(sample, own);
		Object.assign(workflow, JSON.parse(text));
		using({ smtp })(workflow);
		change(workflow);
	});

const parametersOf = (workflow: WorkflowFile, name: string) =>
	workflow.nodes.find((one) => one.name === name)?.parameters as Record<string, object>;

/** Sends a letter to each, in one execution. */
async function send(reference: string, names: string[]): Promise<Execution> {
	const people = names.map((name) => ({ email: `${name}@${reference}.example` }));
	const items = node('Items', 'n8n-nodes-base.set', 3.4, {
		mode: 'raw',
		jsonOutput: JSON.stringify({ people }),
		options: {},
	});
	const each = node('Each', 'n8n-nodes-base.splitOut', 1, {
		fieldToSplitOut: 'people',
		options: {},
	});
	const recipientsJson = '={{ [{ email: $json.email, firstname: "Ada", lastname: "Martin" }] }}';
	const options = { fileReference: reference, sendOnceKey: `={{ '${reference} ' + $json.email }}` };
	const letter = sendLetter(
		{ type: 'LRE', recipientsJson, options },
		{ onError: 'continueRegularOutput' },
	);
	const follow = byReceiver(stack.receiver.url, stack.managementToken);
	return await stack.api.run(
		await saveChain(stack, `Letters of ${reference}`, [START, items, each, letter], follow),
	);
}

/** They leave, and nobody hears of it. */
async function sendLost(reference: string, names: string[]): Promise<void> {
	const fault = { kind: 'cutAfter' as const };
	await stack.sandbox.control('POST /faults', {
		faults: [{ method: 'POST', path: '/messages/bulk_send', times: names.length, fault }],
	});
	await send(reference, names);
}

interface Known {
	messageId: string | null;
	outcome: string;
	recipient: string | null;
}
const book = async (reference: string) =>
	await listed<Known>(`/letters?fileReference=${reference}`);

/** What the receiver lists there. */
const listed = async <T>(path: string): Promise<T[]> =>
	(await stack.receiverApi.call<{ data: T[] }>('GET', path)).data;

const output = ({ output: nodes }: Execution, name: string) => nodes[name].map(({ json }) => json);

/** Runs it up to the mail that asks, and answers. */
async function runAndAnswer(
	workflow: StoredWorkflow,
	button: 'Approve' | 'Decline',
): Promise<{ mail: string; execution: Execution }> {
	const count = mailbox.mails.length;
	const id = await stack.api.start(workflow);
	const mail = await until('the mail that asks', async () => mailbox.mails[count]);
	await press(mail, button);
	return { mail, execution: await stack.api.finished(id) };
}

it('the report of a mailing counts every letter, and its proof pack can be checked', async () => {
	await send('rent-1', ['accept', 'refuse', 'never', 'bounce']);
	await sendLost('rent-1', ['lost']);
	await until('all to be known', async () => {
		const outcomes = (await book('rent-1')).map(({ outcome }) => outcome).sort();
		return outcomes.join() === 'accepted,open,refused,undelivered,unknown';
	});
	const workflow = await importExample('mailing-report.json', { 'RENT-2026': 'rent-1' });
	const execution = await stack.api.run(workflow);
	expect(execution).toMatchObject({ status: 'success', error: null });
	const [report] = output(execution, 'The report');
	expect(report).toMatchObject({
		letters: 5,
		accepted: 1,
		refused: 1,
		notAnswered: 1,
		bounced: 1,
		unknown: 1,
		evidenceComplete: false,
	});
	const rows = report.rows as Array<Record<string, string>>;
	const complete = Object.fromEntries(
		rows.map(({ answer, evidence, evidenceComplete }) => [answer, [evidence, evidenceComplete]]),
	);
	expect(complete).toEqual({
		accepted: ['SENT ACCEPTED', 'yes'],
		refused: ['SENT REFUSED', 'yes'],
		'not answered': ['SENT', 'not yet'],
		bounced: ['SENT UNDELIVERED', 'yes'],
		unknown: ['', 'not yet'],
	});

	const folder = stack.n8n.filesFolder;
	const files = (await readdir(folder)).filter((file) => file.startsWith('proof-rent-1'));
	const pdfs = files.filter((file) => file.endsWith('.pdf'));
	expect([files.length, pdfs.length]).toEqual([9, 7]);
	const named = (ending: string) => join(folder, files.find((file) => file.endsWith(ending)) ?? '');
	const sums = (await readFile(named('-SHA256SUMS'), 'utf8')).trim().split('\n').sort();
	const digests = pdfs.map(async (file) => {
		const content = await readFile(join(folder, file));
		expect(content.subarray(0, 5).toString()).toBe('%PDF-');
		return `${createHash('sha256').update(content).digest('hex')}  ${file}`;
	});
	expect(sums).toEqual((await Promise.all(digests)).sort());
	const list = (await readFile(named('-letters.csv'), 'utf8')).trim().split(/\r?\n/);
	expect(list[0]).toMatch(/messageId,recipient,type,answer,outcome,sentAt/);
	expect(list).toHaveLength(6);
	expect(list.join('\n')).toContain('refuse@rent-1.example,LRE,refused,refused');
});

it('a report whose PDF can’t be fetched says so in its row, and has the others', async () => {
	await send('rent-2', ['accept', 'never']);
	await until('the answer', async () =>
		(await book('rent-2')).some(({ outcome }) => outcome === 'accepted'),
	);
	const workflow = await importExample('mailing-report.json', { 'RENT-2026': 'rent-2' });
	const known = await book('rent-2');
	const never = known.find(({ recipient }) => recipient === 'never@rent-2.example');
	const path = `/messages/${never?.messageId}`;
	await stack.sandbox.control('POST /faults', {
		faults: [{ method: 'GET', path, times: null, fault: { kind: 'status', status: 404 } }],
	});
	const { output: nodes, status } = await stack.api.run(workflow);
	await stack.sandbox.control('DELETE /faults');
	expect(status).toBe('success');
	const rows = nodes['The report'][0].json.rows as Array<Record<string, string>>;
	expect(rows).toMatchObject([
		{
			answer: 'not answered',
			evidenceComplete: 'no, without SENT',
			problem: expect.stringMatching(/./),
		},
		{ answer: 'accepted', evidenceComplete: 'yes', problem: '' },
	]);
});

it('what is still open after ten days is told to a person, and nothing else', async () => {
	await send('open-1', ['never', 'accept']);
	await until('the answer', async () =>
		(await book('open-1')).some(({ outcome }) => outcome === 'accepted'),
	);
	const before = mailbox.mails.length;
	expect(await stack.api.run(await importExample('still-open.json'))).toMatchObject({
		status: 'success',
	});
	expect(mailbox.mails).toHaveLength(before);
	const workflow = await importExample('still-open.json', {}, (file) => {
		const { options } = parametersOf(file, 'Get those still open');
		Object.assign(options, { until: '={{ $now.plus({ days: 1 }) }}', fileReference: 'open-1' });
	});
	expect(await stack.api.run(workflow)).toMatchObject({ status: 'success', error: null });
	const [mail] = mailbox.mails.slice(before);
	const [{ messageId }] = (await book('open-1')).filter(({ outcome }) => outcome === 'open');
	expect(mail).toContain('Subject: Not answered for ten days: 1');
	expect(mail).toContain('never@open-1.example: LRE open-1');
	expect(mail).toContain(`${stack.receiver.url}/#/letters/${messageId}`);
	expect(mail).not.toContain('accept@open-1.example');
});

it('dead batches are handed out again once somebody has looked', async () => {
	const event = 'letter.accepted';
	await refuseBatch(stack, event, 'no credential', async () => {
		await send('dead-1', ['accept']);
	});
	const workflow = await importExample('dead-batches.json');

	const dead = async () => await listed('/batches?state=dead');
	const declined = await runAndAnswer(workflow, 'Decline');
	expect(declined.mail).toContain('Subject: Hand out dead batches again (1)?');
	expect(declined.mail).toMatch(/Invoices, \d{12}: no credential/);
	expect(await dead()).toHaveLength(1);

	const { execution } = await runAndAnswer(workflow, 'Approve');
	expect(execution).toMatchObject({ status: 'success', error: null });
	expect(await dead()).toEqual([]);
	expect(await pullElsewhere(stack, event)).toMatchObject([{ attempt: 1 }]);
	await stack.receiverApi.call('DELETE', '/consumers/elsewhere~flow');
	expect(await stack.api.run(workflow)).toMatchObject({ status: 'success' });
});

it('erases a person: all letters to the address and what names them, after a look', async () => {
	const email = 'ada@erase-1.example';
	await send('erase-1', ['ada', 'ben']);
	await sendLost('erase-1', ['lost']);
	const erase = async (who: string) =>
		await importExample('erase-person.json', { 'ada@recipients.example': who });
	const declined = await runAndAnswer(await erase(email), 'Decline');
	expect(declined.mail).toContain(`Subject: Erase all letters to ${email} (1)?`);
	expect(await book('erase-1')).toHaveLength(3);

	const { execution } = await runAndAnswer(await erase(email), 'Approve');
	expect(execution).toMatchObject({ status: 'success', error: null });
	expect((await book('erase-1')).map(({ recipient }) => recipient)).toEqual([
		'lost@erase-1.example',
		'ben@erase-1.example',
	]);

	await runAndAnswer(await erase('lost@erase-1.example'), 'Approve');
	expect(JSON.stringify(await listed('/claims?state=unknown'))).not.toContain(
		'lost@erase-1.example',
	);
});

it('settles letters of unknown outcome as a person says', async () => {
	await sendLost('settle-1', ['sent', 'gone']);
	const { messages } = await stack.sandbox.control('GET /state');
	const there = messages.find(({ contact }) => contact.email === 'sent@settle-1.example');
	const workflow = await importExample('settle-unknown.json', {}, (file) => {
		const { options } = parametersOf(file, 'Get unknown letters');
		Object.assign(options, { fileReference: 'settle-1' });
	});
	const seen = mailbox.mails.length;
	const id = await stack.api.start(workflow);
	for (const at of [0, 1]) {
		const mail = await until('the mail that asks', async () => mailbox.mails[seen + at]);
		const body = new FormData();
		const isSent = mail.includes('sent@settle-1.example');
		body.append('field-0', isSent ? 'It was sent' : 'It was not sent');
		body.append('field-1', isSent ? String(there?.id) : '');
		await press(mail, 'Respond', body);
	}
	expect(await stack.api.finished(id)).toMatchObject({ status: 'success', error: null });
	expect(await book('settle-1')).toMatchObject([
		{ messageId: there?.id, outcome: 'open', recipient: 'sent@settle-1.example' },
	]);
	expect(await listed('/claims?state=unknown&letters=none')).toEqual([]);
	// Freed, it can be sent.
	const again = await send('settle-1', ['gone']);
	expect(output(again, 'Send Letter')).toMatchObject([{ messageId: expect.any(String) }]);
});
