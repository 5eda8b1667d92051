// The example of an agent whose sending waits for a person. Only the chat model is a stand-in: n8n's agent,
// its human review, its chat and the sandbox are real.
import { parse as parseFlatted } from 'flatted';

import type { StoredWorkflow } from '../n8n/api.ts';
import { using } from '../n8n/example-workflows.ts';
import { until } from '../n8n/poll.ts';
import { sandboxState } from '../support/sandbox.ts';
import { untilAsleep } from './awaiting.ts';
import { startChatModel, type ChatModel } from './chat-model.ts';
import { BROWSER } from './mails.ts';
import { stack, useStack } from './use-stack.ts';

jest.setTimeout(240_000);

let model: ChatModel;
let workflow: StoredWorkflow;
useStack();

beforeAll(async () => {
	model = await startChatModel();
	const openAiApi = await stack.api.saveCredential('A chat model', 'openAiApi', model.credential);
	workflow = await stack.importExample('agent-with-approval.json', using({ openAiApi }));
}, 300_000);
afterAll(async () => {
	await model?.close();
}, 120_000);

const letter = {
	email: 'never@recipients.example',
	firstname: 'Ada',
	lastname: 'Martin',
	body: '<p>Your lease ends on 31 December.</p>',
};
const SEND = 'Send_a_registered_letter';
const STATUS = 'Get_the_status_of_a_letter';

/** What the tools have told the model since somebody last wrote. */
const results = ({ messages }: ChatModel['asked'][number]): string[] => {
	const since = messages.findLastIndex(({ role }) => role === 'user');
	return messages
		.slice(since)
		.filter(({ role }) => role === 'tool')
		.map(({ content }) => JSON.stringify(content));
};

const sent = async () => (await sandboxState(stack.sandbox)).messages;

interface Button {
	text: string;
	link: string;
}

/** A conversation of one message, as in n8n's chat: what came back, and the buttons. */
async function chat(message: string) {
	const sessionId = crypto.randomUUID();
	const id = await stack.api.startWith(workflow, 'When a chat message comes', {
		action: 'sendMessage',
		sessionId,
		chatInput: message,
	});
	await untilAsleep(stack, id);
	const { resumeToken } = parseFlatted((await stack.api.execution(id)).raw) as {
		resumeToken: string;
	};
	const query = new URLSearchParams({ sessionId, executionId: id, token: resumeToken });
	const socket = new WebSocket(`${stack.n8n.url.replace('http', 'ws')}/chat?${query.toString()}`);
	const said: string[] = [];
	socket.addEventListener('message', ({ data }) => {
		if (data === 'n8n|heartbeat') socket.send('n8n|heartbeat-ack');
		else if (data !== 'n8n|continue') said.push(String(data));
	});
	return {
		id,
		said,
		buttons: async (): Promise<{ text: string; buttons: Button[] }> =>
			JSON.parse(await until('the question', async () => said[0])),
		press: async ({ link }: Button) => {
			expect((await fetch(link, { headers: BROWSER })).ok).toBe(true);
		},
		write: (words: string) =>
			socket.send(JSON.stringify({ action: 'sendMessage', sessionId, chatInput: words })),
		/** The agent's last words, once the execution has ended. */
		end: async () => {
			expect(await stack.api.finished(id)).toMatchObject({ status: 'success', error: null });
			return said.at(-1);
		},
	};
}

/** A model that sends the letter, then repeats what the tool told it. */
const sender: ChatModel['answer'] = (asked) => {
	const told = results(asked).at(-1);
	if (told !== undefined) return { content: told };
	return { tool: SEND, input: { toolParameters: letter, hitlParameters: {} } };
};

it('shows the letter and waits; declined, sends nothing and tells the agent', async () => {
	model.answer = sender;
	const talk = await chat('Write to Ada');
	const { text, buttons } = await talk.buttons();
	for (const shown of ['Ada Martin', letter.email, letter.body]) expect(text).toContain(shown);
	expect(buttons.map((button) => button.text).sort()).toEqual(['Do not send it', 'Send it']);
	expect(await sent()).toEqual([]);
	await talk.press(buttons.find((button) => button.text === 'Do not send it') as Button);
	expect(await talk.end()).toContain('rejected');
	expect(await sent()).toEqual([]);
});

it('approved, sends that letter, once', async () => {
	model.answer = sender;
	const talk = await chat('Write to Ada');
	const { buttons } = await talk.buttons();
	const yes = buttons.find((button) => button.text === 'Send it') as Button;
	await talk.press(yes);
	const words = await talk.end();
	const letters = await sent();
	expect(letters).toMatchObject([{ type: 'LRE', body: letter.body }]);
	expect(words).toContain(letters[0].id);
	model.answer = (asked) => {
		const told = results(asked).at(-1);
		if (told !== undefined) return { content: told };
		return { tool: STATUS, input: { messageId: letters[0].id } };
	};
	expect(await (await chat('Where is it?')).end()).toContain('SENT');

	// Whoever presses it again, or has the link, sends nothing more.
	await fetch(yes.link, { headers: BROWSER });
	expect(await sent()).toHaveLength(1);
});
