import type { LookupAddress } from 'node:dns';
import { createTargetGuard } from '../../../webhook-receiver/src/target-guard.ts';

const refused = (allowed: string[], url: string) =>
	createTargetGuard(allowed).refusal(new URL(url)) !== null;

const LOCAL_FORMS = [
	'127.0.0.1',
	'2130706433',
	'0x7f.1',
	'0177.0.0.1',
	'127.1',
	'[::1]',
	'[::ffff:127.0.0.1]',
	'[::ffff:7f00:1]',
	'[::127.0.0.1]',
	'[64:ff9b::7f00:1]',
	'[2002:7f00:1::]',
	'10.0.0.1',
	'172.16.0.1',
	'192.168.0.1',
	'100.64.0.1',
	'169.254.169.254',
	'[fe80::1]',
	'[fc00::1]',
	'0.0.0.0',
	'0',
	'[::]',
	'224.0.0.1',
	'255.255.255.255',
];

it.each(LOCAL_FORMS)('refuses http://%s/ by default and when any public host is fine', (host) => {
	expect(refused([], `http://${host}/`)).toBe(true);
	expect(refused(['*'], `http://${host}/`)).toBe(true);
	expect(refused(['n8n.example'], `http://${host}/`)).toBe(true);
});

it.each([
	[[], 'https://n8n.example/webhook/1', true],
	[['n8n.example'], 'https://n8n.example/webhook/1', false],
	[['n8n.example'], 'http://N8N.example.:5678/', false],
	[['n8n.example:5678'], 'http://n8n.example:5678/', false],
	[['n8n.example:5678'], 'http://n8n.example/', true],
	[['n8n.example:443'], 'https://n8n.example/', false],
	[['n8n.example:80'], 'http://n8n.example/', false],
	[['n8n.example'], 'https://evil-n8n.example/', true],
	[['n8n.example'], 'https://n8n.example.evil/', true],
	[['n8n.example'], 'https://user:word@n8n.example/', true],
	[['127.0.0.1:5678'], 'http://127.0.0.1:5678/', false],
	[['127.0.0.1:5678'], 'http://2130706433:5678/', false],
	[['127.0.0.1:5678'], 'http://[::ffff:127.0.0.1]:5678/', false],
	[['127.0.0.1:5678'], 'http://127.0.0.1:6379/', true],
	[['[::1]:5678'], 'http://[::1]:5678/', false],
	[['::1'], 'http://[::1]:5678/', false],
	[['169.254.169.254'], 'http://169.254.169.254/', true],
	[['*'], 'https://anything.example/', false],
	[['*'], 'http://203.0.113.9/', true],
	[['*'], 'http://8.8.8.8/', false],
])('with %j allowed, %s is refused: %s', (allowed, url, answer) => {
	expect(refused(allowed, url)).toBe(answer);
});

describe('DNS answers', () => {
	const lookup = (allowed: string[], hostname: string, addresses: string[]) =>
		new Promise<string>((resolve) => {
			const records: LookupAddress[] = addresses.map((address) => ({
				address,
				family: address.includes(':') ? 6 : 4,
			}));
			const guard = createTargetGuard(allowed, (_host, callback) => callback(null, records));
			guard.lookup(hostname, { all: true }, (error, answer) => {
				resolve(error ? 'refused' : (answer as LookupAddress[]).map((a) => a.address).join());
			});
		});

	it.each([
		[['*'], '8.8.8.8', '8.8.8.8'],
		[['*'], '127.0.0.1', 'refused'],
		[['*'], '::ffff:127.0.0.1', 'refused'],
		[['*'], '10.1.2.3', 'refused'],
		[['*'], 'fe80::1%eth0', 'refused'],
		[['n8n.internal'], '10.1.2.3', '10.1.2.3'],
		[['n8n.internal:5678'], '::1', '::1'],
		[['n8n.internal'], '169.254.169.254', 'refused'],
	])('with %j allowed, an answer of %s is %s', async (allowed, address, answer) => {
		expect(await lookup(allowed, 'n8n.internal', [address])).toBe(answer);
	});

	it('one bad address among good ones is enough to refuse', async () => {
		expect(await lookup(['*'], 'rebind.example', ['8.8.8.8', '127.0.0.1'])).toBe('refused');
		expect(await lookup(['*'], 'empty.example', [])).toBe('refused');
	});
});
