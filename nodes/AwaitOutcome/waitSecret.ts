import { createHash, randomBytes, timingSafeEqual } from 'crypto';

/** The secret of one wait. Whoever wakes the execution shows it; n8n keeps its digest only. */
export function newSecret(): string {
	return randomBytes(32).toString('base64url');
}

export function digestOf(secret: string): string {
	return digest(secret).toString('base64url');
}

export function isSecretOf(storedDigest: string, given: string): boolean {
	const stored = Buffer.from(storedDigest, 'base64url');
	const shown = digest(given);
	return stored.length === shown.length && timingSafeEqual(stored, shown);
}

function digest(secret: string): Buffer {
	return createHash('sha256').update(secret).digest();
}
