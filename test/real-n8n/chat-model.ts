// Stands in for a chat model: an HTTP server that speaks OpenAI's chat completions, as many do. What it
// says is up to the test; everything between n8n's agent and the service is real.
import { text } from 'node:stream/consumers';

import { serve } from '../support/http-server.ts';

/** What n8n's agent asks: the conversation so far, and the tools it may use. */
export interface Asked {
	messages: Array<{ role: string; content: unknown; tool_call_id?: string }>;
	tools?: Array<{ function: { name: string; description: string; parameters: object } }>;
	stream?: boolean;
}

/** What the model says: words, or the tool it wants to call; or that it can't. */
export type Said = { content: string } | { tool: string; input: object } | { fails: true };

export interface ChatModel {
	/** What the OpenAI credential needs. */
	credential: { apiKey: string; url: string };
	/** Everything asked so far. */
	asked: Asked[];
	/** Decides what the model says next. */
	answer: (asked: Asked) => Said;
	close(): Promise<void>;
}

export async function startChatModel(): Promise<ChatModel> {
	const server = await serve((request, response) => {
		void text(request).then((body) => {
			const asked = JSON.parse(body) as Asked;
			model.asked.push(asked);
			const said = model.answer(asked);
			// n8n repeats what fails otherwise.
			response.writeHead('fails' in said ? 400 : 200, { 'content-type': 'application/json' });
			const answer = 'fails' in said ? {} : completion(toMessage(said, model.asked.length));
			response.end(JSON.stringify(answer));
		});
	});
	const model: ChatModel = {
		credential: { apiKey: 'none', url: `${server.url}/v1` },
		asked: [],
		answer: () => ({ content: 'Hello' }),
		close: server.close,
	};
	return model;
}

function toMessage(said: Exclude<Said, { fails: true }>, count: number): object {
	if ('content' in said) return { role: 'assistant', content: said.content };
	const call = { name: said.tool, arguments: JSON.stringify(said.input) };
	const toolCalls = [{ id: `call_${count}`, type: 'function', function: call }];
	return { role: 'assistant', content: null, tool_calls: toolCalls };
}

function completion(message: object): object {
	return {
		id: 'chatcmpl-test',
		object: 'chat.completion',
		created: 0,
		model: 'stand-in',
		choices: [
			{ index: 0, message, finish_reason: 'tool_calls' in message ? 'tool_calls' : 'stop' },
		],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
