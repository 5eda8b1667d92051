import { connect } from 'node:net';
import {
	INGEST_SECRET,
	ManualClock,
	call,
	consume,
	signed,
	start,
	until,
} from '../contract/receiver/harness.ts';
import { record } from './figures.ts';

const BODY = '{"event":"aes_sent","messageId":1}';

export function ingestFaults() {
	it('[EVNT-05][R] 100 identical posts at once are one event, handed out once', async () => {
		const receiver = await start();
		const flow = await consume(receiver);
		const answers = await Promise.all(Array.from({ length: 100 }, () => receiver.emit(BODY)));
		const accepted = answers.filter((answer) => answer.body.accepted === 1).length;
		await until(() => flow.batches.length > 0, 'it arrives');
		expect([accepted, (await receiver.events()).length, flow.events().length]).toEqual([1, 1, 1]);
		record('100 identical posts at once', '1 event, handed out once, 100 × 200');
	});

	it('[EVNT-04][R] a signature replayed, inside and outside of the window', async () => {
		const clock = new ManualClock();
		const receiver = await start({ dependencies: { clock } });
		const headers = signed(BODY, clock.now());
		const post = () => receiver.emit(BODY, headers);
		const [first, inside] = [await post(), await post()];
		clock.advance(301_000);
		const outside = await post();
		expect([first.body, inside.body]).toEqual([
			{ accepted: 1, duplicates: 0 },
			{ accepted: 0, duplicates: 1 },
		]);
		expect(outside.status).toBe(401);
		record('signature replayed', 'inside: duplicate, 0 new events; outside: 401');
	});

	it('[EVNT-04][R] a clock that is off by 299 or 301 seconds, either way', async () => {
		const clock = new ManualClock();
		const receiver = await start({ dependencies: { clock } });
		const statuses = [];
		for (const skew of [-301, -299, 299, 301]) {
			const headers = signed(BODY, clock.now() + skew * 1000);
			statuses.push((await receiver.emit(BODY, headers)).status);
		}
		expect(statuses).toEqual([401, 200, 200, 401]);
		record('clock skew 299 / 301 s', '200 / 401, either way');
	});

	it('[EVNT-04][R] tampered, missing, old and second secret', async () => {
		const env = { INGEST_HMAC_SECRETS: `new-secret,${INGEST_SECRET}` };
		const receiver = await start({ env });
		const now = Date.now();
		const cases: Array<[string, Record<string, string>, number]> = [
			['tampered', signed(`${BODY} `, now), 401],
			['missing', { 'x-webhook-signature': '', 'x-webhook-timestamp': '' }, 401],
			['unknown', signed(BODY, now, 'retired-secret'), 401],
			['first', signed(BODY, now, 'new-secret'), 200],
			['second', signed(BODY, now), 200],
		];
		for (const [name, headers, status] of cases) {
			expect([name, (await receiver.emit(BODY, headers)).status]).toEqual([name, status]);
		}
		record('tampered, missing, retired secret', '401, 0 stored; both rotating secrets 200');
	});

	it('oversize by length and chunked', async () => {
		const receiver = await start({ env: { BODY_LIMIT_BYTES: '1000' } });
		const declared = await receiver.emit('x'.repeat(1001));
		const lines = ['POST /events HTTP/1.1', 'host: x', 'transfer-encoding: chunked', '', ''];
		const chunks = `${'3e8\r\n'}${'x'.repeat(1000)}\r\n`.repeat(2);
		const chunked = await raw(receiver.url, `${lines.join('\r\n')}${chunks}0\r\n\r\n`);
		expect([declared.status, statusOf(chunked)]).toEqual([413, 413]);
		expect((await receiver.emit(BODY)).status).toBe(200);
		record('oversize by length and chunked', '413 and 413; the next request 200');
	});

	it('broken JSON, gzip, both length headers', async () => {
		const receiver = await start();
		const broken = await receiver.emit('{"event":');
		const gzip = await receiver.emit(BODY, { 'content-encoding': 'gzip' });
		const lines = ['POST /events HTTP/1.1', 'host: x', 'content-length: 5'];
		const both = [...lines, 'transfer-encoding: chunked', '', '0', '', ''].join('\r\n');
		expect([broken.status, gzip.status, statusOf(await raw(receiver.url, both))]).toEqual([
			400, 400, 400,
		]);
		expect((await call(`${receiver.url}/healthz`, {})).status).toBe(200);
		record('broken JSON, gzip, both length headers', '400, 400, 400');
	});
}

function raw(url: string, text: string): Promise<string> {
	const { port, hostname } = new URL(url);
	return new Promise((resolve, reject) => {
		let answer = '';
		const socket = connect(Number(port), hostname, () => socket.write(text));
		const done = () => {
			socket.destroy();
			resolve(answer);
		};
		socket.on('data', (chunk) => {
			answer += chunk.toString();
			if (answer.includes('\r\n\r\n')) done();
		});
		socket.on('end', done).on('error', reject);
	});
}

function statusOf(answer: string): number {
	return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}
