import type { X509Certificate } from 'node:crypto';
import type { Headers } from './normalise.ts';

/** What a verifier may look at. */
export interface SignedRequest {
	headers: Headers;
	body: Buffer;
	/** Milliseconds since the epoch. */
	now: number;
	client: Client;
}

/** Who sent a request, as far as the connection tells. */
export interface Client {
	/** Behind trusted proxies the address they name, else that of the connection. */
	address: string | null;
	/** The certificate shown on our own TLS; `isTrusted` when it leads to INGEST_CLIENT_CA. */
	certificate: { x509: X509Certificate; isTrusted: boolean } | null;
	/** Whether the connection comes from a trusted proxy, whose headers are believed. */
	isTrustedProxy: boolean;
}

/** `null` when the request is authentic, else why not: for the log, never for the sender. */
export type Refusal = string | null;

/** One way to authenticate a request (rule EVNT-04). */
export interface Verifier {
	scheme: string;
	verify(request: SignedRequest): Refusal | Promise<Refusal>;
}

/** How many of the configured ways a request must pass. */
export type Require = 'any' | 'all';

/** Whether a request is authentic; with no verifier at all, none is (design § 7). */
export async function verify(
	verifiers: readonly Verifier[],
	request: SignedRequest,
	require: Require = 'any',
): Promise<Refusal> {
	if (verifiers.length === 0) return 'no authentication is configured';
	const refusals: string[] = [];
	for (const { scheme, verify } of verifiers) {
		const refusal = await verify(request);
		if (refusal === null && require === 'any') return null;
		if (refusal !== null) refusals.push(`${scheme}: ${refusal}`);
	}
	return refusals.join('; ') || null;
}

/** For operators who say so explicitly, such as behind a gateway that authenticates. */
export const acceptAnyone: Verifier = { scheme: 'none', verify: () => null };
