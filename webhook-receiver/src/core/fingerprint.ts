import { hash, timingSafeEqual } from 'node:crypto';

export function sha256Hex(text: string): string {
	return hash('sha256', text);
}

/** Compares two texts in a time that depends on neither their content nor their lengths. */
export function equalInConstantTime(left: string, right: string): boolean {
	const digest = (text: string) => hash('sha256', text, 'buffer');
	return timingSafeEqual(digest(left), digest(right));
}
