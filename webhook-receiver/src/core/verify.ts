import type { Headers } from './normalise.ts';

/** What a verifier sees of a request. */
export interface SignedRequest {
	headers: Headers;
	body: Buffer;
	/** Milliseconds since the epoch. */
	now: number;
}

/** Why a request is not authentic, for the log and never for the sender; null if it is. */
export type Refusal = string | null;

/** One way to authenticate a request (rule EVNT-04). */
export interface Verifier {
	scheme: string;
	verify(request: SignedRequest): Refusal | Promise<Refusal>;
	/** Whether a valid request proves that the body is authentic; if missing, it does not. */
	signsBody?(request: SignedRequest): boolean;
}

export interface Verdict {
	refusal: Refusal;
	/** Whether a verifier that passed proves the body authentic. */
	signsBody: boolean;
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
	let signsBody = false;
	for (const verifier of verifiers) {
		const refusal = await verifier.verify(request);
		if (refusal !== null) {
			refusals.push(`${verifier.scheme}: ${refusal}`);
			continue;
		}
		signsBody ||= verifier.signsBody?.(request) ?? false;
		if (require === 'any') return { refusal: null, signsBody };
	}
	return { refusal: refusals.join('; ') || null, signsBody };
}

/** For operators who choose it, for example behind an authenticating gateway. */
export const acceptAnyone: Verifier = { scheme: 'none', verify: () => null };
