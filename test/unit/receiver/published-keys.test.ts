// Published keys over real HTTP, with the time passed in: junk is no flood, and what keeps us from
// knowing a key is never a refusal.
import { generateKeyPairSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { exportJWK } from 'jose';
import { publishedKeys } from '../../../webhook-receiver/src/verifiers/jwt.ts';
import { serve, type HttpServer } from '../../support/http-server.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let server: HttpServer;
let fetches: number;
let published: string[];
let answer: 'keys' | 'page' | 'other' | 'error' | 'hang' | 'endless';
let sent: number;
let elapsed: number;
let find: (kid: string) => Promise<unknown>;

function* junk() {
	for (sent = 0; sent < 100_000_000; sent += 64_000) yield ' '.repeat(64_000);
}

beforeEach(async () => {
	[fetches, published, answer, elapsed] = [0, ['k1'], 'keys', 5_000_000];
	const jwk = await exportJWK(publicKey);
	server = await serve((_, response) => {
		fetches++;
		if (answer === 'hang') return;
		if (answer === 'endless') return void Readable.from(junk()).pipe(response);
		if (answer === 'error') return void response.writeHead(500).end();
		if (answer === 'other') return void response.end('{"message":"Not found"}');
		if (answer === 'page') return void response.end('<html>Maintenance</html>');
		const keys = published.map((kid) => ({ ...jwk, kid, alg: 'ES256', use: 'sig' }));
		response.end(JSON.stringify({ keys }));
	});
	const keys = publishedKeys(`${server.url}/keys`, () => elapsed);
	find = (kid) => keys({ alg: 'ES256', kid });
});
afterEach(() => server.close());

const ours = { status: 503, code: 'keys-unavailable' };
const theirs = { code: 'ERR_JWKS_NO_MATCHING_KEY' };

it('a thousand tokens at once make one fetch, and a thousand unknown keys one more', async () => {
	await Promise.all(Array.from({ length: 1_000 }, () => find('k1')));
	expect(fetches).toBe(1);
	elapsed += 30 * SECOND;
	const junk = await Promise.allSettled(Array.from({ length: 1_000 }, (_, n) => find(`junk-${n}`)));
	expect(junk.every(({ status }) => status === 'rejected')).toBe(true);
	expect(fetches).toBe(2);
	for (let n = 0; n < 100; n++) await find(`more-${n}`).catch(() => undefined);
	expect(fetches).toBe(2);
	await find('k1');
});

it('refuses what a set lacks that was fetched for it', async () => {
	await expect(find('k2')).rejects.toMatchObject(theirs);
});

it('a key published since the last fetch is not refused while it may not be looked for', async () => {
	await find('k1');
	published = ['k2'];
	await expect(find('k2')).rejects.toMatchObject(ours);
	elapsed += 30 * SECOND;
	await find('k2');
	await expect(find('k1')).rejects.toMatchObject(ours);
	elapsed += 30 * SECOND;
	await expect(find('k1')).rejects.toMatchObject(theirs);
});

it.each(['error', 'page'] as const)(
	'asks again only after a pause when it gets: %s',
	async (bad) => {
		answer = bad;
		for (let n = 0; n < 100; n++) await expect(find('k1')).rejects.toMatchObject(ours);
		expect(fetches).toBe(1);
		answer = 'keys';
		elapsed += 30 * SECOND;
		await find('k1');
	},
);

it.each([
	['error', 'answers 500'],
	['page', 'answers with something that is no JSON'],
	['other', 'answers with JSON that is no set of keys (JWKS)'],
	['hang', 'does not answer within 5 s'],
	['endless', 'answers with more than 1 MB'],
] as const)(
	'says in its cause, for the log, what is wrong: %s',
	async (bad, why) => {
		const cause = (text: string) => ({ ...ours, cause: new Error(`INGEST_JWT_JWKS_URL ${text}`) });
		answer = bad;
		await expect(find('k1')).rejects.toMatchObject(cause(why));
		// Also while it is not asked again.
		await expect(find('k1')).rejects.toMatchObject(cause(why));
		answer = 'keys';
		elapsed += 30 * SECOND;
		await find('k1');
		const unknown = 'had no such key when it was last asked, less than 30 s ago';
		await expect(find('k2')).rejects.toMatchObject(cause(unknown));
		const nobody = publishedKeys('http://127.0.0.1:1/keys', () => elapsed);
		const refused = cause("can't be reached (ECONNREFUSED)");
		await expect(nobody({ alg: 'ES256' })).rejects.toMatchObject(refused);
	},
	15_000,
);

it('goes on with the keys it has for an hour, and refuses no unknown one meanwhile', async () => {
	await find('k1');
	answer = 'error';
	elapsed += 59 * MINUTE;
	await find('k1');
	expect(fetches).toBe(2);
	await expect(find('k2')).rejects.toMatchObject(ours);
	elapsed += MINUTE;
	await expect(find('k1')).rejects.toMatchObject(ours);
	answer = 'keys';
	elapsed += 30 * SECOND;
	await find('k1');
});

it('a withdrawn key is good for ten minutes at most', async () => {
	await find('k1');
	published = ['k2'];
	elapsed += 10 * MINUTE;
	await expect(find('k1')).rejects.toMatchObject(theirs);
});

it('a set of keys without end is not read to its end', async () => {
	answer = 'endless';
	await expect(find('k1')).rejects.toMatchObject(ours);
	// What sockets and streams hold on the way is a few more.
	expect(sent).toBeLessThan(16_000_000);
});
