import { readEvents, type SandboxEvent } from './events.ts';
import { CALLS, type operations } from './operations.ts';
import { SandboxError, unreachable } from './sandbox-error.ts';

export type { SandboxEvent } from './events.ts';
export { SandboxError } from './sandbox-error.ts';
export type { components, operations } from './operations.ts';

export type Operation = keyof typeof CALLS;

/** An operation's input: the members of its path, query and body, in one object. */
export type Input<Id extends Operation> = InPath<operations[Id]> &
	InQuery<operations[Id]> &
	InBody<operations[Id]>;

/** An operation's result on success; an event stream yields one event at a time. */
export type Output<Id extends Operation> =
	Succeeded<operations[Id]['responses']> extends { content: infer Content }
		? Content extends { 'text/event-stream': infer Data }
			? AsyncIterable<SandboxEvent<Data>>
			: Content[keyof Content]
		: never;

type InPath<O> = O extends { parameters: { path: infer P } } ? P : unknown;
type InQuery<O> = O extends { parameters: { query?: infer Q } }
	? [Q] extends [never | undefined]
		? unknown
		: NonNullable<Q>
	: unknown;
type InBody<O> = O extends { requestBody?: { content: { 'application/json': infer B } } }
	? B
	: unknown;
type Succeeded<R> = R extends { 200: infer A } ? A : R extends { 201: infer A } ? A : never;

interface CallOptions {
	/** Cancels the call. */
	signal?: AbortSignal;
}

type Method<Id extends Operation> =
	Record<never, never> extends Input<Id>
		? (input?: Input<Id>, options?: CallOptions) => Promise<Output<Id>>
		: (input: Input<Id>, options?: CallOptions) => Promise<Output<Id>>;

/** A method for each operation of the control API. */
export type SandboxClient = { [Id in Operation]: Method<Id> };

/**
 * A client of a sandbox's control API, generated from its description: `client.advanceClock({ ms: 1000 })`.
 * Its methods throw a SandboxError. Needs `fetch`: Node 20 or a browser.
 *
 * @param url the address of the sandbox's page, `http://localhost:8025`
 */
export function sandboxClient(url: string): SandboxClient {
	const methods = (Object.keys(CALLS) as Operation[]).map((id) => [
		id,
		(input?: object, options?: CallOptions) => call(url, id, { ...input }, options),
	]);
	return Object.fromEntries(methods) as SandboxClient;
}

async function call(
	url: string,
	id: Operation,
	input: Record<string, unknown>,
	{ signal }: CallOptions = {},
): Promise<unknown> {
	const { method, path, type } = CALLS[id];
	const { address, body } = split(url, id, path, input);
	const lost = (error: unknown) => {
		throw signal?.aborted ? error : unreachable(url, error);
	};
	const response = await fetch(address, {
		method,
		...(method === 'GET' || method === 'DELETE'
			? {}
			: { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
		...(signal ? { signal } : {}),
	}).catch(lost);
	const isExpected = response.ok && response.headers.get('content-type')?.startsWith(type);
	if (isExpected && type === 'text/event-stream') return eventsOf(response, lost);
	const text = await response.text().catch(lost);
	if (!isExpected) throw SandboxError.of(id, response.status, text);
	return type === 'application/json' ? JSON.parse(text) : text;
}

async function* eventsOf(response: Response, lost: (error: unknown) => never) {
	try {
		yield* readEvents(response);
	} catch (error) {
		lost(error);
	}
}

/** Puts each member of the input where it belongs. */
function split(url: string, id: Operation, path: string, input: Record<string, unknown>) {
	const body = { ...input };
	const take = (name: string): unknown => {
		const value = body[name];
		delete body[name];
		return value;
	};
	const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
		const value = take(name);
		if (typeof value === 'string' && value !== '') return encodeURIComponent(value);
		throw new SandboxError(`${id} needs ${name}: give it a text that is not empty`, null, null);
	});
	if (!URL.canParse(filled, url)) throw new SandboxError(`${url} is no address`, null, null);
	const address = new URL(filled, url);
	for (const name of CALLS[id].query as readonly string[]) {
		const value = take(name);
		if (value !== undefined) address.searchParams.set(name, String(value));
	}
	return { address, body };
}
