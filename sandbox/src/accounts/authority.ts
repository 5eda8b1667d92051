import { webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Credentials, RegisteredCertificate } from '../state/model.ts';
import { LOOPBACK_NAMES } from '../http/names.ts';

const DAY = 86_400_000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

// Loaded lazily: a start from a kept folder creates no certificate.
async function loadX509() {
	await import('reflect-metadata');
	const x509 = await import('@peculiar/x509');
	x509.cryptoProvider.set(webcrypto as never);
	return x509;
}

/** The sandbox's own certificate authority. Elliptic-curve keys take milliseconds to create. */
export async function createAuthority(now: number): Promise<Credentials> {
	const x509 = await loadX509();
	const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
	const certificate = await x509.X509CertificateGenerator.createSelfSigned({
		name: 'CN=Registered Delivery Sandbox CA',
		notBefore: new Date(now - DAY),
		notAfter: new Date(now + 3650 * DAY),
		signingAlgorithm: ALGORITHM,
		keys: keys as never,
		extensions: [
			new x509.BasicConstraintsExtension(true, 0, true),
			new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
			await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as never),
		],
	});
	return { certificate: certificate.toString('pem'), key: await pem(keys.privateKey) };
}

/** The service's server certificate, valid for these host names and addresses. */
export const issueServerCertificate = (
	authority: Credentials,
	now: number,
	names: string[] = LOOPBACK_NAMES,
) => issue(authority, { name: 'CN=localhost', now, days: 3649, use: 'serverAuth', names });

/** An account's certificate. It outlives a year from first use, so tests can hit both limits. */
export const issueClientCertificate = (authority: Credentials, account: string, now: number) =>
	issue(authority, { name: [{ CN: [account] }], now, days: 730, use: 'clientAuth' });

/** A certificate as registered with an account. */
export function registeredCertificate(credentials: Credentials): RegisteredCertificate {
	const { fingerprint256, validToDate } = new X509Certificate(credentials.certificate);
	return {
		...credentials,
		fingerprint: fingerprint256,
		expiresAt: validToDate.getTime(),
		firstUsedAt: null,
	};
}

interface Leaf {
	name: string | Array<{ CN: string[] }>;
	use: 'serverAuth' | 'clientAuth';
	/** Valid from a day before now on. */
	now: number;
	days: number;
	names?: string[];
}

async function issue(authority: Credentials, leaf: Leaf): Promise<Credentials> {
	const x509 = await loadX509();
	const issuer = new x509.X509Certificate(authority.certificate);
	const signingKey = await webcrypto.subtle.importKey(
		'pkcs8',
		x509.PemConverter.decodeFirst(authority.key),
		ALGORITHM,
		false,
		['sign'],
	);
	const { use, now, days, names = [] } = leaf;
	const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
	const alternativeNames = names.map(
		(value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const,
	);
	const certificate = await x509.X509CertificateGenerator.create({
		subject: leaf.name,
		issuer: issuer.subject,
		notBefore: new Date(now - DAY),
		notAfter: new Date(now + days * DAY),
		signingAlgorithm: ALGORITHM,
		signingKey: signingKey as never,
		publicKey: keys.publicKey as never,
		extensions: [
			new x509.BasicConstraintsExtension(false, undefined, true),
			new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
			new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage[use]]),
			await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
			await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as never),
			...(alternativeNames.length > 0
				? [new x509.SubjectAlternativeNameExtension(alternativeNames)]
				: []),
		],
	});
	return { certificate: certificate.toString('pem'), key: await pem(keys.privateKey) };
}

async function pem(key: webcrypto.CryptoKey): Promise<string> {
	const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
	const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
	return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}
