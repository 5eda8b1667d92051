import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { authority } from './certificates.ts';
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

it('serves HTTPS with a certificate of its own, and asks senders for none', async () => {
	const ours = authority(temporaryFolder(), 'ours');
	const { certificate, key } = ours.issue('server');
	const { url } = await start({ env: { TLS_CERTIFICATE: certificate, TLS_KEY: key } });
	const options = { method: 'POST', ca: ours.certificate, agent: false };
	const headers = signed(BODY, Date.now());
	const outgoing = request(`${url}/events`, { ...options, headers }).end(BODY);
	const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
	response.resume();
	expect(response.statusCode).toBe(200);
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
