// What an agent's calls become: letters, and which of them are the same. An agent up to version 2 calls the tool
// itself, and each try of a call is a run of its own, so what it asked for tells one letter from another. From version
// 3 on, the engine runs it for the agent like any node. Only the chat model is a stand-in:
// both kinds of n8n's agent, its MCP server and the sandbox are real.
import type { Execution, StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import { sandboxState, type Fault } from '../support/sandbox.ts';
import { startChatModel, type ChatModel } from './chat-model.ts';
import { stack, useStack } from './use-stack.ts';
import { node, PACK, START } from './workflows.ts';

jest.setTimeout(240_000);

let model: ChatModel;
useStack({ sandbox: { automatic: false } });

beforeAll(async () => {
	model = await startChatModel();
}, 300_000);
afterAll(async () => {
	await model?.close();
}, 120_000);

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const connect = (to: string, type: string) => ({ [type]: [[{ node: to, type, index: 0 }]] });

/** Agent 2 is told nothing of a tool that fails. */
const TOLD = { onError: 'continueRegularOutput' };
const RETRIED = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** The tool, which sends a letter to whom its caller says. */
async function letterTool(options: object, settings: object = TOLD) {
	const service = await stack.api.saveCredential(
		'The service of an agent',
		'registeredDeliveryApi',
		stack.serviceCredential('direct'),
	);
	const recipientsJson =
		'={{ { email: $fromAI("email", "Whom to write to", "string"), firstname: "A", lastname: "B" } }}';
	const parameters = {
		operation: 'send',
		type: 'LS',
		body: '<p>Dear reader</p>',
		options,
		recipientsFrom: 'json',
		recipientsJson,
	};
	return node('Letter', `${PACK}.sendLetterTool`, 1, parameters, {
		credentials: { registeredDeliveryApi: { id: service, name: 'The service of an agent' } },
		...settings,
	});
}

async function withAgent(
	version: number,
	options: object = {},
	settings?: object,
): Promise<StoredWorkflow> {
	const id = await stack.api.saveCredential('A chat model', 'openAiApi', model.credential);
	const chosen = { __rl: true, mode: 'id', value: 'gpt-5-mini' };
	const saying = { promptType: 'define', text: 'Write to Ada', options: {} };
	return await stack.api.saveWorkflow({
		name: `Agent ${version} ${JSON.stringify([options, settings])}`,
		nodes: [
			START,
			node('Agent', `${LANGCHAIN}.agent`, version, saying),
			node(
				'Model',
				`${LANGCHAIN}.lmChatOpenAi`,
				1.3,
				{ model: chosen, responsesApiEnabled: false, options: {} },
				{ credentials: { openAiApi: { id, name: 'A chat model' } } },
			),
			await letterTool(options, settings),
		],
		connections: {
			Start: connect('Agent', 'main'),
			Model: connect('Agent', 'ai_languageModel'),
			Letter: connect('Agent', 'ai_tool'),
		},
		settings: { executionOrder: 'v1', saveManualExecutions: true },
	});
}

let people = 0;
let email = '';
beforeEach(() => {
	email = `reader${++people}@recipients.example`;
});
const letters = async (...emails: string[]) => {
	const { messages } = await sandboxState(stack.sandbox);
	return messages.filter(({ contact }) => [email, ...emails].includes(contact.email));
};
const results = ({ messages }: ChatModel['asked'][number]) =>
	messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content));

const saidIn = (output: Execution['output']) => String(output.Agent[0].json.output);

/** A model that calls the tool so often, with the same words, then says what it was told. */
const calling =
	(times: number): ChatModel['answer'] =>
	(asked) => {
		const told = results(asked);
		return told.length < times
			? { tool: 'Letter', input: { email } }
			: { content: told.join('\n') };
	};

const faultNext = async (fault: Fault) =>
	await stack.sandbox.control('POST /faults', {
		faults: [{ method: 'POST', path: '/messages/bulk_send', fault }],
	});
const loseNext = async () => await faultNext({ kind: 'cutAfter' });

const KEY = { sendOnceKey: '={{ $fromAI("email", "Whom to write to", "string") }}' };

describe.each([
	{ version: 2.2, ofTwoCalls: 1 },
	{ version: 3.1, ofTwoCalls: 2 },
])('agent $version', ({ version, ofTwoCalls }) => {
	it(`two calls with the same words send ${ofTwoCalls}`, async () => {
		model.answer = calling(2);
		const { status } = await stack.api.run(await withAgent(version));
		expect(status).toBe('success');
		expect(await letters()).toHaveLength(ofTwoCalls);
	});

	it('calls with other words are other letters', async () => {
		const emails = [email, `another-${email}`];
		model.answer = (asked) => {
			const told = results(asked);
			return told.length < 2
				? { tool: 'Letter', input: { email: emails[told.length] } }
				: { content: told.join('\n') };
		};
		await stack.api.run(await withAgent(version));
		expect(await letters(...emails)).toHaveLength(2);
	});

	it('the tries of a call send one letter, whether the first was rejected or lost', async () => {
		for (const fault of [{ kind: 'status', status: 422 }, { kind: 'cutAfter' }] as const) {
			email = `${fault.kind}-${email}`;
			model.answer = calling(1);
			await faultNext(fault);
			await stack.api.run(await withAgent(version, {}, RETRIED));
			expect(await letters()).toHaveLength(1);
		}
	});

	it(`a call that is repeated, since its outcome is unknown, makes ${ofTwoCalls} in all`, async () => {
		model.answer = calling(2);
		await loseNext();
		const { output } = await stack.api.run(await withAgent(version));
		expect(saidIn(output)).toContain('Outcome unknown');
		expect(await letters()).toHaveLength(ofTwoCalls);
	});

	it('with a key they make one, lost or not', async () => {
		model.answer = calling(2);
		const workflow = await withAgent(version, KEY);
		await stack.api.run(workflow);
		expect(await letters()).toHaveLength(1);
		email = `another-${email}`;
		await loseNext();
		const { output } = await stack.api.run(workflow);
		expect(saidIn(output)).toContain('Outcome unknown');
		expect(await letters()).toHaveLength(1);
	});

	it('a retry, since the model failed behind the letter, sends none', async () => {
		model.answer = (asked) =>
			results(asked).length < 1 ? { tool: 'Letter', input: { email } } : { fails: true };
		const failed = await stack.api.run(await withAgent(version));
		expect(failed.status).toBe('error');
		const [{ id }] = await letters();
		model.answer = calling(1);
		const { output } = await stack.api.retry(failed.id);
		expect(saidIn(output)).toContain(id);
		expect(await letters()).toHaveLength(1);
	});
});

describe('MCP Server Trigger', () => {
	/** Publishes the tool under a path. @returns how a client calls it, who gets its words */
	async function serving(options: object) {
		const path = crypto.randomUUID();
		const workflow = await stack.api.saveWorkflow({
			name: `MCP ${path}`,
			nodes: [
				node('MCP', `${LANGCHAIN}.mcpTrigger`, 2, { path }, { webhookId: path }),
				await letterTool(options),
			],
			connections: { Letter: connect('MCP', 'ai_tool') },
			settings: { executionOrder: 'v1' },
		});
		await stack.api.activate(workflow.id);
		const url = `${stack.n8n.url}/mcp/${path}`;
		let session: string | null = null;
		const post = async (method: string, params: object) => {
			const response = await fetch(url, {
				method: 'POST',
				headers: {
					'content-type': 'application/json',
					accept: 'application/json, text/event-stream',
					...(session && { 'mcp-session-id': session }),
				},
				body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
			});
			session ??= response.headers.get('mcp-session-id');
			return { ok: response.ok, said: await response.text() };
		};
		const clientInfo = { name: 'client', version: '1' };
		const hello = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
		await until('the MCP server', async () => (await post('initialize', hello)).ok);
		return async () => (await post('tools/call', { name: 'Letter', arguments: { email } })).said;
	}

	it.each([
		['each call sends a letter, a repeated one, too', {}, 2],
		['with a key, a repeated call is told what the first sent', KEY, 1],
	])('%s', async (_title, options, expected) => {
		const call = await serving(options);
		const said = [await call(), await call()];
		const sent = await letters();
		expect(sent).toHaveLength(expected);
		expect(said[0]).toContain(sent[0].id);
		expect(said[1]).toContain(sent[expected - 1].id);
	});
});
