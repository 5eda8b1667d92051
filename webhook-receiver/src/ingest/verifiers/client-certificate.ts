import { X509Certificate } from 'node:crypto';
import type { Client, SignedRequest, Verifier } from '../../core/verify.ts';
import { headerText } from '../../core/verifiers/read-headers.ts';

export interface ClientCertificateConfig {
	/** Who issues client certificates; empty when only fingerprints count. */
	authorities: readonly X509Certificate[];
	/** SHA-256, lower-case hex without colons; empty when any certificate of the authorities is good. */
	fingerprints: readonly string[];
	/** Header in which a trusted proxy forwards the certificate, or null. */
	header: string | null;
}

/** A client certificate, presented over our own TLS or forwarded by a trusted proxy. */
export function clientCertificateVerifier(config: ClientCertificateConfig): Verifier {
	return {
		scheme: 'client-certificate',
		// By TLS.
		signs: () => 'all',
		verify(request) {
			const shown = shownBy(request, config);
			if (shown === null) return 'no certificate shown, or not by a trusted proxy';
			if (shown === 'malformed') return 'the certificate handed on cannot be read';
			return refusal(shown, config, request.now);
		},
	};
}

type Shown = NonNullable<Client['certificate']>;

/** A trusted proxy that hands certificates on may show its own on our TLS: it isn't the service's. */
function shownBy(
	{ client, headers }: SignedRequest,
	{ header }: ClientCertificateConfig,
): Shown | 'malformed' | null {
	return header !== null && client.isTrustedProxy
		? forwarded(headerText(headers, header))
		: client.certificate;
}

function forwarded(text: string): Shown | 'malformed' | null {
	if (text === '') return null;
	// Two headers, joined by Node: the first may be the sender's own, not the proxy's.
	if (text.includes(',')) return 'malformed';
	try {
		return { x509: new X509Certificate(decodeURIComponent(text)), isTrusted: false };
	} catch {
		return 'malformed';
	}
}

function refusal(
	{ x509, isTrusted }: Shown,
	{ authorities, fingerprints }: ClientCertificateConfig,
	now: number,
): string | null {
	if (now < Date.parse(x509.validFrom) || now > Date.parse(x509.validTo)) return 'not valid now';
	const fingerprint = x509.fingerprint256.replaceAll(':', '').toLowerCase();
	if (fingerprints.length > 0 && !fingerprints.includes(fingerprint)) return 'not listed';
	const isIssued = authorities.some((ca) => x509.checkIssued(ca) && x509.verify(ca.publicKey));
	if (authorities.length > 0 && !isTrusted && !isIssued) return 'not issued by INGEST_CLIENT_CA';
	return null;
}
