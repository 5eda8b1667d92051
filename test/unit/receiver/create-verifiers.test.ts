import { createVerifiers } from '../../../webhook-receiver/src/verifiers/create.ts';
import type { AuthenticationConfig } from '../../../webhook-receiver/src/verifiers/create.ts';

const NONE: AuthenticationConfig = {
	require: 'any',
	sharedSecret: null,
	basicUsers: [],
	hmac: null,
	standardWebhooksSecrets: [],
	jwt: null,
	clientCertificate: null,
	addresses: [],
	allowUnauthenticated: false,
};
const ALL: AuthenticationConfig = {
	...NONE,
	sharedSecret: { secrets: ['the-secret'], header: 'x-secret' },
	basicUsers: ['service:the-password'],
	hmac: {
		secrets: ['the-secret'],
		header: 'x-signature',
		timestampHeader: 'x-timestamp',
		encoding: 'hex',
		template: '{body}',
	},
	standardWebhooksSecrets: [`whsec_${'A'.repeat(32)}`],
	jwt: {
		jwksUrl: null,
		keys: '',
		secrets: ['the-secret'],
		header: 'authorization',
		issuer: null,
		audience: null,
		bodyClaim: null,
		maxAgeMs: 300_000,
	},
	clientCertificate: { authorities: '', fingerprints: ['00'], header: null },
	addresses: ['192.0.2.1'],
};

const schemes = (config: AuthenticationConfig) =>
	createVerifiers(config).map(({ scheme }) => scheme);

it('[EVNT-04][R] all that is configured is asked, the cheapest first, what may need the network last', () => {
	expect(schemes(ALL)).toEqual([
		...['shared-secret', 'basic', 'address', 'hmac', 'standard-webhooks'],
		...['client-certificate', 'jwt'],
	]);
});

it.each<[keyof AuthenticationConfig, string]>([
	['sharedSecret', 'shared-secret'],
	['basicUsers', 'basic'],
	['addresses', 'address'],
	['hmac', 'hmac'],
	['standardWebhooksSecrets', 'standard-webhooks'],
	['clientCertificate', 'client-certificate'],
	['jwt', 'jwt'],
])('[EVNT-04][R] %s alone makes the one verifier %s', (name, scheme) => {
	const config = { ...NONE, [name]: ALL[name] };
	expect(schemes(config)).toEqual([scheme]);
	expect(schemes({ ...config, allowUnauthenticated: true })).toEqual([scheme]);
});

it('[EVNT-04][R] with nothing configured it fails closed, unless the operator said otherwise', () => {
	expect(() => createVerifiers(NONE)).toThrow('No authentication of events is configured');
	expect(schemes({ ...NONE, allowUnauthenticated: true })).toEqual(['none']);
});
