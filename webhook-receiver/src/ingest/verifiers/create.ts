import { acceptAnyone } from '../../core/verify.ts';
import type { Require, Verifier } from '../../core/verify.ts';
import { addressVerifier } from './address.ts';
import { basicVerifier } from '../../core/verifiers/basic.ts';
import { clientCertificateVerifier } from './client-certificate.ts';
import type { ClientCertificateConfig } from './client-certificate.ts';
import { hmacVerifier } from '../../core/verifiers/hmac.ts';
import type { HmacConfig } from '../../core/verifiers/hmac.ts';
import { jwtVerifier } from './jwt.ts';
import type { JwtConfig } from './jwt.ts';
import { sharedSecretVerifier } from '../../core/verifiers/shared-secret.ts';
import { systemClock } from '../../time/clock.ts';
import type { SharedSecretConfig } from '../../core/verifiers/shared-secret.ts';
import { standardWebhooksVerifier } from '../../core/verifiers/standard-webhooks.ts';

/** The ways to authenticate an event. One without secrets, keys or addresses is not configured. */
export interface AuthenticationConfig {
	require: Require;
	sharedSecret: SharedSecretConfig;
	basicUsers: readonly string[];
	hmac: HmacConfig;
	standardWebhooksSecrets: readonly string[];
	jwt: JwtConfig;
	clientCertificate: ClientCertificateConfig;
	addresses: readonly string[];
	/** Accepts unauthenticated events. */
	allowUnauthenticated: boolean;
}

/**
 * The configured ones, cheapest first; JWT last, since it may have to fetch keys. Fails closed: with
 * none it throws, unless `allowUnauthenticated` is set.
 */
export function createVerifiers(
	config: AuthenticationConfig,
	elapsed = systemClock.elapsed,
): Verifier[] {
	const { sharedSecret, basicUsers, addresses, hmac, standardWebhooksSecrets } = config;
	const { authorities, fingerprints } = config.clientCertificate;
	const { jwksUrl, keys, secrets } = config.jwt;
	const verifiers = [
		sharedSecret.secrets.length > 0 && sharedSecretVerifier(sharedSecret),
		basicUsers.length > 0 && basicVerifier(basicUsers),
		addresses.length > 0 && addressVerifier(addresses),
		hmac.secrets.length > 0 && hmacVerifier(hmac),
		standardWebhooksSecrets.length > 0 && standardWebhooksVerifier(standardWebhooksSecrets),
		authorities.length + fingerprints.length > 0 &&
			clientCertificateVerifier(config.clientCertificate),
		(jwksUrl !== null || keys.length + secrets.length > 0) && jwtVerifier(config.jwt, elapsed),
	].filter((verifier) => verifier !== false);
	if (verifiers.length > 0) return verifiers;
	if (config.allowUnauthenticated) return [acceptAnyone];
	throw new Error('No authentication of events is configured, and none is not allowed.');
}
