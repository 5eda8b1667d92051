/** The PEM blocks of a text, one after the other. */
export function splitPem(text: string): string[] {
	return text.match(/-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g) ?? [];
}
