import { createVerifiers } from '../../../webhook-receiver/src/ingest/verifiers/create.ts';
import type { AuthenticationConfig } from '../../../webhook-receiver/src/ingest/verifiers/create.ts';

const NONE: AuthenticationConfig = {
	require: 'any',
	sharedSecret: { secrets: [], header: 'x-secret' },
	basicUsers: [],
	hmac: {
		secrets: [],
		header: 'x-signature',
		timestampHeader: 'x-timestamp',
		encoding: 'hex',
		template: '{body}',
	},
	standardWebhooksSecrets: [],
	jwt: {
		jwksUrl: null,
		keys: [],
		secrets: [],
		header: 'authorization',
		issuer: null,
		audience: null,
		bodyClaim: null,
		maxAgeMs: 300_000,
		toleranceMs: 30_000,
	},
	clientCertificate: { authorities: [], fingerprints: [], header: null },
	addresses: [],
	allowUnauthenticated: false,
};
const ALL: AuthenticationConfig = {
	...NONE,
	sharedSecret: { ...NONE.sharedSecret, secrets: ['the-secret'] },
	basicUsers: ['service:the-password'],
	hmac: { ...NONE.hmac, secrets: ['the-secret'] },
	standardWebhooksSecrets: [`whsec_${'A'.repeat(32)}`],
	jwt: { ...NONE.jwt, secrets: ['the-secret'] },
	clientCertificate: { ...NONE.clientCertificate, fingerprints: ['00'] },
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

it('[EVNT-04][R] for JWT any kind of key will do, and one of certificate', () => {
	const keys = { keys: ['a key'], jwksUrl: 'https://keys.example', secrets: ['the-secret'] };
	for (const name of ['keys', 'jwksUrl', 'secrets'] as const) {
		const jwt = { ...NONE.jwt, [name]: keys[name] } as AuthenticationConfig['jwt'];
		expect(schemes({ ...NONE, jwt })).toEqual(['jwt']);
	}
	const certificates = { authorities: ['one'], fingerprints: ['00'] };
	for (const name of ['authorities', 'fingerprints'] as const) {
		const own = { ...NONE.clientCertificate, [name]: certificates[name] };
		const config = { ...NONE, clientCertificate: own } as unknown as AuthenticationConfig;
		expect(schemes(config)).toEqual(['client-certificate']);
	}
});

it('[EVNT-04][R] with nothing configured it fails closed, unless the operator said otherwise', () => {
	expect(() => createVerifiers(NONE)).toThrow('No authentication of events is configured');
	expect(schemes({ ...NONE, allowUnauthenticated: true })).toEqual(['none']);
});
