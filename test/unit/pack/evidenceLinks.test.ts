// Which addresses evidence may be downloaded from.
import { httpsUrl, redirectUrl } from '../../../nodes/DownloadEvidence/httpsUrl.ts';

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

const inUtf8 = (text: string) => Buffer.from(text).toString('latin1');

it.each<[string, string | null]>([
	['/Zo%C3%AB', 'https://files.example/Zo%C3%AB'],
	[inUtf8('/Zoë?für=ü'), 'https://files.example/Zo%C3%AB?f%C3%BCr=%C3%BC'],
	['/Zo\u00eb', 'https://files.example/Zo%EB'],
	[inUtf8('https://bücher.example/b'), 'https://xn--bcher-kva.example/b'],
	[inUtf8('http://files.example/ë'), null],
])('[AUTH-02][EVID-03][N] a redirect to %j, as Node reads its bytes: %s', (location, expected) => {
	expect(redirectUrl(location, 'https://files.example/a')?.href ?? null).toBe(expected);
});
