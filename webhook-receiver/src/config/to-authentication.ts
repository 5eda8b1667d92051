import type { Values } from '../variables.ts';
import type { AuthenticationConfig } from '../verifiers/create.ts';

/** What the INGEST_ variables say; a variable with a fault of its own counts as not set. */
export function toAuthentication(values: Partial<Values>): AuthenticationConfig {
	const {
		INGEST_SHARED_SECRETS: sharedSecrets = [],
		INGEST_HMAC_SECRETS: hmacSecrets = [],
		INGEST_JWT_SECRETS: jwtSecrets = [],
		INGEST_JWT_KEYS: jwtKeys = '',
		INGEST_JWT_JWKS_URL: jwksUrl = '',
		INGEST_CLIENT_CA: clientCa = '',
		INGEST_CLIENT_FINGERPRINTS: fingerprints = [],
	} = values;
	const hasJwt = jwtSecrets.length > 0 || jwtKeys !== '' || jwksUrl !== '';
	const hasClientCertificate = clientCa !== '' || fingerprints.length > 0;
	return {
		require: values.INGEST_REQUIRE ?? 'any',
		sharedSecret:
			sharedSecrets.length > 0
				? { secrets: sharedSecrets, header: values.INGEST_SHARED_SECRET_HEADER ?? '' }
				: null,
		basicUsers: values.INGEST_BASIC_USERS ?? [],
		hmac:
			hmacSecrets.length > 0
				? {
						secrets: hmacSecrets,
						header: values.INGEST_HMAC_HEADER ?? '',
						timestampHeader: values.INGEST_HMAC_TIMESTAMP_HEADER ?? '',
						encoding: values.INGEST_HMAC_ENCODING ?? 'hex',
						template: values.INGEST_HMAC_TEMPLATE ?? '{timestamp}.{body}',
					}
				: null,
		standardWebhooksSecrets: values.INGEST_STANDARD_WEBHOOKS_SECRETS ?? [],
		jwt: hasJwt
			? {
					jwksUrl: jwksUrl || null,
					keys: jwtKeys,
					secrets: jwtSecrets,
					header: values.INGEST_JWT_HEADER ?? 'authorization',
					issuer: values.INGEST_JWT_ISSUER || null,
					audience: values.INGEST_JWT_AUDIENCE || null,
					bodyClaim: values.INGEST_JWT_BODY_CLAIM || null,
					maxAgeMs: values.INGEST_JWT_MAX_AGE ?? 0,
				}
			: null,
		clientCertificate: hasClientCertificate
			? {
					authorities: clientCa,
					fingerprints,
					header: values.INGEST_CLIENT_CERTIFICATE_HEADER || null,
				}
			: null,
		addresses: values.INGEST_ADDRESSES ?? [],
		allowUnauthenticated: values.INGEST_ALLOW_UNAUTHENTICATED ?? false,
	};
}
