import { X509Certificate, createHash, createPrivateKey } from 'crypto';

import { mendPem } from './pem';

/** The credential's TLS fields, as n8n passes them. */
export interface TlsFields {
	clientCertificate?: string;
	clientKey?: string;
	passphrase?: string;
	pfx?: string;
	caCertificate?: string;
}

/** TLS options, named as in Node's `tls.connect`. */
interface ClientTls {
	cert?: string;
	key?: string;
	pfx?: Buffer;
	passphrase?: string;
	ca?: string;
}

/** Whether there is a client certificate: a PEM pair or a PFX. Without one, only the token authenticates. */
export function hasClientCertificate(fields: TlsFields): boolean {
	return filled(fields.clientCertificate) || filled(fields.clientKey) || filled(fields.pfx);
}

/**
 * TLS options from the credential's fields, checked before any request. {@link certificateExpiry} checks
 * expiry: everything but registered letters works without a certificate.
 *
 * @throws Error that names the field but no value: a certificate without its key, unreadable PEM, a key that
 * does not match, a wrong passphrase
 */
export function clientTls(fields: TlsFields): ClientTls {
	return {
		...(filled(fields.caCertificate) && { ca: readAuthority(fields.caCertificate) }),
		...clientIdentity(fields),
	};
}

/** When the PEM certificate expires; null if there is none, it is unreadable, or it is inside a PFX. */
export function certificateExpiry(fields: TlsFields): Date | null {
	if (!filled(fields.clientCertificate)) return null;
	const pem = mendPem(fields.clientCertificate);
	return remember(expiries, digest(pem), () => {
		const certificate = attempt(() => new X509Certificate(pem));
		return certificate && new Date(certificate.validTo);
	});
}

/** What a client certificate lets the user do, and until when. */
interface CertificateState {
	/** Why the service could not accept a registered letter with it, or null (rules TYPE-01, AUTH-03). */
	registeredProblem: string | null;
	/** What to tell of a certificate that has expired or soon will, or null (rule AUTH-03). */
	hint: string | null;
}

/** A certificate that expires within this many days gets a hint (rule AUTH-03). */
const EXPIRY_NOTICE_DAYS = 30;

const DAY = 24 * 60 * 60 * 1000;

export function certificateState(fields: TlsFields, now: Date): CertificateState {
	if (!hasClientCertificate(fields)) {
		return {
			registeredProblem:
				'Registered letters (LRE) need a client certificate. Fill in Client Certificate and Client Key, or PFX, in the credential.',
			hint: null,
		};
	}
	const expiry = certificateExpiry(fields);
	const left = expiry === null ? Infinity : expiry.getTime() - now.getTime();
	if (expiry === null || left > EXPIRY_NOTICE_DAYS * DAY) {
		return { registeredProblem: null, hint: null };
	}
	const on = expiry.toISOString().slice(0, 10);
	if (left > 0) {
		return {
			registeredProblem: null,
			hint: `The Client Certificate of the credential expires on ${on}. Replace it before then, or registered letters (LRE) will fail.`,
		};
	}
	return {
		registeredProblem: `The Client Certificate of the credential expired on ${on}. Registered letters (LRE) need a valid one.`,
		hint: `The Client Certificate of the credential expired on ${on} and was left out. Registered letters (LRE) will fail until you replace it.`,
	};
}

function clientIdentity(fields: TlsFields): ClientTls {
	const { clientCertificate, clientKey, pfx } = fields;
	if (filled(pfx)) {
		if (filled(clientCertificate) || filled(clientKey)) {
			throw new Error(
				'The credential has both a PFX and a Client Certificate or Client Key. Fill in one or the other.',
			);
		}
		return { pfx: readPfx(pfx), ...passphraseOf(fields) };
	}
	if (!filled(clientCertificate) && !filled(clientKey)) return {};
	if (!filled(clientKey)) {
		throw new Error(
			'The credential has a Client Certificate but no Client Key. Paste the private key that belongs to the certificate.',
		);
	}
	if (!filled(clientCertificate)) {
		throw new Error(
			'The credential has a Client Key but no Client Certificate. Paste the certificate that belongs to the key.',
		);
	}

	const cert = mendPem(clientCertificate);
	const key = mendPem(clientKey);
	remember(pairs, digest(cert, key, fields.passphrase), () =>
		checkPair(cert, key, fields.passphrase),
	);
	return { cert, key, ...passphraseOf(fields) };
}

function checkPair(cert: string, key: string, passphrase: string | undefined): void {
	const certificate = readCertificate(cert, 'Client Certificate');
	const privateKey = readKey(key, passphrase);
	if (!certificate.checkPrivateKey(privateKey)) {
		throw new Error(
			'The Client Key does not match the Client Certificate. Export both again from the same .p12 or request.',
		);
	}
}

function readCertificate(pem: string, field: string): X509Certificate {
	const certificate = attempt(() => new X509Certificate(pem));
	if (certificate !== null) return certificate;
	throw new Error(
		`The ${field} cannot be read. It must be a PEM text that starts with "-----BEGIN CERTIFICATE-----".`,
	);
}

function readKey(pem: string, passphrase: string | undefined) {
	const key = attempt(() => createPrivateKey({ key: pem, ...(passphrase && { passphrase }) }));
	if (key !== null) return key;
	if (/ENCRYPTED/.test(pem) && !passphrase) {
		throw new Error("The Client Key is encrypted. Enter its passphrase in 'Passphrase'.");
	}
	if (/ENCRYPTED/.test(pem)) {
		throw new Error('The Passphrase does not decrypt the Client Key. Check it for typos.');
	}
	throw new Error(
		'The Client Key cannot be read. It must be a PEM text that starts with "-----BEGIN PRIVATE KEY-----" or similar.',
	);
}

function readPfx(base64: string): Buffer {
	const compact = base64.replace(/\s/g, '');
	// A PFX is an ASN.1 sequence, whose first byte 0x30 is an "M" in Base64.
	if (!/^M[A-Za-z0-9+/]+={0,2}$/.test(compact)) {
		throw new Error(
			'The PFX cannot be read. Paste the .p12 or .pfx file encoded as Base64, for example from "base64 -w0 certificate.p12".',
		);
	}
	return Buffer.from(compact, 'base64');
}

function readAuthority(text: string): string {
	const pem = mendPem(text);
	remember(authorities, digest(pem), () => void readCertificate(pem, 'CA Certificate'));
	return pem;
}

// Not trimmed: leading or trailing spaces can be part of a passphrase.
function passphraseOf({ passphrase }: TlsFields): { passphrase?: string } {
	return passphrase ? { passphrase } : {};
}

function filled(value: string | undefined): value is string {
	return typeof value === 'string' && value.trim() !== '';
}

// OpenSSL's errors can quote their input, so none leaves this function.
function attempt<T>(read: () => T): T | null {
	try {
		return read();
	} catch {
		return null;
	}
}

// Cached, since every request needs them and reading certificate and key takes 0.3 ms. Keyed by digest, so
// that no secret stays in memory; errors are not cached.
const expiries = new Map<string, Date | null>();
const pairs = new Map<string, void>();
const authorities = new Map<string, void>();

/** Far more credentials than one n8n uses; beyond that the cache starts over. */
const REMEMBERED = 200;

function remember<T>(known: Map<string, T>, key: string, read: () => T): T {
	if (known.has(key)) return known.get(key) as T;
	const value = read();
	if (known.size >= REMEMBERED) known.clear();
	known.set(key, value);
	return value;
}

function digest(...parts: Array<string | undefined>): string {
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
