import { createHash } from 'node:crypto';

import { inspectPdf } from '../../../nodes/DownloadEvidence/inspectPdf.ts';

async function* inChunks(content: Buffer, of: number) {
	for (let at = 0; at < content.length; at += of) yield content.subarray(at, at + of);
}

const inspect = async (text: string, of: number) =>
	await inspectPdf(inChunks(Buffer.from(text, 'latin1'), of));

const table = 'xref\ntrailer\nstartxref\n15\n%%EOF';
const whole = `%PDF-1.7\n1 0 obj ${table}`;

it.each([1, 3, 64, 700, 100_000])('what a file is, in chunks of %i', async (of) => {
	const text = `\r\n${whole}${'\n\0'.repeat(3000)}`;
	expect(await inspect(text, of)).toEqual({
		size: text.length,
		sha256: createHash('sha256').update(text, 'latin1').digest('hex'),
		isPdf: true,
		hasEndMark: true,
		endsWithMark: true,
		endsAsPdf: true,
	});
});

const NONE = { hasEndMark: false, endsWithMark: false, endsAsPdf: false };
const INSIDE = { ...NONE, hasEndMark: true };
const LAST = { ...INSIDE, endsWithMark: true };
const PROPER = { ...LAST, endsAsPdf: true };
const changed = `${whole}\n1 0 obj changed ${table}`;
const linearized = (length: number, offset: number) =>
	`%PDF-1.7\n1 0 obj\n<</Linearized 1/L ${length}/O 3>>\nxref\nstartxref\n${offset}\n%%EOF`;

it.each<[string, string, object]>([
	['a whole one', whole, PROPER],
	['blanks of any kind and number behind it', `${whole}\r\n${'\0 \t\f'.repeat(2000)}`, PROPER],
	['carriage returns', whole.replaceAll('\n', '\r'), PROPER],
	['nothing between offset and mark', whole.replace('15\n', '15'), PROPER],
	['later changes', changed, PROPER],
	['a cut before the first mark', whole.slice(0, -1), NONE],
	['a cut in the later changes', changed.slice(0, -1), INSIDE],
	['a comment behind it', `${whole}\n% a comment`, INSIDE],
	['no offset', '%PDF-1.7\n%%EOF', LAST],
	['an offset beyond the file', whole.replace('15', '1500'), LAST],
	['the first part of one for the web', linearized(9000, 0), LAST],
	['the same with an offset', linearized(9000, 20), LAST],
	['one for the web', `${linearized(90, 0)}\n1 0 obj ${table}`, PROPER],
	['a table that is a comment', whole.replace('startxref', 'startxre'), LAST],
])('how a file ends: %s', async (_title, text, expected) => {
	for (const size of [1, 50, 100_000]) expect(await inspect(text, size)).toMatchObject(expected);
});

const before = (bytes: number) => 'x'.repeat(bytes) + whole;

it.each<[string, string, boolean]>([
	['as it should', whole, true],
	['and ends with it', '%PDF-', true],
	['after a byte order mark', `\xef\xbb\xbf${whole}`, true],
	['after a line', `\r\n${whole}`, true],
	['after a blank', ` ${whole}`, true],
	['after 1,000 bytes', before(1000), true],
	['within the first 1,024 bytes', before(1019), true],
	['beyond them', before(1020), false],
	['after the headers of a mail', `Content-ID: <a@b>\r\n\r\n${whole}`, true],
	['otherwise', '<html>…', false],
	['as a page that mentions it', `<!DOCTYPE html><p>No ${whole}`, false],
	['as a page after a byte order mark', `\xef\xbb\xbf\n<html><p>No ${whole}`, false],
	['as words before a page', `Sorry!\n<html><p>No ${whole}`, false],
	['as JSON that mentions it', `{"error":"no ${whole}"}`, false],
	['with less than a beginning', '%PDF', true],
	['with nothing', '', true],
])('how a file begins: %s', async (_title, text, isPdf) => {
	for (const size of [1, 100_000]) expect(await inspect(text, size)).toMatchObject({ isPdf });
});
