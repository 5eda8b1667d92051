import { Agent, request } from 'undici';
import { readRetryAfter } from '../retry-after.ts';

export interface ServiceConfig {
	/** Without a slash at its end. */
	url: string;
	token: string;
	/** PEM of the client certificate, or null to go without one. */
	certificate: string | null;
	key: string | null;
	passphrase: string | null;
	/** PEM of a private authority of the service, or null for the public ones. */
	ca: string | null;
}

/** What `GET /messages/{id}` tells, without the links: they are short-lived, and open to anybody. */
export interface ServiceStatus {
	status: string;
	evidences: Array<{ eventType: string }>;
}

export type ServiceAnswer =
	| ({ kind: 'status' } & ServiceStatus)
	/** There is no such message, or it is somebody else's (rule READ-03). */
	| { kind: 'message-not-found' }
	/** The token or certificate is not accepted. */
	| { kind: 'refused'; problem: string }
	/** The service asks to wait, for so long if it says how long. */
	| { kind: 'busy'; problem: string; retryAfterMs: number | null }
	| { kind: 'failed'; problem: string };

export interface Service {
	/** Never rejects. */
	statusOf(messageId: string): Promise<ServiceAnswer>;
	close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const LARGEST_ANSWER = 256 * 1024;

/** How many polls are under way at once: a slow service is not asked all the same. */
export const POLLS_AT_ONCE = 8;
export const POLL_TIMEOUT_MS = 15_000;

/** Asks the delivery service over connections that are kept (interface, GET /messages/{id}). */
export function createService(config: ServiceConfig, now: () => number): Service {
	const { certificate, key, passphrase, ca } = config;
	const agent = new Agent({
		connections: POLLS_AT_ONCE,
		connect: {
			timeout: CONNECT_TIMEOUT_MS,
			...(certificate !== null && { cert: certificate }),
			...(key !== null && { key }),
			...(passphrase !== null && { passphrase }),
			...(ca !== null && { ca }),
		},
	});
	const headers = { accept: 'application/json', 'x-api-token': config.token };

	return {
		async statusOf(messageId) {
			try {
				const answer = await request(`${config.url}/messages/${messageId}`, {
					...{ dispatcher: agent, headers, signal: AbortSignal.timeout(POLL_TIMEOUT_MS) },
				});
				const text = await readText(answer.body);
				const after = answer.headers['retry-after'];
				return understand(answer.statusCode, text, readRetryAfter(after?.toString(), now()));
			} catch (error) {
				return { kind: 'failed', problem: reason(error) };
			}
		},
		close: () => agent.destroy(),
	};
}

/** What an answer of the service means for a watch. */
export function understand(
	statusCode: number,
	text: string,
	retryAfterMs: number | null,
): ServiceAnswer {
	const body = fieldsOf(text);
	const problem = `the service answered ${statusCode}${typeof body.code === 'string' ? ` ${body.code}` : ''}`;
	if (statusCode === 200 && typeof body.status === 'string' && body.status !== '') {
		return { kind: 'status', status: body.status, evidences: eventTypes(body.evidences) };
	}
	if (statusCode === 404 && body.code === 'message-not-found') return { kind: 'message-not-found' };
	if (statusCode === 401 || statusCode === 403) return { kind: 'refused', problem };
	const isBusy = statusCode === 429 || (statusCode === 503 && retryAfterMs !== null);
	if (isBusy) return { kind: 'busy', problem, retryAfterMs };
	if (statusCode === 200) return { kind: 'failed', problem: 'the service answered no status' };
	return { kind: 'failed', problem };
}

function fieldsOf(text: string): Record<string, unknown> {
	try {
		const parsed = JSON.parse(text) as unknown;
		return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
	} catch {
		return {};
	}
}

function eventTypes(evidences: unknown): Array<{ eventType: string }> {
	if (!Array.isArray(evidences)) return [];
	return evidences.map((one) => ({
		eventType: String((one as { eventType?: unknown } | null)?.eventType ?? ''),
	}));
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		if (size > LARGEST_ANSWER) throw new Error('the service answered far more than a status');
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString('utf8');
}

/** In words that hold no part of the request: it carries the token. */
function reason(error: unknown): string {
	const { name, code, message = '' } = error as NodeJS.ErrnoException;
	if (name === 'TimeoutError') return 'no answer in time';
	return code === undefined || message.includes(code) ? message : `${code} ${message}`.trim();
}
