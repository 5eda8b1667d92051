import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig } from '../../../webhook-receiver/src/config/read-config.ts';
import { help, variables } from '../../../webhook-receiver/src/config/variables.ts';
import { makeCertificate } from '../../support/certificates.ts';

const TOKEN = 'a-management-token';
const MINIMAL = {
	MANAGEMENT_TOKEN: TOKEN,
	INGEST_HMAC_SECRETS: 'first-secret',
	INGEST_HMAC_SECRETS_2: 'second-secret',
};

function faults(env: Readonly<Record<string, string | undefined>>): readonly string[] {
	try {
		readConfig(env);
		return [];
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		return error.faults;
	}
}

it('needs little and fills in the rest', () => {
	expect(readConfig(MINIMAL)).toMatchObject({
		HOST: '127.0.0.1',
		MANAGEMENT_TOKEN: [TOKEN],
		INGEST_HMAC_SECRETS: ['first-secret', 'second-secret'],
		INGEST_HMAC_HEADER: 'x-webhook-signature',
		INGEST_HMAC_TIMESTAMP_HEADER: 'x-webhook-timestamp',
		INGEST_HMAC_TEMPLATE: '{timestamp}.{body}',
		RETENTION: 30 * 86_400_000,
	});
});

it('lists every fault at once and quotes no value', () => {
	const env = {
		PORT: '70000',
		MANAGEMENT_TOKEN: 'too-short',
		INGEST_HMAC_SECRETS: 'good-secret',
		INGEST_HMAC_SECRETS_2: 'weak',
		INGEST_HMAC_TEMPLATE: '{secret}',
		RETENTION: 'a while',
	};
	const found = faults(env);
	expect(found.map((fault) => fault.split(':')[0])).toEqual([
		'PORT',
		'MANAGEMENT_TOKEN',
		'INGEST_HMAC_SECRETS',
		'INGEST_HMAC_TEMPLATE',
		'RETENTION',
	]);
	expect(found.join()).not.toMatch(/too-short|good-secret|weak/);
});

it.each([
	['INGEST_REQUIRED', 'INGEST_REQUIRE'],
	['INGEST_SHARED_SECRET', 'INGEST_SHARED_SECRETS'],
	['INGEST_HMAC_SECRETS_FILES', 'INGEST_HMAC_SECRETS_FILE'],
	['INGEST_HMAC_SECRETS_02', 'INGEST_HMAC_SECRETS'],
	['INGEST_HMAC_SECRETS_TWO', 'INGEST_HMAC_SECRETS'],
	['INGEST_HMAC_HEADER_2', 'INGEST_HMAC_HEADER'],
	['INGEST_NEVER_HEARD_OF', ''],
	['RETENTIONS', 'RETENTION'],
	['RETENTION_S', 'RETENTION'],
	['RETENTIO', 'RETENTION'],
	['DATABASE_URI', 'DATABASE_URL'],
	['management_token', 'MANAGEMENT_TOKEN'],
	['MANAGMENT_TOKEN_FILE', 'MANAGEMENT_TOKEN_FILE'],
])('refuses %s, and suggests %s', (name, suggestion) => {
	expect(faults({ ...MINIMAL, [name]: 'a-secret-value' })).toEqual([
		expect.stringMatching(`^${name}: is unknown; did you mean ${suggestion}`),
	]);
});

it('leaves the variables of others alone', () => {
	const others = ['PATH', 'HOSTNAME', 'POSTS', 'NODE_ENV', 'POSTGRES_SERVICE_HOST'];
	others.push('RETENTI', 'RETENTION_MS');
	expect(faults({ ...MINIMAL, ...Object.fromEntries(others.map((name) => [name, 'x'])) })).toEqual(
		[],
	);
});

it('[EVNT-04][R] fails closed: no authentication only when told so', () => {
	expect(faults({ MANAGEMENT_TOKEN: TOKEN })).toEqual([
		expect.stringContaining('INGEST_HMAC_SECRETS'),
	]);
	expect(faults({})).toHaveLength(2);
	const open = { MANAGEMENT_TOKEN: TOKEN, INGEST_REQUIRE: 'none' };
	expect(readConfig(open)).toMatchObject({ INGEST_HMAC_SECRETS: [], INGEST_REQUIRE: 'none' });
	expect(faults({ ...open, INGEST_SHARED_SECRETS: 'the-secret' })).toEqual([
		expect.stringMatching(/^INGEST_REQUIRE: is none, but a way of authentication is set/),
	]);
});

it.each([
	[{ INGEST_JWT_JWKS_URL: 'http://keys.example/' }, /^INGEST_JWT_JWKS_URL: is not an https URL/],
	[{ INGEST_BASIC_USERS: 'nobody' }, /^INGEST_BASIC_USERS: has one/],
	[{ INGEST_STANDARD_WEBHOOKS_SECRETS: 'whsec_x' }, /^INGEST_STANDARD_WEBHOOKS_SECRETS: has one/],
	[{ TRUSTED_PROXIES: 'proxy.example' }, /^TRUSTED_PROXIES: has one/],
	[{ TRUSTED_PROXIES: '10.0.0.1,0.0.0.0/0' }, /^TRUSTED_PROXIES: has one .* of all addresses/],
	[{ TRUSTED_PROXIES: '::/0' }, /^TRUSTED_PROXIES: has one .* of all addresses/],
	[{ MAPPING_FILE: '/nowhere/mapping.json' }, /^MAPPING_FILE: ENOENT/],
])('[EVNT-04][R] says what is wrong with %j', (more, expected) => {
	const env = { ...MINIMAL, ...more } as Record<string, string>;
	expect(faults(env)).toEqual([expect.stringMatching(expected)]);
});

it.each([
	'10.0.0.0/8/',
	'10.0.0.0/',
	'10.0.0.0/-8',
	'10.0.0.0/33',
	'2001:db8::/129',
	'a.example/8',
])('[EVNT-04][R] no proxy is read from %j, nor from a list with it', (entry) => {
	const fault = 'TRUSTED_PROXIES: has one that is not an address or a network such as 10.0.0.0/8';
	expect(faults({ ...MINIMAL, TRUSTED_PROXIES: entry })).toEqual([fault]);
	expect(faults({ ...MINIMAL, TRUSTED_PROXIES: `192.0.2.7,${entry}` })).toEqual([fault]);
});

it('[EVNT-04][R] proxies are addresses and networks', () => {
	const TRUSTED_PROXIES = '192.0.2.7, 10.0.0.0/8, 2001:db8::/32, ::1, 0.0.0.0/1, ::/128';
	expect(readConfig({ ...MINIMAL, TRUSTED_PROXIES }).TRUSTED_PROXIES).toHaveLength(6);
});

describe('[EVNT-04][R] what belongs together', () => {
	const DAY = 86_400_000;
	const NEEDS_KEYS = 'needs one of INGEST_JWT_KEYS, INGEST_JWT_JWKS_URL, INGEST_JWT_SECRETS';
	let own: { certificate: string; key: string };
	let other: { certificate: string; key: string };
	let publicKey: string;
	beforeAll(async () => {
		own = await makeCertificate(Date.now() - DAY, Date.now() + DAY);
		other = await makeCertificate(Date.now() - DAY, Date.now() + DAY);
		publicKey = createPublicKey(own.key).export({ type: 'spki', format: 'pem' }).toString();
	});

	it.each([
		['INGEST_HMAC_SECRETS', 'the-secret'],
		['INGEST_SHARED_SECRETS', 'the-secret'],
		['INGEST_BASIC_USERS', 'service:the-password'],
		['INGEST_STANDARD_WEBHOOKS_SECRETS', `whsec_${'A'.repeat(32)}`],
		['INGEST_JWT_JWKS_URL', 'https://keys.example/'],
		['INGEST_JWT_SECRETS', 'the-secret'],
		['INGEST_REQUIRE', 'none'],
	])('%s alone is a way to authenticate', (name, value) => {
		expect(faults({ MANAGEMENT_TOKEN: TOKEN, [name]: value })).toEqual([]);
	});

	it('so are public keys; a TLS of its own, or a proxy, is none', () => {
		expect(faults({ MANAGEMENT_TOKEN: TOKEN, INGEST_JWT_KEYS: publicKey })).toEqual([]);
		const none =
			'INGEST_HMAC_SECRETS: set it or another way of authentication, or anybody can pass for the service (INGEST_REQUIRE=none accepts that)';
		const tls = { TLS_CERTIFICATE: own.certificate, TLS_KEY: own.key };
		for (const other of [tls, { TRUSTED_PROXIES: '192.0.2.1' }]) {
			expect(faults({ MANAGEMENT_TOKEN: TOKEN, ...other })).toEqual([none]);
		}
	});

	it.each([
		['TLS_CERTIFICATE', 'TLS_KEY'],
		['SERVICE_CLIENT_CERTIFICATE', 'SERVICE_CLIENT_KEY'],
		['SERVICE_URL', 'SERVICE_TOKEN'],
	])('%s and %s, or neither', (one, two) => {
		const values: Record<string, string> = {
			TLS_CERTIFICATE: own.certificate,
			TLS_KEY: own.key,
			SERVICE_CLIENT_CERTIFICATE: own.certificate,
			SERVICE_CLIENT_KEY: own.key,
			SERVICE_URL: 'https://service.example',
			SERVICE_TOKEN: 'a-token',
		};
		const fault = `${one}: needs ${two}, and the other way round`;
		expect(faults({ ...MINIMAL, [one]: values[one] })).toEqual([fault]);
		expect(faults({ ...MINIMAL, [two]: values[two] })).toEqual([fault]);
		expect(faults({ ...MINIMAL, [one]: values[one], [two]: values[two] })).toEqual([]);
	});

	it('a certificate has its own key', () => {
		const tls = { TLS_CERTIFICATE: own.certificate, TLS_KEY: other.key };
		expect(faults({ ...MINIMAL, ...tls })).toEqual([
			'TLS_CERTIFICATE: it or TLS_KEY is not PEM, or they do not belong together',
		]);
		const misfit =
			'SERVICE_CLIENT_CERTIFICATE: it or SERVICE_CLIENT_KEY is not PEM, they do not belong together, or SERVICE_CLIENT_PASSPHRASE is wrong';
		const client = { SERVICE_CLIENT_CERTIFICATE: own.certificate, SERVICE_CLIENT_KEY: other.key };
		expect(faults({ ...MINIMAL, ...client })).toEqual([misfit]);
	});

	it('a passphrase opens the key it is for', () => {
		const key = createPrivateKey(own.key)
			.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'right' })
			.toString();
		const client = { SERVICE_CLIENT_CERTIFICATE: own.certificate, SERVICE_CLIENT_KEY: key };
		const given = (SERVICE_CLIENT_PASSPHRASE: string) =>
			faults({ ...MINIMAL, ...client, SERVICE_CLIENT_PASSPHRASE });
		expect(given('right')).toEqual([]);
		expect(given('wrong')).toHaveLength(1);
	});

	it.each(['INGEST_JWT_ISSUER', 'INGEST_JWT_AUDIENCE', 'INGEST_JWT_BODY_CLAIM'])(
		'%s needs keys of any kind, or nothing would check it',
		(name) => {
			const claim = { ...MINIMAL, [name]: 'us' };
			expect(faults(claim)).toEqual([`${name}: ${NEEDS_KEYS}, or nothing checks it`]);
			expect(faults({ ...claim, INGEST_JWT_KEYS: publicKey })).toEqual([]);
			expect(faults({ ...claim, INGEST_JWT_JWKS_URL: 'https://keys.example/' })).toEqual([]);
			expect(faults({ ...claim, INGEST_JWT_SECRETS: 'the-secret' })).toEqual([]);
		},
	);

	it.each(['INGEST_JWT_SECRETS', 'INGEST_JWT_JWKS_URL'])(
		'Basic and %s cannot both be in one header, so not all can be required there',
		(name) => {
			const [users, keys] = ['service:the-password', 'https://keys.example/'];
			const both = { MANAGEMENT_TOKEN: TOKEN, INGEST_BASIC_USERS: users, [name]: keys };
			const all = { ...both, INGEST_REQUIRE: 'all' };
			expect(faults(all)).toEqual([expect.stringMatching(/^INGEST_JWT_HEADER: needs .*other/)]);
			expect(faults({ ...all, INGEST_JWT_HEADER: 'Authorization' })).toHaveLength(1);
			expect(faults({ ...all, INGEST_JWT_HEADER: 'x-jwt' })).toEqual([]);
			expect(faults({ ...all, [name]: '' })).toEqual([]);
			expect(faults({ ...all, INGEST_BASIC_USERS: '' })).toEqual([]);
			expect(faults(both)).toEqual([]);
		},
	);
});

it('refuses a RETENTION that would forget consumers between two pulls', () => {
	for (const RETENTION of ['0s', '59m']) {
		expect(faults({ ...MINIMAL, RETENTION })).toEqual(['RETENTION: is shorter than 1h']);
	}
	expect(faults({ ...MINIMAL, RETENTION: 'long' })).toEqual([
		expect.stringMatching(/^RETENTION: is not a duration/),
	]);
	expect(faults({ ...MINIMAL, RETENTION: '60m' })).toEqual([]);
});

it('takes several management tokens, each of them long enough', () => {
	const both = (MANAGEMENT_TOKEN_2: string) => ({ ...MINIMAL, MANAGEMENT_TOKEN_2 });
	expect(readConfig(both('the-next-token-of-all')).MANAGEMENT_TOKEN).toEqual([
		TOKEN,
		'the-next-token-of-all',
	]);
	expect(faults(both('short'))).toEqual(['MANAGEMENT_TOKEN: has one under 16 characters']);
	for (const token of [
		'Schlüssel-zum-Ganzen',
		'management\u200btoken',
		'токен-токен-токен-токен',
	]) {
		expect(faults({ ...MINIMAL, MANAGEMENT_TOKEN: token })).toEqual([
			expect.stringMatching(/^MANAGEMENT_TOKEN: has one with a character that no header carries/),
		]);
	}
	expect(faults({ ...MINIMAL, MANAGEMENT_TOKEN: ' ' })).toEqual([
		'MANAGEMENT_TOKEN: is required, or N8N_TOKEN (openssl rand -hex 24)',
	]);
});

it('needs a key for PostgreSQL, which several receivers share, and none that is easily guessed', () => {
	const shared = { ...MINIMAL, DATABASE_URL: 'postgres://127.0.0.1/receiver' };
	expect(faults(shared)).toEqual([expect.stringMatching(/^DATABASE_URL: needs ENCRYPTION_KEY/)]);
	const [one, other] = ['1', '2'].map((digit) => digit.repeat(32));
	const both = readConfig({ ...shared, ENCRYPTION_KEY: one, ENCRYPTION_KEY_2: other });
	expect(both.ENCRYPTION_KEY).toEqual([one, other]);
	expect(faults({ ...MINIMAL, ENCRYPTION_KEY: one, ENCRYPTION_KEY_2: 'short' })).toEqual([
		'ENCRYPTION_KEY: has one under 32 characters',
	]);
	expect(readConfig(MINIMAL).ENCRYPTION_KEY).toEqual([]);
});

describe('secrets from files', () => {
	const folder = mkdtempSync(join(tmpdir(), 'receiver-config-'));
	const file = join(folder, 'token');
	writeFileSync(file, `${TOKEN}\n`);
	afterAll(() => rmSync(folder, { recursive: true }));

	it('reads them', () => {
		const env = { MANAGEMENT_TOKEN_FILE: file, INGEST_HMAC_SECRETS: 'first-secret' };
		expect(readConfig(env).MANAGEMENT_TOKEN).toEqual([TOKEN]);
	});

	it('says what is wrong with them', () => {
		const both = { ...MINIMAL, MANAGEMENT_TOKEN_FILE: file };
		expect(faults(both)).toEqual([expect.stringMatching(/^MANAGEMENT_TOKEN_FILE: .*not both/)]);
		const absent = { ...MINIMAL, MANAGEMENT_TOKEN: '', MANAGEMENT_TOKEN_FILE: `${file}-not` };
		expect(faults(absent)).toEqual([expect.stringMatching(/^MANAGEMENT_TOKEN_FILE: ENOENT/)]);
		const second = { MANAGEMENT_TOKEN_2: TOKEN, MANAGEMENT_TOKEN_FILE: file };
		expect(faults({ ...MINIMAL, ...second })).toEqual([
			'MANAGEMENT_TOKEN_FILE: set either this or MANAGEMENT_TOKEN, MANAGEMENT_TOKEN_2, not both',
		]);
	});

	it.each([
		['MANAGEMENT_TOKEN', ['a-token,with-a-comma', 'another-token,with-a-comma']],
		['INGEST_SHARED_SECRETS', ['kq7x9f2m,Lw4p8s1t', 'Schlüssel für 5 €']],
		['INGEST_HMAC_SECRETS', ['kq7x9f2m,Lw4p8s1t', 'Schlüssel für 5 €']],
		['INGEST_JWT_SECRETS', ['kq7x9f2m,Lw4p8s1t', 'Schlüssel für 5 €']],
		['ENCRYPTION_KEY', ['kq7x9f2m,Lw4p8s1t'.repeat(2), 'Schlüssel für 5 €'.repeat(2)]],
		['INGEST_BASIC_USERS', ['service:pass,word', 'other:Schlüssel für 5 €']],
	])('takes %s as it is, commas too, one a variable or one a line of a file', (name, secrets) => {
		const path = join(folder, 'list');
		const others = Object.entries(MINIMAL).filter(([one]) => !one.startsWith(name));
		const read = (set: object) =>
			(readConfig({ ...Object.fromEntries(others), ...set }) as Record<string, unknown>)[name];
		expect(read({ [name]: secrets[0], [`${name}_7`]: secrets[1] })).toEqual(secrets);
		for (const lineBreak of ['\n', '\r\n']) {
			writeFileSync(path, `\ufeff${secrets.join(lineBreak)}${lineBreak}`);
			expect(read({ [`${name}_FILE`]: path })).toEqual(secrets);
		}
	});

	it.each([
		['a space at its end', 'the-first-secret '],
		['a tab at its beginning', '\tthe-first-secret'],
		['a line break', 'the-first-secret\nthe-second-secret'],
	])('does not cut %s off: it does not start', (_, text) => {
		const cut =
			/: has one with a space at its beginning or end, or with a line break: write it without;/;
		const inVariable = faults({ ...MINIMAL, INGEST_HMAC_SECRETS_2: text });
		expect(inVariable).toEqual([expect.stringMatching(cut)]);
		expect(inVariable[0]).toMatch(/^INGEST_HMAC_SECRETS_2: .*into INGEST_HMAC_SECRETS_2 and so on/);
		expect(inVariable[0]).not.toContain('secret\n');
		const path = join(folder, 'cut');
		writeFileSync(path, text);
		const inFile = { MANAGEMENT_TOKEN: TOKEN, INGEST_HMAC_SECRETS_FILE: path };
		if (text.includes('\n')) expect(readConfig(inFile).INGEST_HMAC_SECRETS).toHaveLength(2);
		else
			expect(faults(inFile)).toEqual([expect.stringMatching(/^INGEST_HMAC_SECRETS_FILE: has one/)]);
	});

	it('leaves the line break away that an echo into a secret store has left', () => {
		const config = readConfig({ ...MINIMAL, INGEST_HMAC_SECRETS: 'the-first-secret\n' });
		expect(config.INGEST_HMAC_SECRETS).toEqual(['the-first-secret', 'second-secret']);
	});
});

it('has a line of help for every variable', () => {
	for (const name of Object.keys(variables.shape)) {
		expect(help()).toMatch(new RegExp(`^  ${name} `, 'm'));
	}
});

it('has a row for every variable in the table of the documentation, with its meaning and default', () => {
	const page = readFileSync(
		join(__dirname, '../../../webhook-receiver/docs/configuration.md'),
		'utf8',
	);
	const rows = page
		.split('\n')
		.filter((line) => /^\| `[A-Z0-9_]+`( [†‡])? +\|/.test(line))
		.map((line) => line.split('|').map((cell) => cell.trim().replaceAll('\\', '')));
	const stated = rows.map(([, name, meaning, byDefault]) => {
		const isList = name.endsWith('‡');
		const isSecret = isList || name.endsWith('†');
		const note = byDefault === '' ? '' : ` (${byDefault.replaceAll('`', '')})`;
		const bare = name.replace(/`| [†‡]/g, '');
		const several = isList ? `, one a line; another one in ${bare}_2` : '';
		return `  ${bare.padEnd(34)}${meaning}${note}${isSecret ? `; or ${bare}_FILE` : ''}${several}`;
	});
	expect(stated).toEqual(help().split('\n').slice(2, -1));
});
