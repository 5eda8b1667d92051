import { readConfig } from '../../../webhook-receiver/src/config/read-config.ts';
import { createVerifiers } from '../../../webhook-receiver/src/ingest/verifiers/create.ts';

const NONE = { ...readConfig({ MANAGEMENT_TOKEN: 'a-management-token', INGEST_REQUIRE: 'none' }) };
type Config = typeof NONE;

const WAYS: Array<[keyof Config, unknown, string]> = [
	['INGEST_SHARED_SECRETS', ['the-secret'], 'shared-secret'],
	['INGEST_BASIC_USERS', ['service:the-password'], 'basic'],
	['INGEST_HMAC_SECRETS', ['the-secret'], 'hmac'],
	['INGEST_STANDARD_WEBHOOKS_SECRETS', [`whsec_${'A'.repeat(32)}`], 'standard-webhooks'],
	['INGEST_JWT_KEYS', ['a key'], 'jwt'],
	['INGEST_JWT_JWKS_URL', 'https://keys.example', 'jwt'],
	['INGEST_JWT_SECRETS', ['the-secret'], 'jwt'],
];

const schemes = (...ways: typeof WAYS) => {
	const set = Object.fromEntries(ways.map(([name, value]) => [name, value]));
	const config = { ...NONE, INGEST_REQUIRE: 'any', ...set } as Config;
	return createVerifiers(config).map(({ scheme }) => scheme);
};

it('[EVNT-04][R] all that is configured is asked, the cheapest first, what may need the network last', () => {
	expect(schemes(...WAYS)).toEqual([...new Set(WAYS.map(([, , scheme]) => scheme))]);
});

it.each(WAYS)('[EVNT-04][R] %s alone makes one verifier', (...way) => {
	expect(schemes(way)).toEqual([way[2]]);
});

it('[EVNT-04][R] with nothing configured it fails closed, unless the operator said otherwise', () => {
	expect(() => schemes()).toThrow('No authentication of events is configured');
	expect(createVerifiers(NONE).map(({ scheme }) => scheme)).toEqual(['none']);
});
