import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { call, cleanUp, consume, signed, start, temporaryFolder, until } from './harness.ts';

afterEach(cleanUp);

const ID = '000000000123';

async function stored(receiver: Awaited<ReturnType<typeof start>>): Promise<DeliveryEvent[]> {
	return (await receiver.events()).reverse();
}

it('[EVNT-01][EVNT-03][TYPE-06][SCHD-04][STAT-01][STAT-02][STAT-03][STAT-04][STAT-07][R] stores what it accepts, in order, spelled both ways', async () => {
	const receiver = await start();
	const states = ['sent', 'received', 'opened', 'undelivered', 'failed'];
	const names = [...states.flatMap((state) => [`aes_${state}`, `mt_${state}`]), 'lre_failed'];
	const events = names.map((event, index) => ({
		event,
		messageId: ID,
		timestamp: 1769851800 + index,
	}));
	const answer = await receiver.emit({ events });
	expect(answer).toMatchObject({ status: 200, body: { accepted: 11, duplicates: 0 } });
	const kept = await stored(receiver);
	expect(kept.map((event) => event.sourceType)).toEqual(names);
	expect(kept.map((event) => event.sequence)).toEqual(names.map((_, index) => index + 1));
	expect(kept.map((event) => event.raw)).toEqual(events);
	expect(new Set(kept.map((event) => event.id)).size).toBe(11);
});

it('[EVNT-02][R] keeps an event of unknown name, without an error', async () => {
	const receiver = await start();
	const answer = await receiver.emit({ event: 'letter_teleported', anything: [1] });
	expect(answer).toMatchObject({ status: 200, body: { accepted: 1 } });
	expect(await stored(receiver)).toMatchObject([
		{ type: 'unknown', sourceType: 'letter_teleported', raw: { anything: [1] } },
	]);
});

it('[EVNT-03][R] reads a form, also under the type of JSON, and multipart', async () => {
	const receiver = await start();
	const form = { 'content-type': 'application/x-www-form-urlencoded' };
	await receiver.emit(`event=aes_received&data[messageId]=${ID}`, form);
	await receiver.emit(`event=aes_sent&messageId=${ID}`);
	const boundary = 'limit';
	const part = (name: string, value: string) =>
		`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
	const body = `${part('event', 'aes_opened')}${part('messageId', ID)}--${boundary}--\r\n`;
	await receiver.emit(body, { 'content-type': `multipart/form-data; boundary=${boundary}` });
	expect(await stored(receiver)).toMatchObject([
		{ type: 'tracked_mail.received', messageId: ID },
		{ type: 'tracked_mail.sent', messageId: ID },
		{ type: 'tracked_mail.opened', messageId: ID },
	]);
});

it('[EVNT-04][R] refuses what is not signed, or wrongly, and stores nothing', async () => {
	const receiver = await start();
	const body = '{"event":"aes_sent"}';
	const wrong = [{}, signed(body, Date.now(), 'another-secret'), signed(`${body} `, Date.now())];
	for (const headers of wrong) {
		const init = { method: 'POST', headers: headers as Record<string, string>, body };
		const answer = await call(`${receiver.url}/events`, init);
		expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
	}
	expect(await stored(receiver)).toEqual([]);
});

describe('[EVNT-05][R] the same event twice', () => {
	it('is one event among 100 identical posts at once, and delivered once', async () => {
		const receiver = await start();
		const flow = await consume(receiver);
		const event = { event: 'aes_received', messageId: ID };
		const answers = await Promise.all(Array.from({ length: 100 }, () => receiver.emit(event)));
		expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
		expect(answers.filter((answer) => answer.body.accepted === 1)).toHaveLength(1);
		await until(() => flow.batches.length > 0, 'the event arrives');
		expect(await stored(receiver)).toHaveLength(1);
		expect(await receiver.batches()).toHaveLength(1);
	});

	it('is known by its id, also after a restart', async () => {
		const first = await start();
		const sent = { id: 'e1', event: 'aes_sent', messageId: ID, date: '2026-01-31' };
		await first.emit(sent);
		await first.close();
		const second = await start({ folder: first.folder });
		const byId = await second.emit({ ...sent, attempt: 2 });
		expect(byId.body).toEqual({ accepted: 0, duplicates: 1 });
	});

	it.each([
		['x-event', 'aes_sent', 'aes_opened'],
		['x-webhook-event', 'aes_sent', 'lre_failed'],
		['webhook-id', 'w1', 'w2'],
		['x-event-id', 'e1', 'e2'],
	])('is not another one by the header %s, which nobody signed', async (name, ...values) => {
		const receiver = await start();
		const body = { messageId: ID, timestamp: 1769851800 };
		for (const value of values) await receiver.emit(body, { [name]: value });
		expect(await stored(receiver)).toMatchObject([{ type: 'unknown', sourceType: null }]);
	});

	it('is another one by a header that the operator named', async () => {
		const folder = temporaryFolder();
		const file = join(folder, 'mapping.json');
		writeFileSync(file, '{ "eventHeaders": ["X-Event"] }');
		const receiver = await start({ folder, env: { MAPPING_FILE: file } });
		const body = { messageId: ID, timestamp: 1769851800 };
		await receiver.emit(body, { 'x-event': 'aes_sent' });
		await receiver.emit(body, { 'x-event': 'aes_opened', 'x-webhook-event': 'aes_failed' });
		const names = (await stored(receiver)).map(({ sourceType }) => sourceType);
		expect(names).toEqual(['aes_sent', 'aes_opened']);
	});

	it('is another one by the id that Standard Webhooks signs', async () => {
		const key = Buffer.alloc(32, 7);
		const secret = `whsec_${key.toString('base64')}`;
		const env = { INGEST_HMAC_SECRETS: '', INGEST_STANDARD_WEBHOOKS_SECRETS: secret };
		const { url } = await start({ env });
		const body = JSON.stringify({ messageId: ID, timestamp: 1769851800 });
		const time = String(Math.floor(Date.now() / 1000));
		const post = async (id: string, more = {}) => {
			const digest = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
			const own = {
				'webhook-id': id,
				'webhook-timestamp': time,
				'webhook-signature': `v1,${digest}`,
			};
			const headers = { ...own, ...more };
			return (await call(`${url}/events`, { method: 'POST', headers, body })).body;
		};
		expect(await post('w1')).toMatchObject({ accepted: 1 });
		expect(await post('w1', { 'x-event-id': 'e2' })).toMatchObject({ duplicates: 1 });
		expect(await post('w2')).toMatchObject({ accepted: 1 });
	});

	it('is not told apart by an id in a header that nobody signed', async () => {
		const env = { INGEST_HMAC_SECRETS: '', INGEST_SHARED_SECRETS: 'the-secret' };
		const { url } = await start({ env });
		const body = JSON.stringify({ event: 'aes_sent', messageId: ID });
		const post = async (id: string) => {
			const headers = { 'x-webhook-secret': 'the-secret', 'webhook-id': id };
			return (await call(`${url}/events`, { method: 'POST', headers, body })).body;
		};
		expect(await post('w1')).toMatchObject({ accepted: 1 });
		expect(await post('w2')).toMatchObject({ accepted: 0, duplicates: 1 });
	});

	it('is named by a header where the body is not signed either', async () => {
		const env = { INGEST_HMAC_SECRETS: '', INGEST_SHARED_SECRETS: 'the-secret' };
		const receiver = await start({ env });
		const headers = { 'x-webhook-secret': 'the-secret', 'x-event': 'aes_opened' };
		const body = JSON.stringify({ messageId: ID });
		await call(`${receiver.url}/events`, { method: 'POST', headers, body });
		expect(await stored(receiver)).toMatchObject([{ type: 'tracked_mail.opened', messageId: ID }]);
	});
});

describe('what is not an event', () => {
	it.each(['', '{"event":', 'aes_sent', '['.repeat(5000) + ']'.repeat(5000)])(
		'400 for a body that can not be read (%#)',
		async (body) => {
			const receiver = await start();
			expect(await receiver.emit(body)).toMatchObject({
				status: 400,
				body: { code: 'broken-body', message: expect.any(String) },
			});
		},
	);

	it('400 for a content encoding', async () => {
		const receiver = await start();
		expect((await receiver.emit('{}', { 'content-encoding': 'gzip' })).status).toBe(400);
	});

	it('413 for too much, declared or chunked', async () => {
		const receiver = await start({ env: { BODY_LIMIT_BYTES: '1000' } });
		expect(await receiver.emit('x'.repeat(1001))).toMatchObject({
			status: 413,
			body: { code: 'body-too-large' },
		});
		const status = await new Promise((resolve, reject) => {
			const outgoing = request(`${receiver.url}/events`, { method: 'POST' }, (response) => {
				resolve(response.statusCode);
				response.resume();
			});
			outgoing.on('error', reject);
			for (let sent = 0; sent < 20; sent++) outgoing.write('x'.repeat(100));
			outgoing.end();
		});
		expect(status).toBe(413);
		expect((await receiver.emit({ event: 'aes_sent' })).status).toBe(200);
	});

	it('404 for what is not there, to those who may ask', async () => {
		const receiver = await start();
		expect((await receiver.manage('GET', '/nothing')).body.code).toBe('not-found');
		expect((await call(`${receiver.url}/nothing`, {})).status).toBe(401);
	});
});

it('starts nowhere unauthenticated, unless told so', async () => {
	await expect(start({ env: { INGEST_HMAC_SECRETS: '' } })).rejects.toThrow('INGEST_HMAC_SECRETS');
	const env = { INGEST_HMAC_SECRETS: '', INGEST_REQUIRE: 'none' };
	const open = await start({ env });
	const answer = await call(`${open.url}/events`, { method: 'POST', body: '{"event":"mt_sent"}' });
	expect(answer.body).toEqual({ accepted: 1, duplicates: 0 });
});

it('a second receiver on the same file refuses to start and says why; the first goes on', async () => {
	const first = await start();
	await expect(start({ folder: first.folder })).rejects.toThrow(/in use by another receiver/);
	expect((await first.emit({ event: 'aes_sent' })).status).toBe(200);
	expect((await call(`${first.url}/readyz`, {})).status).toBe(200);
	expect(readFileSync(join(first.folder, 'receiver.sqlite')).length).toBeGreaterThan(0);
});
