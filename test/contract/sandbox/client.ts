// A plain HTTPS client: what someone with only the interface text would use.
import { request, type RequestOptions } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { checkAnswer } from './described.ts';
import type { AccountAccess } from '../../../sandbox/src/sandbox.ts';
import type { TestSandbox as Sandbox } from '../../../sandbox/src/testing/jest.ts';

export interface Answer {
	status: number;
	headers: IncomingHttpHeaders;
	bytes: Buffer;
	// What the service says is for each test to judge.
	// eslint-disable-next-line @typescript-eslint/no-explicit-any
	json: any;
}

export interface Call {
	method?: string;
	/** Name of a seeded account, or null for no token. */
	as?: string | null;
	headers?: Record<string, string>;
	/** An object goes as JSON, a form as multipart, text and bytes as they are. */
	body?: unknown;
	/** Show a client certificate: that of the account, or another. */
	certificate?: boolean | { certificate: string; key: string };
	/** Give up after so long. */
	timeoutMs?: number;
}

export const accountOf = (sandbox: Sandbox, name: string): AccountAccess => {
	const account = sandbox.accounts.find((one) => one.name === name);
	if (!account) throw new Error(`no account ${name}`);
	return account;
};

/** Asks the service over HTTPS; `path` may be a whole address. */
export async function call(sandbox: Sandbox, path: string, options: Call = {}): Promise<Answer> {
	const { as = 'direct', headers = {}, certificate = false } = options;
	const account = as === null ? null : accountOf(sandbox, as);
	const { bytes, contentType } = await encode(options.body);
	const tls: RequestOptions = { ca: sandbox.caCertificate, agent: false };
	if (options.timeoutMs) tls.signal = AbortSignal.timeout(options.timeoutMs);
	const shown = certificate === true ? account : certificate || null;
	if (shown) Object.assign(tls, { cert: shown.certificate, key: shown.key });
	const url = new URL(path, sandbox.url);
	const method = options.method ?? (options.body === undefined ? 'GET' : 'POST');
	const answer = await exchange(url, bytes, {
		...tls,
		method,
		headers: {
			accept: 'application/json',
			...(account ? { 'x-api-token': account.token } : {}),
			...(contentType ? { 'content-type': contentType } : {}),
			...headers,
		},
	});
	checkAnswer(method, url.pathname, answer);
	return answer;
}

export const send = (sandbox: Sandbox, body: unknown, options: Call = {}) =>
	call(sandbox, '/messages/bulk_send', { method: 'POST', body, ...options });

/** A request that is right in every way, for a test to change one thing of. */
export const letter = (changes: object = {}) => ({
	type: 'LS',
	body: '<p>Good morning</p>',
	recipients: [{ email: 'ada@mail.example', firstname: 'Ada', lastname: 'Lovelace' }],
	...changes,
});

export const form = (...entries: Array<[string, string | File]>): FormData => {
	const data = new FormData();
	for (const [name, value] of entries) data.append(name, value);
	return data;
};

/** Sends one message and gives its id. */
export async function sendOne(sandbox: Sandbox, changes: object, options: Call = {}) {
	const answer = await send(sandbox, letter(changes), options);
	if (answer.status !== 201) throw new Error(JSON.stringify(answer.json));
	return answer.json.messages[0].id as string;
}

export const statusOf = async (sandbox: Sandbox, id: string): Promise<string> =>
	(await call(sandbox, `/messages/${id}`)).json.status;

export const person = (local: string) => ({
	recipients: [{ email: `${local}@mail.example`, firstname: 'Ada', lastname: 'Lovelace' }],
});

async function encode(body: unknown): Promise<{ bytes: Buffer | null; contentType?: string }> {
	if (body === undefined) return { bytes: null };
	if (body instanceof FormData) {
		const response = new Response(body);
		const contentType = response.headers.get('content-type') ?? '';
		return { bytes: Buffer.from(await response.arrayBuffer()), contentType };
	}
	if (typeof body === 'string') return { bytes: Buffer.from(body) };
	if (Buffer.isBuffer(body)) return { bytes: body };
	return { bytes: Buffer.from(JSON.stringify(body)), contentType: 'application/json' };
}

export async function readAnswer(incoming: IncomingMessage): Promise<Answer> {
	const chunks: Buffer[] = [];
	for await (const chunk of incoming) chunks.push(chunk as Buffer);
	const bytes = Buffer.concat(chunks);
	const isJson = incoming.headers['content-type']?.includes('json') ?? false;
	return {
		status: incoming.statusCode ?? 0,
		headers: incoming.headers,
		bytes,
		json: isJson ? JSON.parse(bytes.toString()) : null,
	};
}

function exchange(url: URL, bytes: Buffer | null, options: RequestOptions): Promise<Answer> {
	return new Promise((resolve, reject) => {
		const outgoing = request(url, options, (incoming) => {
			readAnswer(incoming).then(resolve, reject);
		});
		outgoing.on('error', reject);
		if (bytes) outgoing.setHeader('content-length', bytes.length);
		outgoing.end(bytes ?? undefined);
	});
}
