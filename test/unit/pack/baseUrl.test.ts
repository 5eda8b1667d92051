import { checkedBaseUrl } from '../../../credentials/authenticate.ts';

it.each([
	['https://api.delivery.example', 'https://api.delivery.example'],
	['https://api.delivery.example/', 'https://api.delivery.example'],
	['  https://api.delivery.example///  ', 'https://api.delivery.example'],
	['https://API.Delivery.example:443', 'https://api.delivery.example'],
	['HTTPS://localhost:8443', 'https://localhost:8443'],
	['https://[::1]:8443/', 'https://[::1]:8443'],
	['https://köln.example', 'https://xn--kln-sna.example'],
])('[AUTH-02][N] %j is taken as %s', (given, taken) => {
	expect(checkedBaseUrl(given)).toBe(taken);
	expect(checkedBaseUrl(taken)).toBe(taken);
});

it.each([
	[undefined, 'has no Base URL'],
	['', 'has no Base URL'],
	['   ', 'has no Base URL'],
	['api.delivery.example', 'https://'],
	['http://api.delivery.example', 'https://'],
	['HTTP://localhost', 'https://'],
	['ftp://api.delivery.example', 'https://'],
	['https://', 'https://'],
	['javascript:alert(1)', 'https://'],
	['https://user@api.delivery.example', 'plain address'],
	['https://user:word@api.delivery.example', 'plain address'],
	['https://api.delivery.example?a=b', 'plain address'],
	['https://api.delivery.example/?', 'plain address'],
	['https://api.delivery.example/#top', 'plain address'],
	['https://api.delivery.example/#', 'plain address'],
	['https://api.delivery.example/v1/', 'Enter https://api.delivery.example.'],
	[
		'https://api.delivery.example:8443/messages',
		'has the path "/messages". Enter https://api.delivery.example:8443.',
	],
	['https://api.delivery.example//consents', 'has the path'],
])('[AUTH-02][N] %j is refused: %s', (given, words) => {
	expect(() => checkedBaseUrl(given)).toThrow(words);
});

it('a user name or password in the address does not reach the error', () => {
	expect(() => checkedBaseUrl('https://ada:S3cret@api.delivery.example')).not.toThrow('S3cret');
});
