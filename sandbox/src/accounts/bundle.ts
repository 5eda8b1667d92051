import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Credentials, RegisteredCertificate } from '../state/model.ts';

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

/** A PEM that cannot be registered as a client certificate; the message says why. */
export class BundleError extends Error {}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const KEY = /-----BEGIN (?:\w+ )*PRIVATE KEY-----[^-]+-----END (?:\w+ )*PRIVATE KEY-----/;

/**
 * Reads a client certificate issued elsewhere, by any authority: only the account's list of
 * fingerprints decides (rule AUTH-03). The PEM may contain its chain and key, in any order.
 *
 * @throws BundleError
 */
export function readBundle(pem: string, now: number): RegisteredCertificate {
	const found = [...new Set(pem.match(CERTIFICATE))];
	const certificates = found.map(readCertificate);
	const [leaf, ...others] = certificates.filter((one) => !isIssuer(one, certificates));
	if (!leaf) throw new BundleError('There is no PEM certificate (-----BEGIN CERTIFICATE-----)');
	if (others.length > 0)
		throw new BundleError(
			'There are several certificates that are no chain. Register them one at a time',
		);
	const expiresAt = leaf.validToDate.getTime();
	if (expiresAt <= now) throw new BundleError('The certificate has expired');
	const chain = certificates.filter((one) => one !== leaf);
	return {
		certificate: [leaf, ...chain].map(String).join(''),
		key: readKey(pem, leaf),
		fingerprint: leaf.fingerprint256,
		expiresAt,
		firstUsedAt: null,
	};
}

function readCertificate(pem: string): X509Certificate {
	try {
		return new X509Certificate(pem);
	} catch {
		throw new BundleError('A certificate in the PEM cannot be read');
	}
}

const isIssuer = (one: X509Certificate, all: X509Certificate[]): boolean =>
	all.some((other) => other.fingerprint256 !== one.fingerprint256 && other.checkIssued(one));

function readKey(pem: string, leaf: X509Certificate): string | null {
	const key = KEY.exec(pem)?.[0];
	if (key === undefined) return null;
	let read;
	try {
		read = createPrivateKey(key);
	} catch {
		throw new BundleError('The private key cannot be read. Leave it out, or remove its passphrase');
	}
	if (leaf.checkPrivateKey(read)) return `${key}\n`;
	throw new BundleError('The private key is of another certificate');
}
