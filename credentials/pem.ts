/**
 * Repairs a PEM text that lost its line breaks in a one-line input field: they became spaces, literal
 * `\n`, or nothing at all. Correct text stays as it is.
 *
 * @returns the PEM with proper line breaks, or the trimmed input when it has no PEM block
 */
export function mendPem(text: string): string {
	const withBreaks = text.replace(/(?:\\+r)?\\+n/g, '\n').trim();
	const blocks = [...withBreaks.matchAll(PEM_BLOCK)];
	if (blocks.length === 0) return withBreaks;
	return blocks.map(([, label, content]) => pemBlock(label, content)).join('');
}

const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g;

// Keys in the older encrypted form have two header lines before the Base64 text. Without line breaks, the
// length of the initialisation vector shows where the second one ends: 16 bytes or 8, in hexadecimal.
const ENCRYPTION_HEADERS =
	/^\s*(Proc-Type: *4,ENCRYPTED)\s*(DEK-Info: *[A-Z0-9-]+,(?:[0-9A-F]{32}|[0-9A-F]{16}))\s*/i;

function pemBlock(label: string, content: string): string {
	const headers = ENCRYPTION_HEADERS.exec(content);
	const base64 = content.slice(headers?.[0].length ?? 0).replace(/\s/g, '');
	const lines = base64.match(/.{1,64}/g) ?? [];
	const head = headers ? [headers[1], headers[2], ''] : [];
	return [`-----BEGIN ${label}-----`, ...head, ...lines, `-----END ${label}-----`, ''].join('\n');
}
