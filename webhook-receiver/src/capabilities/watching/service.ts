import { request } from 'undici';
import { z } from 'zod/v4';
import { PER_PAGE, readListPage } from '../../core/list-page.ts';
import type { ListName } from '../../core/lists.ts';
import { readRetryAfter } from '../../core/retry-after.ts';
import { readEntry } from '../../core/listed.ts';
import type { ListedEntry } from '../../core/listed.ts';
import { jsonIn, serviceAgent } from '../../outgoing/service-agent.ts';
import type { ServiceConfig } from '../../outgoing/service-agent.ts';

// What the delivery service answers to a poll.

/** Why there is no answer of the documented shape. */
export type NoAnswer =
	/** The service rejects the token or certificate. */
	| { kind: 'refused'; problem: string }
	/** The service asks us to wait, possibly saying how long. */
	| { kind: 'busy'; problem: string; retryAfterMs: number | null }
	/** No connection, or not to a server that its certificate proves to be the service. */
	| { kind: 'unreachable'; problem: string }
	| { kind: 'failed'; problem: string };

/** It says nothing about the letter or list that was asked for: polling as a whole pauses. */
type AboutAll = Extract<NoAnswer, { kind: 'refused' | 'busy' | 'unreachable' }>;

export function isAboutAll(answer: ServiceAnswer | ListPageAnswer): answer is AboutAll {
	return ['refused', 'busy', 'unreachable'].includes(answer.kind);
}

export type ServiceAnswer =
	/** Without the links to evidence: they are short-lived, and anyone who has one can open it. */
	| { kind: 'status'; status: string; evidences: Array<{ eventType: string }> }
	/** The service says this account has no such message (rule READ-03). */
	| { kind: 'message-not-found' }
	| NoAnswer;

export type ListPageAnswer =
	| { kind: 'list-page'; entries: ListedEntry[]; lastPage: number }
	/** The account manages no customers, or the service rejects the token: both may be a 401. */
	| { kind: 'resellers-only'; problem: string }
	| NoAnswer;

/** How many polls run at once, so that a slow service is not flooded. */
export const POLLS_AT_ONCE = 8;
const POLL_TIMEOUT_MS = 15_000;

/**
 * Polls the delivery service over persistent connections (interface, GET /messages/{id}). What it
 * asks never rejects.
 */
export function createService(first: ServiceConfig, now: () => number) {
	let config = first;
	let agent = serviceAgent(first, POLLS_AT_ONCE);
	const get = async <T>(path: string, read: (answer: HttpAnswer) => T): Promise<T | NoAnswer> => {
		try {
			const answer = await request(`${config.url}${path}`, {
				dispatcher: agent,
				headers: { accept: 'application/json', 'x-api-token': config.token },
				signal: AbortSignal.timeout(POLL_TIMEOUT_MS),
			});
			const text = await answer.body.text();
			const after = answer.headers['retry-after'];
			const retryAfterMs = readRetryAfter(after?.toString(), now());
			return read({ statusCode: answer.statusCode, text, retryAfterMs });
		} catch (error) {
			return withoutAnswer(error);
		}
	};

	return {
		statusOf: (messageId: string) =>
			get(`/messages/${messageId}`, (answer) => understand(messageId, answer)),
		/** One page of a list. */
		listPage: (list: ListName, page: number) =>
			get(`/${list}?page=${page}&perPage=${PER_PAGE}`, (answer) =>
				understandListPage(list, page, answer),
			),
		/** For what is asked from now on; what is under way ends as it began. */
		renew(next: ServiceConfig): void {
			void agent.close();
			config = next;
			agent = serviceAgent(next, POLLS_AT_ONCE);
		},
		close: () => agent.destroy(),
	};
}

interface HttpAnswer {
	statusCode: number;
	text: string;
	retryAfterMs: number | null;
}

/** Only an answer of the documented shape counts as a status: other pages return 200 too. */
const messageSchema = z.object({
	id: z.string(),
	status: z.string().trim().min(1).max(100),
	evidences: z.array(z.object({ eventType: z.string() })).catch([]),
});

const errorSchema = z.object({ code: z.string() });

/** What an answer from the service means for the watch of a message. */
function understand(messageId: string, answer: HttpAnswer): ServiceAnswer {
	const body = jsonIn(answer.text);
	if (answer.statusCode === 200) return statusIn(body, messageId);
	const isUnknown = answer.statusCode === 404 && codeIn(body) === 'message-not-found';
	return isUnknown ? { kind: 'message-not-found' } : troubleIn(answer, body);
}

/** What an answer from the service means for the watch of a list. */
function understandListPage(list: ListName, page: number, answer: HttpAnswer): ListPageAnswer {
	const body = jsonIn(answer.text);
	if (answer.statusCode !== 200) {
		const trouble = troubleIn(answer, body);
		// Rule CUST-08; the interface names only 401 for it.
		const isForResellers = list === 'customers' && trouble.kind === 'refused';
		if (!isForResellers) return trouble;
		return { kind: 'resellers-only', problem: `${trouble.problem}: only resellers have customers` };
	}
	const read = readListPage(body, page);
	if ('problem' in read) return { kind: 'failed', problem: read.problem };
	const { data, lastPage } = read.page;
	const entries = data.map(readEntry).filter((one) => one !== null);
	return { kind: 'list-page', entries, lastPage };
}

function troubleIn({ statusCode, retryAfterMs }: HttpAnswer, body: unknown): NoAnswer {
	const code = codeIn(body);
	const problem = `the service answered ${statusCode}${code === undefined ? '' : ` ${code}`}`;
	if (statusCode === 401 || statusCode === 403) return { kind: 'refused', problem };
	const isBusy = statusCode === 429 || (statusCode === 503 && retryAfterMs !== null);
	if (isBusy) return { kind: 'busy', problem, retryAfterMs };
	return { kind: 'failed', problem };
}

function codeIn(body: unknown): string | undefined {
	return errorSchema.safeParse(body).data?.code;
}

function statusIn(body: unknown, messageId: string): ServiceAnswer {
	const message = messageSchema.safeParse(body);
	if (!message.success) {
		const problem = 'the service answered 200 without the status of a message';
		return { kind: 'failed', problem };
	}
	const { id, status, evidences } = message.data;
	if (id !== messageId) {
		return { kind: 'failed', problem: `the service answered for another message, ${id}` };
	}
	return { kind: 'status', status, evidences };
}

const NO_CONNECTION = new Set([
	'ECONNREFUSED',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'ENOTFOUND',
	'ETIMEDOUT',
	'UND_ERR_CONNECT_TIMEOUT',
]);

/** How Node says that it does not trust the authority of a certificate. */
const UNKNOWN_AUTHORITY = /^(UNABLE_TO_|(DEPTH_ZERO_)?SELF_SIGNED_CERT)/;

/** Describes the error without any part of the request, which carries the token. */
function withoutAnswer(error: unknown): NoAnswer {
	const { name, code = '', message = '' } = error as NodeJS.ErrnoException;
	if (name === 'TimeoutError') return { kind: 'failed', problem: 'no answer in time' };
	if (UNKNOWN_AUTHORITY.test(code)) {
		const problem = `the service's certificate is from an authority that is not trusted (${code}): set SERVICE_CA_FILE to that authority's certificate`;
		return { kind: 'unreachable', problem };
	}
	const isUnreachable = NO_CONNECTION.has(code) || /^(CERT_|ERR_TLS_|ERR_SSL_)/.test(code);
	const problem = message.includes(code) ? message : `${code} ${message}`.trim();
	return { kind: isUnreachable ? 'unreachable' : 'failed', problem };
}
