import type { CONTROL_ENDPOINTS } from '../control/endpoints.ts';

/** The endpoints of a list that answer once, by method and path: `POST /clock/advance`. */
export type OperationsOf<List extends ReadonlyArray<{ described?: unknown }>> = {
	[One in Described<List> as One['output'] extends AsyncIterable<unknown>
		? never
		: One['name']]: One;
};

type Described<List extends ReadonlyArray<{ described?: unknown }>> = Extract<
	NonNullable<List[number]['described']>,
	{ name: string; input: unknown; output: unknown }
>;

/** Asks one of these operations, and throws a SandboxError for any answer but success. */
export type Client<
	Operations extends Record<keyof Operations, { input: unknown; output: unknown }>,
> = <Name extends keyof Operations>(
	operation: Name,
	...input: unknown extends Operations[Name]['input']
		? []
		: Record<never, never> extends Operations[Name]['input']
			? [input?: Operations[Name]['input']]
			: [input: Operations[Name]['input']]
) => Promise<Operations[Name]['output']>;

/** What a sandbox can be asked. */
export type Operations = OperationsOf<typeof CONTROL_ENDPOINTS>;

/** What an operation takes: the members of its path, query and body, in one object. */
export type Input<Name extends keyof Operations> = Operations[Name]['input'];

/** What an operation answers on success. */
export type Output<Name extends keyof Operations> = Operations[Name]['output'];

/** The lists that can wait for what a test expects. */
type Waiting = 'GET /mails' | 'GET /messages' | 'GET /requests' | 'GET /webhook-attempts';

export interface SandboxClient extends Client<Operations> {
	/** Back to the seeds: no letter is left, no fault, and the clock is right. */
	reset(): Promise<void>;
	/** Moves the time on by so many milliseconds; everything due by then happens. */
	advance(ms: number): Promise<Output<'POST /clock/advance'>>;
	/**
	 * The list once something in it matches, or as many as `count`.
	 *
	 * @throws SandboxError if that is not so after `seconds`
	 */
	waitFor<Name extends Waiting>(
		list: Name,
		wanted: Omit<Input<Name>, 'wait'>,
		seconds?: number,
	): Promise<Output<Name>>;
}

/** A failed call; the message says what happened. */
export class SandboxError extends Error {
	/** The status of the answer, or null if there was none. */
	readonly status: number | null;
	/** What was answered: JSON, or else text. */
	readonly answer: unknown;

	constructor(message: string, status: number | null, answer?: unknown, options?: ErrorOptions) {
		super(message, options);
		this.name = 'SandboxError';
		this.status = status;
		this.answer = answer;
	}
}

/**
 * A client of a sandbox's control API: `control('POST /faults', { faults: […] })`. Its types are those
 * of the endpoints' declarations; nothing else of the sandbox is loaded.
 *
 * @param url the address of the sandbox's page, `http://localhost:8025`
 */
export function sandboxClient(url: string): SandboxClient {
	const ask: Client<Operations> = clientOf(new URL('/_sandbox', url), overFetch);
	return Object.assign(ask, {
		reset: async () => void (await ask('POST /reset')),
		advance: (ms: number) => ask('POST /clock/advance', { ms }),
		async waitFor(list: Waiting, wanted: Partial<Input<Waiting>>, seconds = 10) {
			const end = Date.now() + seconds * 1000;
			for (;;) {
				// The service holds a wait for a minute at most.
				const wait = Math.min(60, Math.max(0, (end - Date.now()) / 1000));
				const found = await ask(list, { ...wanted, wait });
				if (found.total >= (wanted.count ?? 1)) return found;
				if (wait > 0) continue;
				const what = `${list} ${JSON.stringify(wanted)}`;
				throw new SandboxError(`After ${seconds} s there are ${found.total} of ${what}`, null);
			}
		},
	}) as SandboxClient;
}

interface Sent {
	method: string;
	headers: Record<string, string>;
	body?: string;
}

interface Received {
	status: number;
	contentType: string;
	text: string;
}

/** Sends a request and takes the answer. */
type Transport = (address: URL, sent: Sent) => Promise<Received>;

/** A client of the operations below this address, with no types of its own. */
export const clientOf = <Any>(base: URL, transport: Transport): Any =>
	(async (operation: string, input: Record<string, unknown> = {}) => {
		const [method = '', path = ''] = operation.split(' ');
		const isInPath = (name: string) => path.includes(`{${name}}`);
		const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
			encodeURIComponent(String(input[name])),
		);
		const rest = Object.entries(input).filter(
			([name, value]) => value !== undefined && !isInPath(name),
		);
		const address = new URL(base.pathname.replace(/\/$/, '') + filled, base);
		// An operation takes a query or a body, never both.
		const isAsking = method === 'GET' || method === 'DELETE';
		if (isAsking) for (const [name, value] of rest) address.searchParams.set(name, String(value));
		const body = isAsking ? undefined : JSON.stringify(Object.fromEntries(rest));
		const headers = { 'Content-Type': 'application/json' };
		const sent = body === undefined ? { method, headers: {} } : { method, headers, body };
		const { status, contentType, text } = await transport(address, sent);
		const isJson = contentType.startsWith('application/json');
		const answer = isJson ? parsed(text, address) : status === 204 ? undefined : text;
		const isOurs = isJson || status === 204 || contentType.startsWith('application/x-pem-file');
		if (isOurs && status >= 200 && status <= 299) return answer;
		const { message } = isJson ? (Object(answer) as { message?: string }) : notOurs();
		throw new SandboxError(
			`The sandbox answered ${status} to ${operation}: ${message}`,
			status,
			answer,
		);
	}) as Any;

const notOurs = () => ({
	message: `that is no answer of a sandbox; does the address lead to its page?${byProxy()}`,
});

function parsed(text: string, address: URL): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw unanswered(address, error);
	}
}

/** What is asked on this machine too goes through a proxy that the environment names, unless it says otherwise. */
function byProxy(): string {
	const { NODE_USE_ENV_PROXY: uses, HTTP_PROXY: upper, http_proxy: proxy = upper } = process.env;
	if (!uses || !proxy) return '';
	return ' NODE_USE_ENV_PROXY sends it through the proxy of HTTP_PROXY: name the host in NO_PROXY.';
}

/** What fetch itself throws says only that it failed. */
export function unanswered(address: URL, error: unknown): SandboxError {
	const { code, cause } = error as { code?: string; cause?: { code?: string } };
	const advice = `Is it running, and is this the address of its page?${byProxy()}`;
	const why = code ?? cause?.code ?? String(error);
	const message = `No sandbox answers at ${address.origin} (${why}). ${advice}`;
	return new SandboxError(message, null, undefined, { cause: error });
}

const overFetch: Transport = async (address, sent) => {
	try {
		const response = await fetch(address, sent);
		const contentType = response.headers.get('content-type') ?? '';
		return { status: response.status, contentType, text: await response.text() };
	} catch (error) {
		throw unanswered(address, error);
	}
};
