// Which addresses evidence may be downloaded from.
import { httpsUrl } from '../../../nodes/DownloadEvidence/httpsUrl.ts';

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
