import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { authority } from './certificates.ts';
import type { Pair } from './certificates.ts';
import { ManualClock, call, cleanUp, signed, start, temporaryFolder } from './harness.ts';

afterEach(cleanUp);

const BODY = '{"event":"aes_sent","messageId":1}';
const NO_HMAC = { INGEST_HMAC_SECRETS: '' };

const post = (url: string, headers: Record<string, string> = {}) =>
	call(`${url}/events`, { method: 'POST', headers, body: BODY });

describe('[EVNT-04][R] each way of authentication, on the wire', () => {
	it('all of several, when the operator asks for all', async () => {
		const env = { INGEST_REQUIRE: 'all', INGEST_SHARED_SECRETS: 'the-secret' };
		const receiver = await start({ env });
		const secret = { 'x-webhook-secret': 'the-secret' };
		expect((await receiver.emit(BODY)).status).toBe(401);
		expect((await post(receiver.url, secret)).status).toBe(401);
		expect((await receiver.emit(BODY, secret)).status).toBe(200);
	});
});

// A client certificate notices by TLS: who has caught the request lacks the key.
describe('[EVNT-04][EVNT-05][R] the same request again is never a second event', () => {
	const REPEATED = `{"id":"e1","event":"aes_sent","messageId":1,"date":"2026-01-31T09:30:00Z"}`;
	const secret = 'a-secret-of-this-test-of-32-characters';
	type Sign = (now: number) => Record<string, string>;

	it.each<[string, Record<string, string>, Sign, 'refused' | 'duplicate']>([
		['HMAC', { INGEST_HMAC_SECRETS: secret }, (now) => signed(REPEATED, now, secret), 'refused'],
		[
			'a shared secret',
			{ INGEST_SHARED_SECRETS: secret },
			() => ({ 'x-webhook-secret': secret }),
			'duplicate',
		],
	])('%s', async (_, env, sign, later) => {
		const clock = new ManualClock();
		const receiver = await start({ env: { ...NO_HMAC, ...env }, dependencies: { clock } });
		const headers = sign(clock.now());
		const again = () => call(`${receiver.url}/events`, { method: 'POST', headers, body: REPEATED });
		const duplicate = { status: 200, body: { accepted: 0, duplicates: 1 } };
		expect(await again()).toMatchObject({ status: 200, body: { accepted: 1 } });
		clock.advance(299_000);
		expect(await again()).toMatchObject(duplicate);
		// Past the window.
		clock.advance(2_000);
		expect(await again()).toMatchObject(later === 'refused' ? { status: 401 } : duplicate);
		expect(await receiver.events()).toHaveLength(1);
	});
});

describe('[EVNT-04][R] a client certificate', () => {
	const folder = temporaryFolder();
	const ours = authority(folder, 'ours');
	const theirs = authority(folder, 'theirs');
	const [server, service] = [ours.issue('server'), ours.issue('service')];
	const stranger = theirs.issue('stranger');
	const tls = { ...NO_HMAC, TLS_CERTIFICATE: server.certificate, TLS_KEY: server.key };

	const postOverTls = (url: string, client: Pair | null) =>
		new Promise<number | undefined>((resolve, reject) => {
			const outgoing = request(
				`${url}/events`,
				{
					method: 'POST',
					ca: ours.certificate,
					agent: false,
					...(client && { cert: client.certificate, key: client.key }),
				},
				(response) => {
					response.resume();
					resolve(response.statusCode);
				},
			);
			outgoing.on('error', reject).end(BODY);
		});

	it('that is issued and listed, on our own TLS; nobody else', async () => {
		const receiver = await start({
			env: {
				...tls,
				INGEST_CLIENT_CA: ours.certificate,
				INGEST_CLIENT_FINGERPRINTS: new X509Certificate(service.certificate).fingerprint256,
			},
		});
		expect(receiver.url).toMatch(/^https:/);
		expect(await postOverTls(receiver.url, service)).toBe(200);
		for (const other of [stranger, server, null]) {
			expect(await postOverTls(receiver.url, other)).toBe(401);
		}
	});

	it('handed on by a trusted proxy, and by nobody else', async () => {
		const header = { 'x-client-certificate': encodeURIComponent(service.certificate) };
		const foreign = { 'x-client-certificate': encodeURIComponent(stranger.certificate) };
		const env = {
			...NO_HMAC,
			INGEST_CLIENT_CA: ours.certificate,
			INGEST_CLIENT_CERTIFICATE_HEADER: 'X-Client-Certificate',
		};
		const behind = await start({ env: { ...env, TRUSTED_PROXIES: '127.0.0.0/8' } });
		expect((await post(behind.url, header)).status).toBe(200);
		expect((await post(behind.url, foreign)).status).toBe(401);
		expect((await post(behind.url, { 'x-client-certificate': '%zz' })).status).toBe(401);
		expect((await post(behind.url)).status).toBe(401);
		const direct = await start({ env: { ...env, TRUSTED_PROXIES: '192.0.2.1' } });
		expect((await post(direct.url, header)).status).toBe(401);
	});
});

describe('[EVNT-04][R] behind proxies', () => {
	it('believes a forwarded address only from a trusted proxy', async () => {
		const env = { ...NO_HMAC, INGEST_ADDRESSES: '192.0.2.7' };
		const forwarded = { 'x-forwarded-for': '192.0.2.7' };
		const direct = await start({ env });
		expect((await post(direct.url, forwarded)).status).toBe(401);
		const behind = await start({ env: { ...env, TRUSTED_PROXIES: '127.0.0.1' } });
		expect((await post(behind.url, forwarded)).status).toBe(200);
		// What the client itself wrote comes before what the proxy appends.
		const forged = { 'x-forwarded-for': '192.0.2.7, 198.51.100.1' };
		expect((await post(behind.url, forged)).status).toBe(401);
	});
});

it('[EVNT-03][R] a mapping file names other places and other names', async () => {
	const folder = temporaryFolder();
	const MAPPING_FILE = join(folder, 'mapping.json');
	writeFileSync(
		MAPPING_FILE,
		JSON.stringify({
			event: ['meta.what'],
			messageId: ['letter.number'],
			time: ['meta.when'],
			names: { 'mail.read': 'aes_opened' },
		}),
	);
	const receiver = await start({ env: { MAPPING_FILE } });
	const when = '2026-01-31T09:30:00Z';
	await receiver.emit({ meta: { what: 'mail.read', when }, letter: { number: 123 } });
	await receiver.emit({ event: 'mt_sent', messageId: 7 });
	const { data } = (await receiver.manage('GET', '/events')).body as { data: object[] };
	expect(data).toMatchObject([
		{ type: 'tracked_mail.sent', sourceType: 'mt_sent', messageId: '000000000007' },
		{
			type: 'tracked_mail.opened',
			sourceType: 'mail.read',
			messageId: '000000000123',
			messageType: 'AES',
			occurredAt: '2026-01-31T09:30:00.000Z',
		},
	]);
});
