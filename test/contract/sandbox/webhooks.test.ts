// How events go out: signed in each of its ways, in any shape.
import { createHash, createHmac, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';

import type { Input } from '../../../sandbox/src/client/client.ts';
import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { parseBody } from '../../../webhook-receiver/src/core/parse-body.ts';
import { readEvents } from '../../../webhook-receiver/src/core/read-events.ts';
import { until } from '../../n8n/poll.ts';
import { serve, type HttpServer } from '../../support/http-server.ts';
import { person, sendOne } from './client.ts';

const SECRET = 'a secret of the webhook';
const MINUTE = 60_000;
const MEGABYTE = 1024 * 1024;

type Look = Partial<Input<'PUT /webhooks'>['webhooks'][number]>;
interface Received {
	headers: IncomingHttpHeaders;
	raw: string;
}

let target: HttpServer;
let received: Received[];
/** How often it refuses first. */
let refusals = 0;
beforeEach(async () => {
	received = [];
	refusals = 0;
	target = await serve(async (request, response) => {
		const raw = (await request.toArray()).join('');
		if (refusals-- > 0) return void response.writeHead(503).end();
		received.push({ headers: request.headers, raw });
		response.writeHead(204).end();
	});
});
afterEach(() => target.close());

// A minute between the steps of a letter, and none happens until the clock is advanced.
const sandbox = useSandbox({
	webhookRetryDelaysMs: [5, 5, 5],
	deliveryDelayMs: MINUTE,
	openDelayMs: MINUTE,
});

const lookLike = (look: Look) =>
	sandbox.control('PUT /webhooks', { webhooks: [{ url: target.url, secret: SECRET, ...look }] });
async function arrived(count: number): Promise<Received[]> {
	await until(`${count} webhooks`, async () => received.length >= count);
	return received;
}
const namesIn = ({ headers, raw }: Received) =>
	readEvents(parseBody(Buffer.from(raw)), headers as never).map(({ event }) => event?.type);
/** A letter that is sent, delivered and opened. */
async function live(type = 'AES'): Promise<string> {
	const id = await sendOne(sandbox, { type, ...person('open') });
	await sandbox.control.advance(5 * MINUTE);
	return id;
}
const ALL = ['tracked_mail.sent', 'tracked_mail.received', 'tracked_mail.opened'];

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);
const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());
const STANDARD = Buffer.from('0123456789abcdef01234567');

it.each<[string, Look, (received: Received) => void]>([
	[
		'timestamped unless told otherwise',
		{},
		({ headers, raw }) => {
			const time = Number(headers['x-webhook-timestamp']);
			expect(Math.abs(time - Date.now() / 1000)).toBeLessThan(60);
			const digest = hmac(SECRET, `${time}.${raw}`).digest('hex');
			expect(headers['x-webhook-signature']).toBe(`sha256=${digest}`);
		},
	],
	[
		'body',
		{ signing: 'body' },
		({ headers, raw }) =>
			expect(headers['x-hub-signature-256']).toBe(`sha256=${hmac(SECRET, raw).digest('hex')}`),
	],
	[
		'standard',
		{ signing: 'standard', secret: `whsec_${STANDARD.toString('base64')}` },
		({ headers, raw }) => {
			const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${raw}`;
			const digest = hmac(STANDARD, signed).digest('base64');
			expect(headers['webhook-signature']).toBe(`v1,${digest}`);
		},
	],
	[
		'shared-secret',
		{ signing: 'shared-secret' },
		({ headers }) => expect(headers['x-webhook-secret']).toBe(SECRET),
	],
	[
		'basic',
		{ signing: 'basic', secret: 'user:password' },
		({ headers }) => expect(headers.authorization).toBe('Basic dXNlcjpwYXNzd29yZA=='),
	],
	[
		'jws, detached',
		{ signing: 'jws' },
		({ headers, raw }) => {
			const [header, payload, signature] = String(headers['x-jws-signature']).split('.');
			expect([decoded(header), payload]).toEqual([{ alg: 'HS256', b64: false, crit: ['b64'] }, '']);
			expect(signature).toBe(hmac(SECRET, `${header}.${raw}`).digest('base64url'));
		},
	],
	[
		'jwt',
		{ signing: 'jwt' },
		({ headers, raw }) => {
			const [header, payload, signature] = bearerOf(headers);
			expect(decoded(payload)).toMatchObject({ body_sha256: sha256(raw) });
			expect(signature).toBe(hmac(SECRET, `${header}.${payload}`).digest('base64url'));
		},
	],
])('signs: %s', async (_title, look, check) => {
	await lookLike(look);
	await live();
	for (const one of await arrived(3)) check(one);
});

const bearerOf = ({ authorization = '' }: IncomingHttpHeaders) =>
	authorization.replace('Bearer ', '').split('.');
const sha256 = (raw: string) => createHash('sha256').update(raw).digest('hex');

it('signs with a key that it publishes', async () => {
	await lookLike({ signing: 'jwks' });
	await live();
	const [{ headers, raw }] = await arrived(1);
	const [header, payload, signature] = bearerOf(headers);
	expect(decoded(payload)).toMatchObject({ body_sha256: sha256(raw) });
	const [jwk] = (await sandbox.control('GET /jwks.json')).keys;
	expect([jwk.d, decoded(header).kid]).toEqual([undefined, jwk.kid]);
	const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
	const bytes = Buffer.from(signature, 'base64url');
	const encoding = { key, dsaEncoding: 'ieee-p1363' } as const;
	expect(verify('sha256', Buffer.from(`${header}.${payload}`), encoding, bytes)).toBe(true);
});

/** Shapes that providers have, and what a form makes of one. */
const LOOKS: Record<string, Look> = {
	'our own': {},
	typed: { body: { type: '{event}', event_id: '{id}', data: { message_id: '{messageId}' } } },
	nested: { body: { event: { name: '{event}' }, payload: { message: { id: '{messageId}' } } } },
	'in a header': { body: { id: '{messageId}' }, headers: { 'X-Webhook-Event': '{event}' } },
	'a form': {
		body: { event: '{event}', id: '{messageId}', file: 'No. {fileReference}' },
		headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
	},
};

it.each(Object.entries(LOOKS))(
	'[TYPE-06][S] %s: the receiver reads what happened to what',
	async (_name, look) => {
		for (const type of ['AES', 'MT']) {
			received = [];
			await lookLike(look);
			const messageId = await live(type);
			const [, { headers, raw }] = await arrived(3);
			const raws = parseBody(Buffer.from(raw));
			const [{ event }] = readEvents(raws, headers as never);
			expect(event).toMatchObject({ type: 'tracked_mail.received', messageId });
			expect(event?.sourceType).toBe(`${type.toLowerCase()}_received`);
		}
	},
);

it('a value that stands alone keeps its type, and a name that is none stays as it is', async () => {
	await lookLike({ body: { file: '{fileReference}', list: ['{type}', 7], other: '{nothing}' } });
	await live();
	const [{ raw }] = await arrived(1);
	expect(JSON.parse(raw)).toEqual({ file: null, list: ['AES', 7], other: '{nothing}' });
});

it('[STAT-01][STAT-02][STAT-03][S] a batch holds what happened together, in order', async () => {
	await lookLike({ batch: 3, waitMs: 10_000 });
	await live();
	expect((await arrived(1)).map(namesIn)).toEqual([ALL]);
});

it('a batch that does not fill goes out after its wait', async () => {
	// Longer than a busy machine takes from the first event to the last.
	await lookLike({ batch: 100, waitMs: 2_000 });
	await live();
	expect((await arrived(1)).map(namesIn)).toEqual([ALL]);
});

it('repeats each event, the very same, or swaps pairs of them', async () => {
	await lookLike({ duplicates: 1 });
	await live();
	const [first, again] = await arrived(6);
	expect(received.flatMap(namesIn)).toEqual(ALL.flatMap((name) => [name, name]));
	expect(first.raw).toBe(again.raw);
	received = [];
	await lookLike({ reorder: true, waitMs: 2_000 });
	await live();
	expect((await arrived(3)).flatMap(namesIn)).toEqual([ALL[1], ALL[0], ALL[2]]);
});

it('repeats an event until it is taken', async () => {
	await lookLike({});
	refusals = 2;
	const references = { fileReference: 'F-7', customerReference: null };
	const id = await sendOne(sandbox, { type: 'AES', ...person('ada'), ...references });
	const [{ raw }] = await arrived(1);
	expect(JSON.parse(raw)).toEqual({
		id: expect.stringMatching(/^wh_/),
		event: 'aes_sent',
		messageId: id,
		type: 'AES',
		timestamp: expect.stringMatching(/Z$/),
		data: references,
	});
	const attempts = await sandbox.control('GET /webhook-attempts', { count: 3, wait: 10 });
	expect(attempts.webhookAttempts.map(({ status }) => status)).toEqual([204, 503, 503]);
});

it('gives an event up after its last attempt, and goes on with the next', async () => {
	await lookLike({});
	refusals = 4;
	await live();
	expect((await arrived(2)).flatMap(namesIn)).toEqual(ALL.slice(1));
});

it('after a reset nothing goes out of what happened before', async () => {
	const batch = { batch: 2, waitMs: 200 };
	await lookLike(batch);
	await sendOne(sandbox, { type: 'AES', ...person('ada') });
	await sandbox.control.reset();
	await lookLike(batch);
	await sendOne(sandbox, { type: 'MT', ...person('ada') });
	// It would come before the other.
	const [{ raw }] = await arrived(1);
	expect(JSON.parse(raw)).toMatchObject({ events: [{ event: 'mt_sent' }] });
});

it('an address that does not answer holds up no other', async () => {
	const silent = await serve(() => undefined);
	await sandbox.control('PUT /webhooks', {
		webhooks: [silent, target].map(({ url }) => ({ url, secret: SECRET })),
	});
	await live();
	expect((await arrived(3)).flatMap(namesIn)).toEqual(ALL);
	await silent.close();
});

it('of an answer without end it reads a megabyte or so, and the event is delivered', async () => {
	const endless = await serve((_request, response) => {
		// It ends all the same, so that who reads all of it fails here, not by the time.
		Readable.from(Array(64).fill('x'.repeat(MEGABYTE))).pipe(response);
	});
	await sandbox.control('PUT /webhooks', { webhooks: [{ url: endless.url, secret: SECRET }] });
	await sendOne(sandbox, { type: 'AES', ...person('ada') });
	const { webhookAttempts } = await sandbox.control('GET /webhook-attempts', { wait: 20 });
	await endless.close();
	expect(webhookAttempts).toMatchObject([{ attempt: 1, status: 200, error: null }]);
	expect(webhookAttempts[0].answer?.body?.size).toBeLessThan(2 * MEGABYTE);
});
