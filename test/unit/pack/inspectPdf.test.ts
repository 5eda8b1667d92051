import { createHash } from 'node:crypto';

import { inspectPdf } from '../../../nodes/DownloadEvidence/inspectPdf.ts';

async function* inChunks(content: Buffer, of: number) {
	for (let at = 0; at < content.length; at += of) yield content.subarray(at, at + of);
}

const pages = Buffer.alloc(5000, 'x');
const file = (end: string) => Buffer.concat([Buffer.from('%PDF-1.7\n'), pages, Buffer.from(end)]);

it.each([1, 3, 700, 100_000])('size, digest and end are the same in chunks of %i', async (of) => {
	const whole = file('\n%%EOF\n');
	const sha256 = createHash('sha256').update(whole).digest('hex');
	const inspected = await inspectPdf(inChunks(whole, of));
	expect(inspected).toEqual({ size: whole.length, sha256, isPdf: true, isWhole: true });
});

it.each([
	['its end mark is missing', file('')],
	['its end mark is cut', file('\n%%EO')],
	[
		'an end mark stands only long before the end, as in a file that was changed later',
		Buffer.concat([file('%%EOF'), pages]),
	],
])('a file is not whole if %s', async (_title, content) => {
	expect(await inspectPdf(inChunks(content, 64))).toMatchObject({ isWhole: false });
});

it('a file is whole if up to 1,024 bytes end with the end mark and what some writers add', async () => {
	const padded = file(`%%EOF${' '.repeat(1000)}`);
	expect(await inspectPdf(inChunks(padded, 64))).toMatchObject({ isWhole: true });
});

it.each<[string, string[], boolean]>([
	['as it should', ['%PDF-1.7\n…'], true],
	['and ends with it', ['%PDF-'], true],
	['in pieces', ['%', 'P', 'DF', '-1.7'], true],
	['otherwise', ['<html>…'], false],
	['as it should, but later', [' %PDF-'], false],
	['with less than a beginning', ['%PDF'], false],
	['with nothing', [], false],
])('how a file begins: %s', async (_title, chunks, isPdf) => {
	async function* content() {
		yield* chunks.map((chunk) => Buffer.from(chunk));
	}
	expect(await inspectPdf(content())).toMatchObject({ isPdf });
});
