import { acceptAnyone } from '../verify.ts';
import type { Require, Verifier } from '../verify.ts';
import { addressVerifier } from './address.ts';
import { basicVerifier } from './basic.ts';
import { clientCertificateVerifier } from './client-certificate.ts';
import type { ClientCertificateConfig } from './client-certificate.ts';
import { hmacVerifier } from './hmac.ts';
import type { HmacConfig } from './hmac.ts';
import { jwtVerifier } from './jwt.ts';
import type { JwtConfig } from './jwt.ts';
import { sharedSecretVerifier } from './shared-secret.ts';
import type { SharedSecretConfig } from './shared-secret.ts';
import { standardWebhooksVerifier } from './standard-webhooks.ts';

/** The ways to authenticate an event; null or empty where one is not configured. */
export interface AuthenticationConfig {
	require: Require;
	sharedSecret: SharedSecretConfig | null;
	basicUsers: readonly string[];
	hmac: HmacConfig | null;
	standardWebhooksSecrets: readonly string[];
	jwt: JwtConfig | null;
	clientCertificate: ClientCertificateConfig | null;
	addresses: readonly string[];
	/** Explicit consent to accept events from anybody. */
	allowUnauthenticated: boolean;
}

/** Fails closed: without any authentication it starts only when told so explicitly (design § 7). */
export function createVerifiers(config: AuthenticationConfig): Verifier[] {
	const verifiers = configuredVerifiers(config);
	if (verifiers.length > 0) return verifiers;
	if (config.allowUnauthenticated) return [acceptAnyone];
	throw new Error('No authentication of events is configured, and none is not allowed.');
}

/** Cheapest first; JWT last, since it may have to fetch keys. */
export function configuredVerifiers(config: AuthenticationConfig): Verifier[] {
	const { basicUsers, standardWebhooksSecrets, addresses } = config;
	return [
		config.sharedSecret && sharedSecretVerifier(config.sharedSecret),
		basicUsers.length > 0 && basicVerifier(basicUsers),
		addresses.length > 0 && addressVerifier(addresses),
		config.hmac && hmacVerifier(config.hmac),
		standardWebhooksSecrets.length > 0 && standardWebhooksVerifier(standardWebhooksSecrets),
		config.clientCertificate && clientCertificateVerifier(config.clientCertificate),
		config.jwt && jwtVerifier(config.jwt),
	].filter((verifier) => verifier !== null && verifier !== false);
}
