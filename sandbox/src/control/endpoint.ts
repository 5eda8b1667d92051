import type { z } from 'zod/v4';
import type { World } from '../world/world.ts';

/**
 * One endpoint of the control API, declared once: its Express route (`routes.ts`), its
 * description (`control-openapi.ts`) and the types of its client (`client.ts`) all come from this.
 */
export interface Endpoint {
	method: 'get' | 'post' | 'put' | 'patch' | 'delete';
	/** Below `/_sandbox`, with parameters in braces: `/messages/{id}/{trigger}`. */
	path: string;
	/** The operation's id in the description. */
	id: string;
	summary: string;
	/** Parts of the path; a part that does not fit is a 404. */
	params?: z.ZodObject;
	/** Of GET and DELETE. Values arrive as text, so numbers need `z.coerce`. */
	query?: z.ZodObject;
	/** Of other methods: a JSON object. Its members and those of the path have names of their own. */
	body?: z.ZodType;
	/** The response on success. */
	answer: Answer;
	/** Further errors by status, such as 409. Those of bad input (404, 422) are implied. */
	errors?: Record<number, string>;
	handle: (world: World, received: never) => unknown;
}

/** An endpoint and what its client takes and gives, which is for the compiler alone and never set. */
export interface Operation<Name extends string, Input, Output> extends Endpoint {
	described?: { name: Name; input: Input; output: Output };
}

/** The response, and (`T`) what a handler returns for it. */
export interface Answer<T = unknown> {
	status: number;
	contentType: string;
	/** Of the whole answer; in a stream, of the data of each event. */
	schema: z.ZodType;
	/** Only for the compiler; never set. */
	returns?: T;
}

/** A JSON document of this shape. */
export const json = <S extends z.ZodType>(schema: S, status = 200): Answer<z.output<S>> => ({
	status,
	contentType: 'application/json',
	schema,
});

/** Plain text of another media type. */
export const text = (contentType: string, schema: z.ZodType<string>): Answer<string> => ({
	status: 200,
	contentType,
	schema,
});

export interface ServerSentEvent<T> {
	/** What a client resumes after, by `Last-Event-ID`. */
	id?: string;
	/** Its kind; `message` if left out. */
	event?: string;
	data: T;
}

/** Server-sent events with JSON data of this shape, for as long as the client listens. */
export const eventStream = <S extends z.ZodType>(
	schema: S,
): Answer<AsyncIterable<ServerSentEvent<z.output<S>>>> => ({
	status: 200,
	contentType: 'text/event-stream',
	schema,
});

/** A handler's input, validated against the declaration. */
export interface Received<P, Q, B> {
	params: OutputOf<P>;
	query: OutputOf<Q>;
	body: OutputOf<B>;
	/** Aborted when the client disconnects, which ends whatever waits or streams for it. */
	signal: AbortSignal;
	/** Id of the last event the client received before it lost its stream, or null. */
	lastEventId: string | null;
}

type OutputOf<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;
type InputOf<S> = S extends z.ZodType ? z.input<S> : unknown;

type Declared<M, Path, P, Q, B, R> = Pick<Endpoint, 'id' | 'summary' | 'errors'> & {
	method: M;
	path: Path;
	params?: P;
	query?: Q;
	body?: B;
	answer: Answer<R>;
	handle: (world: World, received: Received<P, Q, B>) => NoInfer<R> | Promise<NoInfer<R>>;
};

/** Declares an endpoint; the compiler checks its handler against the schemas. */
export function endpoint<
	const M extends Endpoint['method'],
	const Path extends string,
	R,
	P extends z.ZodObject | undefined = undefined,
	Q extends z.ZodObject | undefined = undefined,
	B extends z.ZodType | undefined = undefined,
>(
	declared: Declared<M, Path, P, Q, B, R>,
): Operation<`${Uppercase<M>} ${Path}`, InputOf<P> & InputOf<Q> & InputOf<B>, R> {
	return declared as unknown as Operation<never, never, never>;
}
