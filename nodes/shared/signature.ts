import { createHmac, timingSafeEqual } from 'crypto';

/** How far the sender's clock may be off, in seconds, either way. */
const TOLERANCE = 300;

/** Headers of a signed request, named as in Standard Webhooks. */
export interface SignedHeaders {
	'webhook-id'?: unknown;
	'webhook-timestamp'?: unknown;
	'webhook-signature'?: unknown;
}

/**
 * The secret that the receiver signs requests with, for one purpose. Derived from the management token
 * instead of stored, so that no copy of it lies in n8n's database.
 *
 * @param purpose another for each secret, such as `wait:<id>`
 * @returns `whsec_` and 32 bytes in Base64
 */
export function signingSecret(managementToken: string, purpose: string): string {
	return `whsec_${createHmac('sha256', managementToken).update(purpose).digest('base64')}`;
}

/**
 * Whether a request was signed with the secret, and lately (rule EVNT-04, Standard Webhooks).
 *
 * @param rawBody the body byte for byte as it came
 * @param now milliseconds since 1970
 */
export function isSignatureValid(
	secret: string,
	headers: SignedHeaders & Record<string, unknown>,
	rawBody: Buffer,
	now: number,
): boolean {
	const {
		'webhook-id': id,
		'webhook-timestamp': timestamp,
		'webhook-signature': signatures,
	} = headers;
	if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') {
		return false;
	}
	if (!/^\d{1,12}$/.test(timestamp)) return false;
	if (Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE) return false;

	const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
	const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest();
	// Several signatures stand side by side while a secret is rotated.
	return signatures.split(' ').some((signature) => {
		const [version, value] = signature.split(',');
		const given = Buffer.from(value ?? '', 'base64');
		return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
	});
}
