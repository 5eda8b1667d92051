import { z } from 'zod/v4';
import type { Files, UploadedFile } from '../http/upload.ts';
import type { Caller } from '../state/model.ts';
import type { World } from '../world/world.ts';

/**
 * One endpoint, declared once: of the service by `serviceEndpoint`, of the control API by
 * `controlEndpoint`. Its route, the check of what it is sent, the form of what it answers, its
 * description (`describe.ts`) and the types of its client all come from this.
 */
export interface Endpoint {
	method: 'get' | 'post' | 'put' | 'delete';
	/** With parameters in braces: `/messages/{id}/{trigger}`. */
	path: string;
	/** The operation's id in the description. */
	id: string;
	summary: string;
	params?: z.ZodObject;
	/** Of GET and DELETE. Values arrive as text, so numbers need `z.coerce`. */
	query?: z.ZodObject;
	/** Of other methods. Its members and those of the path have names of their own. */
	body?: z.ZodObject;
	files?: Files;
	/** Only for resellers. */
	isForResellers?: boolean;
	/** The response on success. */
	answer: Answer;
	/** Further errors by status: their codes, or when they come. Those of bad input are implied. */
	errors?: Record<number, string[]>;
	/** What is refused before the body is checked. */
	permit?: (world: World, asked: never) => void;
	handle: (world: World, asked: never) => unknown;
}

/** An endpoint and what its client takes and gives, which is for the compiler alone and never set. */
export interface Operation<Name extends string, Input, Output> extends Endpoint {
	described?: { name: Name; input: Input; output: Output };
}

/** The response. What a handler returns becomes what the schema makes of it. */
export interface Answer<Returned = unknown, Given = unknown> {
	status: number;
	contentType: string;
	/** Of the whole answer; in a stream, of the data of each event, which is empty; null if it has no body. */
	schema: z.ZodType | null;
	/** Only for the compiler; never set. */
	types?: { returned: Returned; given: Given };
}

/** A JSON document of this shape. */
export const json = <S extends z.ZodType>(
	schema: S,
	status = 200,
): Answer<z.input<S>, z.output<S>> => ({ status, contentType: 'application/json', schema });

/** No body. */
export const nothing: Answer<undefined, undefined> = { status: 204, contentType: '', schema: null };

/** Plain text of another media type. */
export const text = (contentType: string, schema: z.ZodType<string>): Answer<string, string> => ({
	status: 200,
	contentType,
	schema,
});

/** Server-sent events, by their names, for as long as the client listens. */
export const eventStream: Answer<AsyncIterable<string>, AsyncIterable<string>> = {
	status: 200,
	contentType: 'text/event-stream',
	schema: z.object({}),
};

/** A handler's input, validated against the declaration. */
interface Asked<P, Q, B> {
	params: OutputOf<P>;
	query: OutputOf<Q>;
	body: OutputOf<B>;
}

/** What the service knows of a request beside that. */
interface OfService {
	caller: Caller;
	files: UploadedFile[];
}

interface OfControl {
	/** Aborted when the client disconnects, which ends whatever waits or streams for it. */
	signal: AbortSignal;
}

type OutputOf<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;
type InputOf<S> = S extends z.ZodType ? z.input<S> : unknown;

type Declared<More, M, Path, P, Q, B, Returned, Given> = Omit<
	Endpoint,
	'method' | 'path' | 'params' | 'query' | 'body' | 'answer' | 'permit' | 'handle'
> & {
	method: M;
	path: Path;
	params?: P;
	query?: Q;
	body?: B;
	answer: Answer<Returned, Given>;
	/** The body is as it was sent. */
	permit?: (world: World, asked: Asked<P, undefined, undefined> & More & { sent: object }) => void;
	handle: (
		world: World,
		asked: Asked<P, Q, B> & More,
	) => NoInfer<Returned> | Promise<NoInfer<Returned>>;
};

/** The compiler checks the handler against the schemas. */
const declaring =
	<More>() =>
	<
		const M extends Endpoint['method'],
		const Path extends string,
		Returned,
		Given,
		P extends z.ZodObject | undefined = undefined,
		Q extends z.ZodObject | undefined = undefined,
		B extends z.ZodObject | undefined = undefined,
	>(
		declared: Declared<More, M, Path, P, Q, B, Returned, Given>,
	): Operation<`${Uppercase<M>} ${Path}`, InputOf<P> & InputOf<Q> & InputOf<B>, Given> =>
		declared as unknown as Operation<never, never, never>;

/** Declares an endpoint of the service. */
export const serviceEndpoint = declaring<OfService>();

/** Declares an endpoint of the control API; its path is below `/_sandbox`. */
export const controlEndpoint = declaring<OfControl>();
