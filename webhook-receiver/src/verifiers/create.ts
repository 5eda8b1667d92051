import { acceptAnyone } from '../core/verify.ts';
import type { Verifier } from '../core/verify.ts';
import type { ReceiverConfig } from '../config/read-config.ts';
import { basicVerifier } from '../core/verifiers/basic.ts';
import { hmacVerifier } from '../core/verifiers/hmac.ts';
import { jwtVerifier } from './jwt.ts';
import { sharedSecretVerifier } from '../core/verifiers/shared-secret.ts';
import { systemClock } from '../time/clock.ts';
import { standardWebhooksVerifier } from '../core/verifiers/standard-webhooks.ts';

/**
 * The configured ways to authenticate an event, cheapest first; JWT last, since it may have to fetch
 * keys. A way without secrets or keys is not configured. Fails closed: with none it throws,
 * unless `INGEST_REQUIRE` says so.
 */
export function createVerifiers(config: ReceiverConfig, elapsed = systemClock.elapsed): Verifier[] {
	const isSet = (...lists: Array<readonly unknown[]>) => lists.some(({ length }) => length > 0);
	const jwksUrl = config.INGEST_JWT_JWKS_URL;
	const verifiers = [
		isSet(config.INGEST_SHARED_SECRETS) &&
			sharedSecretVerifier({
				secrets: config.INGEST_SHARED_SECRETS,
				header: config.INGEST_SHARED_SECRET_HEADER,
			}),
		isSet(config.INGEST_BASIC_USERS) && basicVerifier(config.INGEST_BASIC_USERS),
		isSet(config.INGEST_HMAC_SECRETS) &&
			hmacVerifier({
				secrets: config.INGEST_HMAC_SECRETS,
				header: config.INGEST_HMAC_HEADER,
				timestampHeader: config.INGEST_HMAC_TIMESTAMP_HEADER,
				template: config.INGEST_HMAC_TEMPLATE,
			}),
		isSet(config.INGEST_STANDARD_WEBHOOKS_SECRETS) &&
			standardWebhooksVerifier(config.INGEST_STANDARD_WEBHOOKS_SECRETS),
		(jwksUrl !== null || isSet(config.INGEST_JWT_KEYS, config.INGEST_JWT_SECRETS)) &&
			jwtVerifier(
				{
					jwksUrl,
					keys: config.INGEST_JWT_KEYS,
					secrets: config.INGEST_JWT_SECRETS,
					header: config.INGEST_JWT_HEADER,
					issuer: config.INGEST_JWT_ISSUER,
					audience: config.INGEST_JWT_AUDIENCE,
					bodyClaim: config.INGEST_JWT_BODY_CLAIM,
				},
				elapsed,
			),
	].filter((verifier) => verifier !== false);
	if (verifiers.length > 0) return verifiers;
	if (config.INGEST_REQUIRE === 'none') return [acceptAnyone];
	throw new Error('No authentication of events is configured, and INGEST_REQUIRE is not none.');
}
