/**
 * Text as both databases can store it: PostgreSQL has neither the character 0 nor half a surrogate
 * pair.
 */
export function storable(text: string): string {
	return text.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
}
