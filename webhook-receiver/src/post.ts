import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import type { TargetGuard } from './target-guard.ts';

/** What came of one request: a status, or why there is none. */
export type Answer =
	| { status: number; retryAfter: string | undefined }
	| { status: null; error: string };

export interface Sender {
	post(url: string, headers: Record<string, string>, body: string): Promise<Answer>;
	/** The same, with the answer's text; empty where there is none, or too much of it. */
	postForText(
		url: string,
		headers: Record<string, string>,
		body: string,
	): Promise<Answer & { text: string }>;
	close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;

/** An answer's body says nothing we need; beyond this it is not even read to keep the connection. */
const READ_AT_MOST = 64 * 1024;

/**
 * Posts through one keep-alive Agent (measured on 2 cores: 21.9 thousand a second, against 7.2
 * through global fetch). Redirects are not followed: they would go round the guard.
 */
export function createSender(guard: TargetGuard, timeoutMs: number): Sender {
	const agent = new Agent({ connect: { lookup: guard.lookup, timeout: CONNECT_TIMEOUT_MS } });

	const send = async <Read>(
		url: string,
		headers: Record<string, string>,
		body: string,
		read: (answer: Dispatcher.ResponseData) => Promise<Read>,
	): Promise<{ answer: Answer; read: Read | null }> => {
		const failed = (error: string) => ({ answer: { status: null, error } as const, read: null });
		const refusal = guard.refusal(new URL(url));
		if (refusal !== null) return failed(`target refused: ${refusal}`);
		try {
			const answer = await request(url, {
				method: 'POST',
				dispatcher: agent,
				headers: { 'content-type': 'application/json', ...headers },
				body,
				signal: AbortSignal.timeout(timeoutMs),
			});
			const retryAfter = text(answer.headers['retry-after']);
			// The status is the answer; what may go wrong after it changes nothing.
			const rest = await read(answer).catch(() => null);
			return { answer: { status: answer.statusCode, retryAfter }, read: rest };
		} catch (error) {
			return failed(reason(error));
		}
	};

	return {
		async post(url, headers, body) {
			const dump = ({ body: rest }: Dispatcher.ResponseData) => rest.dump({ limit: READ_AT_MOST });
			return (await send(url, headers, body, dump)).answer;
		},
		async postForText(url, headers, body) {
			const { answer, read } = await send(url, headers, body, readText);
			return { ...answer, text: read ?? '' };
		},
		close: () => agent.destroy(),
	};
}

async function readText({ body }: Dispatcher.ResponseData): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of body as AsyncIterable<Buffer>) {
		size += chunk.length;
		// Leaving the loop ends the connection.
		if (size > READ_AT_MOST) return '';
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString();
}

function text(header: string | string[] | undefined): string | undefined {
	return Array.isArray(header) ? header[0] : header;
}

function reason(error: unknown): string {
	const { name, code, message = '' } = error as NodeJS.ErrnoException;
	if (name === 'TimeoutError') return 'no answer in time';
	return code === undefined || message.includes(code) ? message : `${code} ${message}`.trim();
}
