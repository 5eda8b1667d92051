import type { z } from 'zod/v4';
import type { World } from '../world/world.ts';

/**
 * One endpoint of the control API, declared once: its Express route (`endpoint-routes.ts`), its
 * description (`control-openapi.ts`) and its method of the typed client all come from this.
 */
export interface Endpoint {
	method: 'get' | 'post' | 'put' | 'patch' | 'delete';
	/** Below `/_sandbox`, with parameters in braces: `/messages/{id}/{trigger}`. */
	path: string;
	/** The operation's id, which is also the name of the client's method. */
	id: string;
	summary: string;
	/** Parts of the path; a part that does not fit is a 404. */
	params?: z.ZodObject;
	/** Values arrive as text, so numbers need `z.coerce`. */
	query?: z.ZodObject;
	/** A JSON object. Its members, the query's and the path's have names of their own. */
	body?: z.ZodType;
	/** The response on success. */
	answer: Answer;
	/** Further errors by status, such as 409. Those of bad input (404, 422) are implied. */
	errors?: Record<number, string>;
	handle: (world: World, received: never) => unknown;
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
export const json = <S extends z.ZodType>(schema: S, status = 200): Answer<z.input<S>> => ({
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
): Answer<AsyncIterable<ServerSentEvent<z.input<S>>>> => ({
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

type Declared<P, Q, B, R> = Omit<Endpoint, 'params' | 'query' | 'body' | 'answer' | 'handle'> & {
	params?: P;
	query?: Q;
	body?: B;
	answer: Answer<R>;
	handle: (world: World, received: Received<P, Q, B>) => R | Promise<R>;
};

/** Declares an endpoint; the compiler checks its handler against the schemas. */
export function endpoint<
	R,
	P extends z.ZodObject | undefined = undefined,
	Q extends z.ZodObject | undefined = undefined,
	B extends z.ZodType | undefined = undefined,
>(declared: Declared<P, Q, B, R>): Endpoint {
	return declared as unknown as Endpoint;
}
