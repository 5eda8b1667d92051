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
	/** The service says that there is no such message of this account (rule READ-03). */
	| { kind: 'message-not-found' }
	/** The token or certificate is not accepted. */
	| { kind: 'refused'; problem: string }
	/** The service asks to wait, for so long if it says how long. */
	| { kind: 'busy'; problem: string; retryAfterMs: number | null }
	| { kind: 'failed'; problem: string };

interface AnswerParts {
	statusCode: number;
	text: string;
	retryAfterMs: number | null;
}

export interface Service {
	/** Never rejects. */
	statusOf(messageId: string): Promise<ServiceAnswer>;
	close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const LARGEST_ANSWER = 256 * 1024;

/** Far more than the name of a status: a page in its place. */
const LONGEST_STATUS = 100;

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
				const retryAfterMs = readRetryAfter(after?.toString(), now());
				return understand(messageId, { statusCode: answer.statusCode, text, retryAfterMs });
			} catch (error) {
				return { kind: 'failed', problem: reason(error) };
			}
		},
		close: () => agent.destroy(),
	};
}

/** What an answer of the service means for the watch of a message. */
export function understand(
	messageId: string,
	{ statusCode, text, retryAfterMs }: AnswerParts,
): ServiceAnswer {
	const body = fieldsOf(text);
	if (statusCode === 200) return statusIn(body, messageId);
	const problem = `the service answered ${statusCode}${typeof body.code === 'string' ? ` ${body.code}` : ''}`;
	if (statusCode === 404 && body.code === 'message-not-found') return { kind: 'message-not-found' };
	if (statusCode === 401 || statusCode === 403) return { kind: 'refused', problem };
	const isBusy = statusCode === 429 || (statusCode === 503 && retryAfterMs !== null);
	if (isBusy) return { kind: 'busy', problem, retryAfterMs };
	return { kind: 'failed', problem };
}

/** Only what the interface shows, of the very message that was asked for, tells its status. */
function statusIn({ id, status, evidences }: Record<string, unknown>, messageId: string) {
	const failed = (problem: string): ServiceAnswer => ({ kind: 'failed', problem });
	const name = typeof status === 'string' ? status.trim() : '';
	if (name === '' || name.length > LONGEST_STATUS || !isId(id)) {
		return failed('the service answered 200 without the status of a message');
	}
	// Zeros in front are lost where an id is written as a number.
	if (String(id).padStart(12, '0') !== messageId) {
		return failed(`the service answered for another message, ${id}`);
	}
	return { kind: 'status', status: name, evidences: eventTypes(evidences) } as const;
}

function isId(id: unknown): id is string | number {
	return (typeof id === 'string' || typeof id === 'number') && /^\d{1,12}$/.test(String(id));
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
