// By which ways n8n reaches an execution of its own.
import { ownAddresses } from '../../../nodes/shared/consumer/ownAddresses.ts';

const urls = (resumeUrl: string) => ownAddresses(resumeUrl).map(({ url }) => url);

it.each<[string, string, string[]]>([
	[
		'plain http: its own port may be that of the URL',
		'http://n8n.lan:8080/webhook-waiting/12/ours?signature=abc',
		[
			'http://127.0.0.1:8080/webhook-waiting/12/ours?signature=abc',
			'http://127.0.0.1:5678/webhook-waiting/12/ours?signature=abc',
		],
	],
	[
		'https: a proxy speaks it, or n8n itself',
		'https://n8n.example.com/webhook-waiting/12/ours?signature=abc',
		[
			'http://127.0.0.1:5678/webhook-waiting/12/ours?signature=abc',
			'https://127.0.0.1:5678/webhook-waiting/12/ours?signature=abc',
		],
	],
	[
		'a prefix is the proxy’s business',
		'http://n8n.lan/a/b/webhook-waiting/12/ours?signature=abc',
		['http://127.0.0.1:5678/webhook-waiting/12/ours?signature=abc'],
	],
	['loopback it is already', 'http://127.0.0.1:5678/webhook-waiting/12/ours', []],
])('%s', (_title, resumeUrl, loopback) => {
	expect(urls(resumeUrl)).toEqual([resumeUrl, ...loopback]);
});

it('no name holds n8n’s token, and a certificate must be for the public name', () => {
	const addresses = ownAddresses('https://n8n.example.com/webhook-waiting/12/ours?signature=abc');
	expect(addresses.map(({ name }) => name)).toEqual([
		'https://n8n.example.com/webhook-waiting/12/ours',
		'127.0.0.1:5678',
		'https://127.0.0.1:5678',
	]);
	expect(addresses.map(({ servername }) => servername)).toEqual([
		undefined,
		undefined,
		'n8n.example.com',
	]);
});
