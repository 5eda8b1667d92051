import 'reflect-metadata';
import { X509Certificate, webcrypto } from 'node:crypto';
import { X509CertificateGenerator, cryptoProvider } from '@peculiar/x509';
import type { Client } from '../../../webhook-receiver/src/core/verify.ts';
import { clientCertificateVerifier } from '../../../webhook-receiver/src/ingest/verifiers/client-certificate.ts';
import type { ClientCertificateConfig } from '../../../webhook-receiver/src/ingest/verifiers/client-certificate.ts';

const NOW = Date.UTC(2026, 0, 31, 9, 30);
const [FROM, TO] = [NOW - 60_000, NOW + 60_000];
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

cryptoProvider.set(webcrypto as Crypto);

interface Authority {
	name: string;
	keys: CryptoKeyPair;
	pem: string;
}

const keyPair = () =>
	webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<CryptoKeyPair>;

async function makeAuthority(name: string, keys?: CryptoKeyPair): Promise<Authority> {
	const own = keys ?? (await keyPair());
	const certificate = await X509CertificateGenerator.createSelfSigned({
		name: `CN=${name}`,
		keys: own,
		notBefore: new Date(FROM),
		notAfter: new Date(TO),
		signingAlgorithm: algorithm,
	});
	return { name, keys: own, pem: certificate.toString('pem') };
}

async function issue(authority: Authority): Promise<string> {
	const certificate = await X509CertificateGenerator.create({
		subject: 'CN=service',
		issuer: `CN=${authority.name}`,
		notBefore: new Date(FROM),
		notAfter: new Date(TO),
		signingKey: authority.keys.privateKey,
		publicKey: (await keyPair()).publicKey,
		signingAlgorithm: algorithm,
	});
	return certificate.toString('pem');
}

let ours: Authority;
let theirs: Authority;
let service: string;
let sibling: string;
let stranger: string;
let impostor: string;
let renamed: string;

beforeAll(async () => {
	ours = await makeAuthority('ours');
	theirs = await makeAuthority('theirs');
	[service, sibling, stranger] = [await issue(ours), await issue(ours), await issue(theirs)];
	// The right name and the wrong key, the right key and the wrong name.
	impostor = await issue(await makeAuthority('ours'));
	renamed = await issue({ ...ours, name: 'theirs' });
});

const fingerprint = (pem: string) =>
	new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();

const authorities = (...all: Authority[]) => all.map(({ pem }) => new X509Certificate(pem));

const NOBODY: Client = { address: null, certificate: null, isTrustedProxy: false };
const onTls = (pem: string, isTrusted = false): Client => ({
	...NOBODY,
	certificate: { x509: new X509Certificate(pem), isTrusted },
});
const PROXY: Client = { ...NOBODY, isTrustedProxy: true };

function check(
	config: Partial<ClientCertificateConfig>,
	client: Client,
	headers: Record<string, string | string[]> = {},
	now = NOW,
) {
	const whole = { authorities: [], fingerprints: [], header: null, ...config };
	const request = { headers, body: Buffer.alloc(0), now, client };
	return clientCertificateVerifier(whole).verify(request);
}

it('[EVNT-04][R] goes by its own name in the log', () => {
	const config = { authorities: [], fingerprints: [], header: null };
	expect(clientCertificateVerifier(config).scheme).toBe('client-certificate');
});

describe('[EVNT-04][R] shown on our own TLS', () => {
	it('one the authority issued is taken, another is not', () => {
		const config = { authorities: authorities(ours) };
		expect(check(config, onTls(service))).toBeNull();
		expect(check(config, onTls(stranger))).toMatch(/not issued by INGEST_CLIENT_CA/);
		expect(check(config, NOBODY)).toMatch(/no certificate/);
	});

	it('one signed with another key in the authority’s name is not', () => {
		expect(check({ authorities: authorities(ours) }, onTls(impostor))).toMatch(
			/not issued by INGEST_CLIENT_CA/,
		);
	});

	it('one signed with the authority’s key in another name is not', () => {
		expect(check({ authorities: authorities(ours) }, onTls(renamed))).toMatch(
			/not issued by INGEST_CLIENT_CA/,
		);
	});

	it('any of several authorities is good', () => {
		const config = { authorities: authorities(theirs, ours) };
		expect(check(config, onTls(service))).toBeNull();
		expect(check(config, onTls(stranger))).toBeNull();
	});

	it('one whose chain TLS has checked is taken though an authority between issued it', () => {
		expect(check({ authorities: authorities(ours) }, onTls(stranger, true))).toBeNull();
	});

	it('one that is listed is taken, whoever issued it; its sibling is not', () => {
		const config = { fingerprints: [fingerprint(service), fingerprint(stranger)] };
		expect(check(config, onTls(service))).toBeNull();
		expect(check(config, onTls(stranger))).toBeNull();
		expect(check(config, onTls(sibling))).toBe('not listed');
		expect(check(config, onTls(sibling, true))).toBe('not listed');
	});

	it('with authority and list, it must be issued and listed', () => {
		const fingerprints = [fingerprint(service), fingerprint(stranger)];
		const config = { authorities: authorities(ours), fingerprints };
		expect(check(config, onTls(service))).toBeNull();
		expect(check(config, onTls(sibling))).toBe('not listed');
		expect(check(config, onTls(stranger))).toMatch(/not issued by INGEST_CLIENT_CA/);
	});

	it.each([
		[FROM - 1000, 'not valid now'],
		[FROM, null],
		[TO, null],
		[TO + 1000, 'not valid now'],
	])('at %d it is: %s', (now, refusal) => {
		const config = { authorities: authorities(ours) };
		expect(check(config, onTls(service), {}, now)).toBe(refusal);
		expect(check(config, onTls(service, true), {}, now)).toBe(refusal);
	});
});

describe('[EVNT-04][R] handed on in a header', () => {
	const handedOn = (pem: string) => ({ 'x-client-cert': encodeURIComponent(pem) });
	const config = () => ({ authorities: authorities(ours), header: 'x-client-cert' });

	it('by a trusted proxy: taken when the authority issued it', () => {
		expect(check(config(), PROXY, handedOn(service))).toBeNull();
		expect(check(config(), PROXY, handedOn(stranger))).toMatch(/not issued by INGEST_CLIENT_CA/);
	});

	it('by anybody else: not looked at', () => {
		expect(check(config(), NOBODY, handedOn(service))).toMatch(/no certificate/);
	});

	it('where the operator named no header: not looked at', () => {
		const unnamed = { ...config(), header: null };
		const headers = { ...handedOn(service), null: encodeURIComponent(service) };
		expect(check(unnamed, PROXY, headers)).toMatch(/no certificate/);
	});

	it('nothing in it', () => {
		expect(check(config(), PROXY)).toMatch(/no certificate/);
		expect(check(config(), PROXY, { 'x-client-cert': ' ' })).toMatch(/no certificate/);
	});

	it.each(['%zz', 'not a certificate', '-----BEGIN CERTIFICATE-----'])('broken: %j', (text) => {
		expect(check(config(), PROXY, { 'x-client-cert': text })).toMatch(/cannot be read/);
	});

	it('two of them, as from a sender that adds the service’s own: none counts', () => {
		const [own, other] = [service, stranger].map((pem) => encodeURIComponent(`${pem}\n`));
		for (const both of [`${own}, ${other}`, `${other}, ${own}`, `${own},${own}`]) {
			expect(check(config(), PROXY, { 'x-client-cert': both })).toMatch(/cannot be read/);
		}
	});

	describe.each([false, true])(
		'by a proxy that shows its own on our TLS (chain checked: %s)',
		(isTrusted) => {
			const proxy = () => ({ ...onTls(sibling, isTrusted), isTrustedProxy: true });

			it('only the one handed on counts', () => {
				expect(check(config(), proxy(), handedOn(service))).toBeNull();
				expect(check(config(), proxy(), handedOn(stranger))).toMatch(/not issued by/);
				const listed = { fingerprints: [fingerprint(service)], header: 'x-client-cert' };
				expect(check(listed, proxy(), handedOn(service))).toBeNull();
			});

			it('nobody passes for the service by the proxy’s own', () => {
				expect(check(config(), proxy())).toMatch(/no certificate/);
			});

			it('where the operator named no header, the proxy’s own is judged', () => {
				expect(check({ ...config(), header: null }, proxy(), handedOn(stranger))).toBeNull();
			});
		},
	);

	it('anybody else is judged by the one shown on our own TLS', () => {
		expect(check(config(), onTls(service), handedOn(stranger))).toBeNull();
		expect(check(config(), onTls(stranger), handedOn(service))).toMatch(/not issued by/);
	});
});
