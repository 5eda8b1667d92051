import { X509Certificate, createHash, createPrivateKey } from 'crypto';

import { mendPem } from './pem';

/** The credential's TLS fields, as n8n passes them. */
export interface TlsFields {
	clientCertificate?: string;
	clientKey?: string;
	passphrase?: string;
	caCertificate?: string;
}

/** TLS options, named as in Node's `tls.connect`. */
interface ClientTls {
	cert?: string;
	key?: string;
	passphrase?: string;
	ca?: string;
}

/** Whether there is a client certificate. Without one, only the token authenticates. */
export function hasClientCertificate(fields: TlsFields): boolean {
	return filled(fields.clientCertificate) || filled(fields.clientKey);
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

/** When the certificate expires; null if there is none, or it is unreadable. */
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
	/** A warning if the certificate has expired or soon will, else null (rule AUTH-03). */
	hint: string | null;
}

/** A certificate that expires within this many days gets a hint (rule AUTH-03). */
const EXPIRY_NOTICE_DAYS = 30;

const DAY = 24 * 60 * 60 * 1000;

export function certificateState(fields: TlsFields, now: Date): CertificateState {
	if (!hasClientCertificate(fields)) {
		return {
			registeredProblem:
				'Registered letters (LRE) need a client certificate. Fill in Client Certificate and Client Key in the credential.',
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
	const { clientCertificate, clientKey, passphrase } = fields;
	if (!hasClientCertificate(fields)) return {};
	if (!filled(clientCertificate)) {
		throw new Error(
			'The credential has a Client Key but no Client Certificate. Paste the certificate that belongs to the key.',
		);
	}
	const cert = mendPem(clientCertificate);
	const key = mendPem(clientKey ?? '');
	remember(pairs, digest(cert, key, passphrase), () => checkPair(cert, key, passphrase));
	return { cert, key, ...passphraseOf(fields) };
}

// The certificate first: one who pastes a .p12 leaves the key empty.
function checkPair(cert: string, key: string, passphrase: string | undefined): void {
	const certificate = readCertificate(cert, 'Client Certificate', FROM_P12);
	if (key === '') {
		throw new Error(
			'The credential has a Client Certificate but no Client Key. Paste the private key that belongs to the certificate.',
		);
	}
	if (!certificate.checkPrivateKey(readKey(key, passphrase))) {
		throw new Error(
			'The Client Key does not match the Client Certificate. Export both again from the same .p12 or request.',
		);
	}
}

/** Both fields read what is theirs of the one file. */
const FROM_P12 =
	' Of a .p12 or .pfx file, "openssl pkcs12 -in certificate.p12 -clcerts -out certificate.pem" makes it, for an old file with -legacy after pkcs12. Paste all of certificate.pem into both Client Certificate and Client Key.';

function readCertificate(pem: string, field: string, advice = ''): X509Certificate {
	const certificate = attempt(() => new X509Certificate(pem));
	if (certificate !== null) return certificate;
	throw new Error(
		`The ${field} cannot be read. It must be a PEM text that starts with "-----BEGIN CERTIFICATE-----".${advice}`,
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
		`The Client Key cannot be read. It must be a PEM text that starts with "-----BEGIN PRIVATE KEY-----" or similar.${FROM_P12}`,
	);
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
