import 'reflect-metadata';
import { webcrypto } from 'node:crypto';

import { X509CertificateGenerator, cryptoProvider } from '@peculiar/x509';

const elliptic = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Too short for OpenSSL. */
export const shortRsa = {
	name: 'RSASSA-PKCS1-v1_5',
	modulusLength: 1024,
	hash: 'SHA-256',
	publicExponent: new Uint8Array([1, 0, 1]),
};

/** A self-signed client certificate with its key, valid between the two times (ms since 1970). */
export async function makeCertificate(
	notBefore: number,
	notAfter: number,
	algorithm: typeof elliptic | typeof shortRsa = elliptic,
): Promise<{ certificate: string; key: string }> {
	cryptoProvider.set(webcrypto as Crypto);
	const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
	const certificate = await X509CertificateGenerator.createSelfSigned({
		name: 'CN=test',
		keys: keys as CryptoKeyPair,
		notBefore: new Date(notBefore),
		notAfter: new Date(notAfter),
		signingAlgorithm: algorithm,
	});
	const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
	const lines = pkcs8.toString('base64').match(/.{1,64}/g) ?? [];
	return {
		certificate: certificate.toString('pem'),
		key: ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n'),
	};
}
