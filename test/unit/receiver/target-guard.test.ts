import type { LookupAddress } from 'node:dns';
import { createTargetGuard, parseTarget } from '../../../webhook-receiver/src/target-guard.ts';

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
	[['[::1]'], 'http://[::1]:5678/', false],
	[['[::1]:5678'], 'http://[::1]:5679/', true],
	[['n8n.example', '127.0.0.1'], 'http://127.0.0.1/', false],
	[['n8n.example:5678'], 'https://n8n.example:5678/', false],
	[['n8n.example:443'], 'http://n8n.example/', true],
	[['n8n.example:80'], 'https://n8n.example/', true],
	[['n8n.example'], 'https://user@n8n.example/', true],
	[['n8n.example'], 'https://:word@n8n.example/', true],
	[['*'], 'https://user:word@n8n.example/', true],
	[['*', '127.0.0.1:5678'], 'http://127.0.0.1:5678/', false],
	[['*', '127.0.0.1:5678'], 'http://127.0.0.1:6379/', true],
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
		[['*'], '::ffff:7f00:1', 'refused'],
		[['*'], '::ffff:8.8.8.8', '::ffff:8.8.8.8'],
		[['n8n.internal'], '::ffff:169.254.169.254', 'refused'],
		[['n8n.internal'], '::ffff:a9fe:a9fe', 'refused'],
		[['n8n.internal'], 'fe80::1%eth0', 'refused'],
		[['*'], 'fc00::1%eth0', 'refused'],
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

	it('a name that can not be resolved passes on why', async () => {
		const reason = new Error('ENOTFOUND');
		const guard = createTargetGuard(['*'], (_host, callback) => callback(reason, []));
		const outcome = await new Promise((resolve) => {
			guard.lookup('none.example', { all: true }, (error) => resolve(error));
		});
		expect(outcome).toBe(reason);
	});

	it('whoever asks for one address gets the first, with its family', async () => {
		const records = [
			{ address: '2001:4860:4860::8888', family: 6 },
			{ address: '8.8.8.8', family: 4 },
		];
		const guard = createTargetGuard(['*'], (_host, callback) => callback(null, records));
		const outcome = await new Promise((resolve) => {
			guard.lookup('dns.example', {}, (...answer) => resolve(answer));
		});
		expect(outcome).toEqual([null, '2001:4860:4860::8888', 6]);
	});

	it('the name is compared as the operator wrote it or otherwise, with a final dot or without', async () => {
		for (const hostname of ['N8N.Internal', 'n8n.internal.']) {
			expect(await lookup(['n8n.internal'], hostname, ['10.1.2.3'])).toBe('10.1.2.3');
		}
		expect(await lookup(['n8n.internal'], 'other.internal', ['10.1.2.3'])).toBe('refused');
	});

	it('by itself it asks the system', async () => {
		const guard = createTargetGuard(['localhost']);
		const outcome = await new Promise((resolve) => {
			guard.lookup('localhost', { all: true }, (error, answer) => resolve(error ?? answer));
		});
		expect(outcome).toContainEqual({
			address: expect.stringMatching(/^(127\.|::1)/),
			family: expect.any(Number),
		});
	});
});

describe('says why', () => {
	const why = (allowed: string[], url: string) => createTargetGuard(allowed).refusal(new URL(url));

	it.each([
		[['a.example'], 'https://b.example/', /allow b\.example:443$/],
		[['a.example'], 'http://b.example/', /allow b\.example:80$/],
		[['a.example'], 'http://B.example:8080/', /allow b\.example:8080$/],
		[['*'], 'http://169.254.169.254/', /^169\.254\.169\.254 is never/],
		[['*'], 'http://[::ffff:10.0.0.1]/', /^10\.0\.0\.1 is a private/],
		[['*'], 'https://u:p@a.example/', /user or password/],
	])('with %j allowed, to %s', (allowed, url, words) => {
		expect(why(allowed, url)).toMatch(words);
	});

	it('of a DNS answer, naming the host and the address', async () => {
		const guard = createTargetGuard(['*'], (_host, callback) =>
			callback(null, [{ address: '10.1.2.3', family: 4 }]),
		);
		const error = await new Promise((resolve) => {
			guard.lookup('rebind.example', {}, (error) => resolve(error));
		});
		expect(String(error)).toMatch(/rebind\.example is refused: 10\.1\.2\.3 is a private/);
		const empty = createTargetGuard(['*'], (_host, callback) => callback(null, []));
		const none = await new Promise((resolve) => {
			empty.lookup('empty.example', {}, (error) => resolve(error));
		});
		expect(String(none)).toMatch(/empty\.example has no address/);
	});
});

// First and last address of each network, and the neighbours that are public.
describe('the networks that are not public', () => {
	it.each([
		['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
		['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
		['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
		['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
		['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
		['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
		['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
		['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
		['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
		['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
		['[::1]', '[::ffff]', '[2001:1::]', '[2001:4860::]'],
		['[fc00::]', '[fdff::1]', '[fbff::1]', '[2606::1]'],
		['[64:ff9b::]', '[64:ff9b::ffff:ffff]', '[64:ff9a::1]', '[64:ff9b::1:0:0]'],
		['[2001::]', '[2001:0:ffff::1]', '[2000:ffff::1]', '[2001:1::1]'],
		['[2002::]', '[2002:ffff::1]', '[2001:ffff::1]', '[2003::1]'],
	])('%s to %s: private, though good when named', (first, last, ...neighbours) => {
		for (const host of [first, last]) {
			expect([host, refused(['*'], `http://${host}/`)]).toEqual([host, true]);
			expect([host, refused([host], `http://${host}/`)]).toEqual([host, false]);
		}
		for (const host of neighbours) {
			expect([host, refused(['*'], `http://${host}/`)]).toEqual([host, false]);
		}
	});

	it.each([
		['0.0.0.0', '0.255.255.255', '1.0.0.0'],
		['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
		['224.0.0.0', '255.255.255.255', '223.255.255.255'],
		['[fe80::]', '[febf::1]', '[fe7f::1]', '[fec0::1]'],
		['[ff00::]', '[ffff::1]', '[feff::1]'],
		['[fd00:ec2::254]', '[fd00:ec2::254]'],
		['[::]', '[::]'],
	])('%s to %s: never a target, named or not', (first, last, ...neighbours) => {
		for (const host of [first, last]) {
			expect([host, refused([host], `http://${host}/`)]).toEqual([host, true]);
		}
		for (const host of neighbours) {
			expect([host, refused([host], `http://${host}/`)]).toEqual([host, false]);
		}
	});
});

describe('reading what the operator allows', () => {
	it.each([
		['n8n.example', 'n8n.example', null],
		['N8N.Example.:5678', 'n8n.example', 5678],
		['n8n.example:80', 'n8n.example', 80],
		['n8n.example:65535', 'n8n.example', 65535],
		['127.0.0.1:5678', '127.0.0.1', 5678],
		['2130706433', '127.0.0.1', null],
		['::1', '::1', null],
		['2001:db8::5678', '2001:db8::5678', null],
		['[::1]', '::1', null],
		['[::1]:5678', '::1', 5678],
		['::ffff:127.0.0.1', '127.0.0.1', null],
		['[::ffff:192.168.1.255]:80', '192.168.1.255', 80],
		['64::ffff:7f00:1', '64::ffff:7f00:1', null],
		['::ffff:7f00:1:2', '::ffff:7f00:1:2', null],
	])('%s', (entry, host, port) => {
		expect(parseTarget(entry)).toEqual({ host, port });
	});

	it.each([
		...['', ':80', 'n8n.example:', 'n8n.example:65536', 'n8n.example:5678:80', '[::1', '[::1]:'],
		...['http://n8n.example', 'n8n.example/', 'n8n.example/path', 'n8n.example\\path'],
		...['n8n.example?a', 'n8n.example#a', 'user@n8n.example', 'a b', 'n8n.example:5678a'],
	])('refuses %j, which is neither host nor host:port', (entry) => {
		expect(() => parseTarget(entry)).toThrow();
	});

	it('says what was wrong', () => {
		expect(() => parseTarget('n8n.example/a')).toThrow('n8n.example/a is not host or host:port');
	});
});
