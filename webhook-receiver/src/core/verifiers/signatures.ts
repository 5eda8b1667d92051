import { timingSafeEqual } from 'node:crypto';

/** Bytes of an HMAC-SHA256. */
export const SIGNATURE_BYTES = 32;

/** Why no signature is one of those expected, or null. Compares all of them, in constant time. */
export function signatureRefusal(
	given: readonly Buffer[],
	expected: readonly Buffer[],
): string | null {
	const matches = expected.flatMap((one) => given.map((other) => timingSafeEqual(one, other)));
	return matches.includes(true) ? null : 'signature does not match';
}
