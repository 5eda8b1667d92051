import type { ReceiverConfig } from '../config/read-config.ts';
import { basicVerifier } from '../core/verifiers/basic.ts';
import { hmacVerifier } from '../core/verifiers/hmac.ts';
import { sharedSecretVerifier } from '../core/verifiers/shared-secret.ts';
import { standardWebhooksVerifier } from '../core/verifiers/standard-webhooks.ts';
import { acceptAnyone } from '../core/verify.ts';
import type { Verifier } from '../core/verify.ts';
import type { Clock } from '../time/clock.ts';
import { jwtVerifier } from './jwt.ts';

/** Makes a verifier; false without secrets or keys: then this way is not configured. */
type Way = (config: ReceiverConfig, elapsed: Clock['elapsed']) => Verifier | false;

/** Cheapest first; JWT last, since it may have to fetch keys. */
const WAYS: readonly Way[] = [
	({ INGEST_SHARED_SECRETS: secrets, INGEST_SHARED_SECRET_HEADER: header }) =>
		secrets.length > 0 && sharedSecretVerifier({ secrets, header }),
	({ INGEST_BASIC_USERS: users }) => users.length > 0 && basicVerifier(users),
	({ INGEST_HMAC_SECRETS: secrets, ...config }) =>
		secrets.length > 0 &&
		hmacVerifier({
			secrets,
			header: config.INGEST_HMAC_HEADER,
			timestampHeader: config.INGEST_HMAC_TIMESTAMP_HEADER,
			template: config.INGEST_HMAC_TEMPLATE,
		}),
	({ INGEST_STANDARD_WEBHOOKS_SECRETS: secrets }) =>
		secrets.length > 0 && standardWebhooksVerifier(secrets),
	(
		{ INGEST_JWT_JWKS_URL: jwksUrl, INGEST_JWT_KEYS: keys, INGEST_JWT_SECRETS: secrets, ...config },
		elapsed,
	) =>
		(jwksUrl !== null || keys.length > 0 || secrets.length > 0) &&
		jwtVerifier(
			{
				jwksUrl,
				keys,
				secrets,
				header: config.INGEST_JWT_HEADER,
				issuer: config.INGEST_JWT_ISSUER,
				audience: config.INGEST_JWT_AUDIENCE,
				bodyClaim: config.INGEST_JWT_BODY_CLAIM,
			},
			elapsed,
		),
];

/**
 * The configured ways to authenticate an event. Fails closed: with none it throws, unless `INGEST_REQUIRE`
 * says so.
 */
export function createVerifiers(config: ReceiverConfig, elapsed: Clock['elapsed']): Verifier[] {
	const verifiers = WAYS.map((way) => way(config, elapsed)).filter((one) => one !== false);
	if (verifiers.length > 0) return verifiers;
	if (config.INGEST_REQUIRE === 'none') return [acceptAnyone];
	throw new Error('No authentication of events is configured, and INGEST_REQUIRE is not none.');
}
