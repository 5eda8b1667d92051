import { inflateSync } from 'node:zlib';

/** What a PDF made by pdfkit with its standard fonts says; enough of a reader for that. */
export async function readPdf(bytes: Buffer): Promise<{ text: string; subject: string }> {
	const latin = bytes.toString('latin1');
	const streams = [...latin.matchAll(/stream\n([\s\S]*?)\nendstream/g)].map(([, data = '']) =>
		inflated(Buffer.from(data, 'latin1')),
	);
	const shown = streams.flatMap((stream) => [...stream.matchAll(/\[(.*?)\] TJ/g)]);
	const text = shown.map(([, parts = '']) =>
		[...parts.matchAll(/<([0-9a-f]+)>/g)]
			.map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))
			.join(''),
	);
	return { text: text.join('\n'), subject: subjectOf(bytes) };
}

function inflated(data: Buffer): string {
	try {
		return inflateSync(data).toString('latin1');
	} catch {
		return '';
	}
}

/** Text beyond Latin-1 is UTF-16 with a byte order mark, in an object of its own. */
function subjectOf(bytes: Buffer): string {
	const latin = bytes.toString('latin1');
	const object = /\/Subject (\d+) 0 R/.exec(latin)?.[1];
	const raw = new RegExp(`\\n${object} 0 obj\\n\\((.*?)\\)\\nendobj`, 's').exec(latin)?.[1] ?? '';
	const unescaped = Buffer.from(raw.replaceAll(/\\(.)/gs, '$1'), 'latin1');
	return unescaped.subarray(2).swap16().toString('utf16le');
}
