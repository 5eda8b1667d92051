// What is believed of an address and of a file, before evidence is downloaded and after.
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { httpsUrl } from '../../../nodes/DownloadEvidence/httpsUrl.ts';
import { startsWith } from '../../../nodes/DownloadEvidence/startsWith.ts';

it.each<[string, string | undefined, string | null]>([
	['https://files.example/a?b#c', undefined, 'https://files.example/a?b#c'],
	['HTTPS://Files.example', undefined, 'https://files.example/'],
	['http://files.example/a', undefined, null],
	['ftp://files.example/a', undefined, null],
	['javascript:alert(1)', undefined, null],
	['files.example/a', undefined, null],
	['', undefined, null],
	['/b', 'https://files.example/a', 'https://files.example/b'],
	['//other.example/b', 'https://files.example/a', 'https://other.example/b'],
	['//other.example/b', 'http://files.example/a', null],
	['http://files.example/b', 'https://files.example/a', null],
])('[AUTH-02][N] evidence is fetched from %s, relative to %s: %s', (address, base, expected) => {
	expect(httpsUrl(address, base)?.href ?? null).toBe(expected);
});

describe('how a file begins', () => {
	const bytes = (...chunks: string[]) =>
		Readable.from(
			chunks.map((chunk) => Buffer.from(chunk)),
			{ objectMode: false },
		);

	it.each<[string, string[], boolean]>([
		['as it should', ['%PDF-1.7\n…'], true],
		['and ends with it', ['%PDF-'], true],
		['in pieces', ['%', 'P', 'DF', '-1.7'], true],
		['otherwise', ['<html>…'], false],
		['as it should, but later', [' %PDF-'], false],
	])('%s: the file is still whole', async (_, chunks, expected) => {
		const stream = bytes(...chunks);
		expect(await startsWith(stream, '%PDF-')).toBe(expected);
		expect(await text(stream)).toBe(chunks.join(''));
	});

	it.each<[string, string[]]>([
		['nothing', []],
		['less than a beginning', ['%PDF']],
	])('%s is no file', async (_, chunks) => {
		expect(await startsWith(bytes(...chunks), '%PDF-')).toBe(false);
	});

	it('is waited for; what breaks or is closed before is no file, and no listener stays', async () => {
		const slow = new PassThrough();
		const answer = startsWith(slow, '%PDF-');
		setTimeout(() => slow.write('%PDF-1.7'), 10);
		expect(await answer).toBe(true);
		const none = { readable: 0, end: 0, close: 0, error: 0 };
		const listeners = (stream: PassThrough) =>
			Object.fromEntries(Object.keys(none).map((name) => [name, stream.listenerCount(name)]));
		expect(listeners(slow)).toEqual(listeners(new PassThrough()));

		const broken = new PassThrough();
		const failed = startsWith(broken, '%PDF-');
		broken.destroy(new Error('cut off'));
		await expect(failed).rejects.toThrow('cut off');

		const closed = new PassThrough();
		const ended = startsWith(closed, '%PDF-');
		closed.destroy();
		expect(await ended).toBe(false);
	});
});
