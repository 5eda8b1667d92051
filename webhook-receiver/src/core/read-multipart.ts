/** What stands for a part that is no text, such as a PDF beside the fields. */
interface File {
	filename: string;
	bytes: number;
}

/**
 * Names and values of a multipart body (RFC 7578) in their order; null if it is none, which shows in how it
 * begins. Without a library: this goes into the pack, which ships no dependencies.
 */
export function readMultipart(body: Buffer): Array<[string, string | File]> | null {
	// A character a byte, so that each part keeps its own.
	const start = body.toString('latin1', 0, 300);
	const [, delimiter] = /^\s*(--[^\r\n]{1,200})\r?\ncontent-/i.exec(start) ?? [];
	if (delimiter === undefined) return null;
	return `\n${body.toString('latin1').trimStart()}`
		.split(`\n${delimiter}`)
		.slice(1)
		.filter((part) => !part.startsWith('--'))
		.map((part) => {
			const [, head = '', value = ''] = /^(.*?)\r?\n\r?\n(.*?)\r?$/s.exec(part) ?? [];
			const inHead = (name: string) =>
				Buffer.from(new RegExp(`[; ]${name}="?([^";\r\n]*)`, 'i').exec(head)?.[1] ?? '', 'latin1');
			return [inHead('name').toString(), readPart(value, inHead('filename').toString())];
		});
}

function readPart(value: string, filename: string): string | File {
	const bytes = Buffer.from(value, 'latin1');
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		return { filename, bytes: bytes.length };
	}
}
