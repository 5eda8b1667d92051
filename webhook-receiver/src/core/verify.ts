import { DEFAULT_MAPPING } from './normalise.ts';
import type { Headers, Mapping } from './normalise.ts';

/** What a verifier sees of a request. */
export interface SignedRequest {
	headers: Headers;
	body: Buffer;
	/** Milliseconds since the epoch. */
	now: number;
}

/** Why a request is not authentic, for the log and never for the sender; null if it is. */
export type Refusal = string | null;

/** What of a valid request only the service can have written: the body and these headers, or nothing. */
export type Signed = readonly string[] | null;

/** One way to authenticate a request (rule EVNT-04). */
export interface Verifier {
	scheme: string;
	verify(request: SignedRequest): Refusal | Promise<Refusal>;
	/** Of a valid request; if missing, nothing. */
	signs?(request: SignedRequest): Signed;
}

export interface Verdict {
	refusal: Refusal;
	/** By all verifiers that passed. */
	signed: Signed;
}

/** Whether a request must pass any or all of the configured verifiers. */
export type Require = 'any' | 'all';

/** Whether a request is authentic; without verifiers none is. */
export async function verify(
	verifiers: readonly Verifier[],
	request: SignedRequest,
	require: Require,
): Promise<Verdict> {
	const refusals: string[] = verifiers.length === 0 ? ['no authentication is configured'] : [];
	let signed: Signed = null;
	for (const verifier of verifiers) {
		const refusal = await verifier.verify(request);
		if (refusal !== null) {
			refusals.push(`${verifier.scheme}: ${refusal}`);
			continue;
		}
		signed = both(signed, verifier.signs?.(request) ?? null);
		if (require === 'any') return { refusal: null, signed };
	}
	return { refusal: refusals.join('; ') || null, signed };
}

function both(left: Signed, right: Signed): Signed {
	return left === null || right === null ? (left ?? right) : [...left, ...right];
}

/**
 * The headers without those that say what happened, or which event it is, and that somebody else may have
 * put there. Where the body is not signed either, the name of an event is as good in a header as in the
 * body; an ID is not: it would make a new event of a known one.
 */
export function trustedHeaders(
	headers: Headers,
	signed: Signed,
	{
		eventHeaders,
		eventIdHeaders,
		namedHeaders,
	}: Pick<Mapping, 'eventHeaders' | 'eventIdHeaders' | 'namedHeaders'> = DEFAULT_MAPPING,
): Headers {
	const trusted = [...namedHeaders, ...(signed ?? eventHeaders)];
	const dropped = [...eventHeaders, ...eventIdHeaders].filter((name) => !trusted.includes(name));
	return { ...headers, ...Object.fromEntries(dropped.map((name) => [name, undefined])) };
}

/** For operators who choose it, for example behind an authenticating gateway. */
export const acceptAnyone: Verifier = { scheme: 'none', verify: () => null };
