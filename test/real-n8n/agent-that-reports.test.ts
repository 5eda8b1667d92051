// The example of an agent that sends a letter after a person's approval, sleeps until it is answered, and reports.
// Only the chat model is a stand-in: n8n's agent, its human review, its workflow tool and the sandbox are real.
import type { StoredWorkflow } from '../n8n/api.ts';
import { using } from '../n8n/example-workflows.ts';
import { until } from '../n8n/poll.ts';
import { startMailbox, type Mailbox } from '../support/mailbox.ts';
import { sandboxState } from '../support/sandbox.ts';
import { untilAsleep } from './awaiting.ts';
import { startChatModel, type ChatModel } from './chat-model.ts';
import { fillIn } from './forms.ts';
import { press, saveSmtp } from './mails.ts';
import { stack, useStack } from './use-stack.ts';

jest.setTimeout(240_000);

let model: ChatModel;
let mailbox: Mailbox;
let workflow: StoredWorkflow;
useStack({ sandbox: { automatic: false }, receiverEnv: { WATCH_DELAYS: '0s:1s' } });

beforeAll(async () => {
	model = await startChatModel();
	mailbox = await startMailbox();
	const own = {
		openAiApi: await stack.api.saveCredential('A chat model', 'openAiApi', model.credential),
		smtp: await saveSmtp(stack, mailbox),
	};
	workflow = await stack.importExample('agent-that-reports.json', using(own));
	await stack.api.activate(workflow.id);
}, 300_000);
afterAll(async () => {
	await model?.close();
	await mailbox?.close();
}, 120_000);

/** A model that sends the letter, then repeats what the tool told it. */
const sending =
	(email: string): ChatModel['answer'] =>
	({ messages }) => {
		const told = messages.filter(({ role }) => role === 'tool').at(-1);
		if (told) return { content: String(told.content) };
		const letter = {
			email,
			firstname: 'Ada',
			lastname: 'Martin',
			body: '<p>Your lease ends on 31 December.</p>',
		};
		const input = { toolParameters: letter, hitlParameters: {} };
		return { tool: 'Send_and_wait_for_the_answer', input };
	};

/** Fills in the form, and answers the mail that shows the letter. */
async function askFor(email: string, button: 'Send it' | 'Do not send it'): Promise<void> {
	model.answer = sending(email);
	await fillIn(stack, workflow, [`Write to ${email}`]);
	const mail = await until('the mail that asks', async () =>
		mailbox.mails.find((one) => one.includes(`Ada Martin, ${email}`)),
	);
	expect(mail).toContain('Your lease ends on 31 December.');
	await press(mail, button);
}

const lettersTo = async (email: string) =>
	(await sandboxState(stack.sandbox)).messages.filter(({ contact }) => contact.email === email);

const letterTo = async (email: string) =>
	await until('the letter', async () => (await lettersTo(email))[0]);

const reportOf = async (words: string) =>
	await until(
		'the report',
		async () =>
			mailbox.mails.find(
				(one) => one.includes('Subject: What became of your letter') && one.includes(words),
			),
		40,
	);

/** Waits until the agent and its tool sleep. */
async function untilBothSleep(): Promise<void> {
	const both = (await stack.api.executionIds(workflow.id)).slice(-2);
	expect(both).toHaveLength(2);
	for (const id of both) await untilAsleep(stack, id);
}

it.each([
	['accept', 'accepted'],
	['refuse', 'refused'],
] as const)('%s: the agent reports it, with the evidence', async (trigger, outcome) => {
	const email = `${trigger}-1@agent.example`;
	await askFor(email, 'Send it');
	const { id } = await letterTo(email);
	await untilBothSleep();
	expect(mailbox.mails.filter((one) => one.includes(id))).toEqual([]);
	await stack.sandbox.control('POST /messages/{id}/{trigger}', { id, trigger });
	const report = await reportOf(id);
	expect(report).toContain(outcome);
	expect(report).toContain(`${stack.sandbox.url}/evidences/${id}/`);
	expect(await lettersTo(email)).toHaveLength(1);
});

it('not approved, sends nothing and says so', async () => {
	const email = 'declined@agent.example';
	await askFor(email, 'Do not send it');
	await reportOf('rejected');
	expect(await lettersTo(email)).toEqual([]);
});

it('approved, but not to be sent: the agent learns why', async () => {
	await askFor('nobody', 'Send it');
	const report = await reportOf('not sent');
	expect(report).toContain('which is not an email address');
});

it('killed while the letter is out, n8n goes on where it was, and the agent reports', async () => {
	const email = 'killed@agent.example';
	await askFor(email, 'Send it');
	const { id } = await letterTo(email);
	await untilBothSleep();
	await stack.n8n.kill();
	await stack.startN8n();
	await stack.sandbox.control('POST /messages/{id}/{trigger}', { id, trigger: 'accept' });
	const report = await reportOf(id);
	expect(report).toContain('accepted');
	expect(await lettersTo(email)).toHaveLength(1);
});
