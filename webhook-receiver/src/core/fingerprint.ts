import { createHash, timingSafeEqual } from 'node:crypto';

export function sha256Hex(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}

/** Compares two texts in a time that depends on neither their content nor their lengths. */
export function equalInConstantTime(left: string, right: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(left), digest(right));
}
