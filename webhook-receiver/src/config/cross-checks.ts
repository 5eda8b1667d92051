import { createSecureContext } from 'node:tls';
import { readMapping } from '../mapping.ts';
import { DEFAULT_READING } from '../normalise.ts';
import type { Reading } from '../normalise.ts';
import type { Values } from '../variables.ts';
import { configuredVerifiers } from '../verifiers/create.ts';
import type { AuthenticationConfig } from '../verifiers/create.ts';
import { splitPem } from '../verifiers/split-pem.ts';

/** What no variable can say by itself: faults of several together. */
export function crossFaults(
	values: Partial<Values>,
	authentication: AuthenticationConfig,
): string[] {
	return [
		...authenticationFaults(values, authentication),
		...tlsFaults(values),
		...clientCertificateFaults(values, authentication),
		...serviceFaults(values),
	];
}

/** How to read events; a fault of the mapping file is added to the others. */
export function readReading({ MAPPING_FILE: file }: Partial<Values>, faults: string[]): Reading {
	if (!file) return DEFAULT_READING;
	try {
		return readMapping(file);
	} catch (error) {
		faults.push(`MAPPING_FILE: ${(error as Error).message}`);
		return DEFAULT_READING;
	}
}

function authenticationFaults(values: Partial<Values>, config: AuthenticationConfig): string[] {
	// A faulty variable has a line of its own already, and may be the one that was to authenticate.
	const isFaulty = values.INGEST_HMAC_SECRETS === undefined;
	if (isFaulty || config.allowUnauthenticated) return [];
	try {
		if (configuredVerifiers(config).length > 0) return [];
	} catch {
		return ['INGEST_JWT_KEYS or INGEST_CLIENT_CA: is not PEM that can be read'];
	}
	return [
		'INGEST_HMAC_SECRETS: set it or another way of authentication, or the service can not be told ' +
			'from anybody else (INGEST_ALLOW_UNAUTHENTICATED=true accepts events from all)',
	];
}

function tlsFaults({ TLS_CERTIFICATE: cert = '', TLS_KEY: key = '' }: Partial<Values>): string[] {
	if (cert === '' && key === '') return [];
	if (cert === '' || key === '') return ['TLS_CERTIFICATE: needs TLS_KEY, and the other way round'];
	try {
		createSecureContext({ cert, key });
		return [];
	} catch {
		return ['TLS_CERTIFICATE: it or TLS_KEY is not PEM, or they do not belong together'];
	}
}

/** Without a way for a certificate to arrive, or for its sender to be believed, none is accepted. */
function clientCertificateFaults(
	values: Partial<Values>,
	{ clientCertificate, jwt }: AuthenticationConfig,
): string[] {
	const faults: string[] = [];
	if (jwt && jwt.keys !== '' && splitPem(jwt.keys).length === 0) {
		faults.push('INGEST_JWT_KEYS: holds no PEM');
	}
	if (clientCertificate === null) return faults;
	if (
		clientCertificate.authorities !== '' &&
		splitPem(clientCertificate.authorities).length === 0
	) {
		faults.push('INGEST_CLIENT_CA: holds no PEM');
	}
	if (clientCertificate.header === null && !values.TLS_CERTIFICATE) {
		faults.push('INGEST_CLIENT_CA: needs TLS_CERTIFICATE or INGEST_CLIENT_CERTIFICATE_HEADER');
	}
	if (clientCertificate.header !== null && values.TRUSTED_PROXIES?.length === 0) {
		faults.push('INGEST_CLIENT_CERTIFICATE_HEADER: needs TRUSTED_PROXIES');
	}
	return faults;
}

function serviceFaults(values: Partial<Values>): string[] {
	const {
		SERVICE_URL: url,
		SERVICE_TOKEN: token,
		SERVICE_CLIENT_CERTIFICATE: cert = '',
		SERVICE_CLIENT_KEY: key = '',
		SERVICE_CLIENT_PASSPHRASE: passphrase = '',
		SERVICE_CA: ca = '',
	} = values;
	if (url === undefined || token === undefined) return [];
	if ((url === '') !== (token === '')) {
		return ['SERVICE_URL: needs SERVICE_TOKEN, and the other way round'];
	}
	if ((cert === '') !== (key === '')) {
		return ['SERVICE_CLIENT_CERTIFICATE: needs SERVICE_CLIENT_KEY, and the other way round'];
	}
	const faults: string[] = [];
	if (ca !== '' && splitPem(ca).length === 0) faults.push('SERVICE_CA: holds no PEM');
	try {
		if (cert !== '') createSecureContext({ cert, key, ...(passphrase && { passphrase }) });
	} catch {
		faults.push(
			'SERVICE_CLIENT_CERTIFICATE: it or SERVICE_CLIENT_KEY is not PEM, they do not belong ' +
				'together, or SERVICE_CLIENT_PASSPHRASE is wrong',
		);
	}
	return faults;
}
