import type { CONTROL_ENDPOINTS } from '../control/endpoints.ts';

type Described = NonNullable<(typeof CONTROL_ENDPOINTS)[number]['described']>;

/** What a sandbox can be asked, by method and path: `POST /clock/advance`. */
export type Operations = {
	[One in Described as One['output'] extends AsyncIterable<unknown> ? never : One['name']]: One;
};

/** What an operation takes: the members of its path, query and body, in one object. */
export type Input<Name extends keyof Operations> = Operations[Name]['input'];

/** What an operation answers on success. */
export type Output<Name extends keyof Operations> = Operations[Name]['output'];

/** Asks the control API, and throws a SandboxError for any answer but success. */
export type SandboxClient = <Name extends keyof Operations>(
	operation: Name,
	...input: unknown extends Input<Name>
		? []
		: Record<never, never> extends Input<Name>
			? [input?: Input<Name>]
			: [input: Input<Name>]
) => Promise<Output<Name>>;

/** A failed call; the message says what happened. */
export class SandboxError extends Error {
	/** The status of the answer, or null if there was none. */
	readonly status: number | null;

	constructor(message: string, status: number | null, options?: ErrorOptions) {
		super(message, options);
		this.name = 'SandboxError';
		this.status = status;
	}
}

/**
 * A client of a sandbox's control API: `control('POST /clock/advance', { ms: 1000 })`. Its types are
 * those of the endpoints' declarations; nothing else of the sandbox is loaded.
 *
 * @param url the address of the sandbox's page, `http://localhost:8025`
 */
export const sandboxClient = (url: string): SandboxClient =>
	(async (operation: string, input: Record<string, unknown> = {}) => {
		const [method = '', path = ''] = operation.split(' ');
		const isInPath = (name: string) => path.includes(`{${name}}`);
		const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
			encodeURIComponent(String(input[name])),
		);
		const rest = Object.entries(input).filter(
			([name, value]) => value !== undefined && !isInPath(name),
		);
		const address = new URL(`/_sandbox${filled}`, url);
		// An operation takes a query or a body, never both.
		const isAsking = method === 'GET' || method === 'DELETE';
		if (isAsking) for (const [name, value] of rest) address.searchParams.set(name, String(value));
		const sent = isAsking
			? { method }
			: {
					method,
					headers: { 'Content-Type': 'application/json' },
					body: JSON.stringify(Object.fromEntries(rest)),
				};
		const { status, ok, content } = await answerOf(address, sent);
		if (ok && content !== undefined) return content;
		const { message } = Object(content ?? notOurs()) as { message?: string };
		throw new SandboxError(`The sandbox answered ${status} to ${operation}: ${message}`, status);
	}) as SandboxClient;

const notOurs = () => ({
	message: `that is no answer of a sandbox; does the address lead to its page?${byProxy()}`,
});

/** What is asked on this machine too goes through a proxy that the environment names, unless it says otherwise. */
function byProxy(): string {
	const { NODE_USE_ENV_PROXY: uses, HTTP_PROXY: upper, http_proxy: proxy = upper } = process.env;
	if (!uses || !proxy) return '';
	return ' NODE_USE_ENV_PROXY sends it through the proxy of HTTP_PROXY: name the host in NO_PROXY.';
}

async function answerOf(address: URL, sent: RequestInit) {
	try {
		const response = await fetch(address, sent);
		const { status, ok, headers } = response;
		const type = headers.get('content-type') ?? '';
		const text = await response.text();
		if (type.startsWith('application/json'))
			return { status, ok, content: JSON.parse(text) as unknown };
		return { status, ok, content: type.startsWith('application/x-pem-file') ? text : undefined };
	} catch (error) {
		// What fetch itself throws says only that it failed.
		const { cause } = error as { cause?: { code?: string } };
		const advice = `Is it running, and is this the address of its page?${byProxy()}`;
		const message = `No sandbox answers at ${address.origin} (${cause?.code ?? error}). ${advice}`;
		throw new SandboxError(message, null, { cause: error });
	}
}
