import { startSandbox, type Sandbox } from '../../../sandbox/src/sandbox.ts';
import { until } from '../../n8n/poll.ts';
import { serve, type HttpServer } from '../../support/http-server.ts';
import type { Trigger } from '../../support/sandbox.ts';
import { call, person, send, letter, sendOne, statusOf } from './client.ts';

const TRIGGERS: Trigger[] = ['deliver', 'open', 'bounce', 'accept', 'refuse', 'fail', 'expire'];
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

interface Told {
	event: string;
	messageId: string;
	type: string;
	timestamp: string;
}

let sandbox: Sandbox;
let target: HttpServer;
let received: Told[];

async function eventsOf(id: string, count: number): Promise<string[]> {
	const names = () =>
		received.filter(({ messageId }) => messageId === id).map(({ event }) => event);
	await until(`${count} webhooks`, async () => names().length >= count);
	return names();
}

beforeEach(async () => {
	received = [];
	target = await serve(async (request, response) => {
		received.push(JSON.parse((await request.toArray()).join('')));
		response.writeHead(204).end();
	});
	sandbox = await startSandbox({
		webhooks: [{ url: `${target.url}/events`, secret: 'a secret of the webhook' }],
		// Nothing happens until the clock is advanced.
		deliveryDelayMs: MINUTE,
		openDelayMs: MINUTE,
	});
});
afterEach(async () => {
	await sandbox.close();
	await target.close();
});

const tracked = (local: string, type = 'AES') => sendOne(sandbox, { type, ...person(local) });

it.each([
	['open', 'OPENED', ['sent', 'received', 'opened']],
	['ada', 'RECEIVED', ['sent', 'received']],
	['bounce', 'UNDELIVERED', ['sent', 'undelivered']],
	['bounce-then-receive', 'RECEIVED', ['sent', 'undelivered', 'received']],
	['open+invoice-7', 'OPENED', ['sent', 'received', 'opened']],
	['fail', 'FAILED', ['failed']],
])(
	'[STAT-01][STAT-02][STAT-03][STAT-04][STAT-05][STAT-07][TYPE-06][S] tracked mail to %s@ becomes %s by events %j, in both spellings',
	async (local, status, kinds) => {
		for (const type of ['AES', 'MT']) {
			const id = await tracked(local, type);
			await sandbox.control.advance(5 * MINUTE);
			expect(await statusOf(sandbox, id)).toBe(status);
			const expected = kinds.map((kind) => `${type.toLowerCase()}_${kind}`);
			expect(await eventsOf(id, expected.length)).toEqual(expected);
		}
	},
);

/** What can happen to a letter of each status, the history that leads there, and what becomes of it. */
it.each<['AES' | 'LS' | 'LRE', Trigger[][], string[]]>([
	[
		'AES',
		[[], ['deliver'], ['deliver', 'open'], ['bounce'], ['fail'], ['deliver', 'expire']],
		[
			'SENT deliver RECEIVED',
			'SENT bounce UNDELIVERED',
			'SENT fail FAILED',
			'RECEIVED open OPENED',
			'RECEIVED bounce UNDELIVERED',
			'RECEIVED expire EXPIRED',
			'OPENED bounce UNDELIVERED',
			'UNDELIVERED deliver RECEIVED',
		],
	],
	[
		'LS',
		[[], ['open'], ['bounce'], ['fail'], ['expire']],
		[
			'SENT open RECEIVED',
			'SENT bounce UNDELIVERED',
			'SENT fail FAILED',
			'SENT expire EXPIRED',
			'UNDELIVERED deliver SENT',
		],
	],
	[
		'LRE',
		[[], ['accept'], ['refuse'], ['bounce'], ['fail'], ['expire']],
		[
			'SENT bounce UNDELIVERED',
			'SENT accept ACCEPTED',
			'SENT refuse REFUSED',
			'SENT fail FAILED',
			'SENT expire EXPIRED',
			'UNDELIVERED deliver SENT',
		],
	],
])(
	'[STAT-02][STAT-03][STAT-04][STAT-05][STAT-06][STAT-07][S] %s moves just so',
	async (type, histories, expected) => {
		const moves = [];
		for (const happens of histories)
			for (const trigger of TRIGGERS) {
				const letters = [{ type, email: 'ada@mail.example', happens }];
				const { messages } = await sandbox.control('POST /letters', { letters });
				const [{ id, status }] = messages;
				const asked = sandbox.control('POST /messages/{id}/{trigger}', { id, trigger });
				const after = await asked.catch((error: { status: number }) => error);
				if (after.status !== 409 && after.status !== status)
					moves.push(`${status} ${trigger} ${after.status}`);
			}
		expect(moves).toEqual(expected);
	},
);

it('[STAT-05][STAT-06][EVNT-01][S] the delay to expiry begins with the last delivery', async () => {
	const id = await sendOne(sandbox, { type: 'AES', ...person('never') });
	await sandbox.control.advance(MINUTE);
	await sandbox.control('POST /messages/{id}/{trigger}', { id, trigger: 'bounce' });
	await sandbox.control.advance(50 * DAY);
	await sandbox.control('POST /messages/{id}/{trigger}', { id, trigger: 'deliver' });
	await sandbox.control.advance(59 * DAY);
	expect(await statusOf(sandbox, id)).toBe('RECEIVED');
	await sandbox.control.advance(DAY + MINUTE);
	expect(await statusOf(sandbox, id)).toBe('EXPIRED');
	// Of the expiry nobody is told.
	const told = ['aes_sent', 'aes_received', 'aes_undelivered', 'aes_received'];
	expect(await eventsOf(id, 4)).toEqual(told);
});

it('[STAT-06][S] tracked mail delivered by hand expires, though the clock ticks at every look', async () => {
	const now = Date.now;
	let looks = 0;
	const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + looks++);
	const ticking = await startSandbox({ automatic: false });
	try {
		const id = await sendOne(ticking, { type: 'AES', ...person('ada') });
		await ticking.control('POST /messages/{id}/{trigger}', { id, trigger: 'deliver' });
		await ticking.control.advance(61 * DAY);
		expect(await statusOf(ticking, id)).toBe('EXPIRED');
	} finally {
		clock.mockRestore();
		await ticking.close();
	}
});

it.each([
	['LS', 'ada', 'RECEIVED'],
	['LS', 'never', 'EXPIRED'],
	['LS', 'bounce', 'UNDELIVERED'],
	['LRE', 'accept', 'ACCEPTED'],
	['LRE', 'refuse', 'REFUSED'],
	['LRE', 'ada', 'EXPIRED'],
])('%s to %s@ ends as %s, without a webhook', async (type, local, status) => {
	const id = await sendOne(sandbox, { type, ...person(local) }, { certificate: true });
	await sandbox.control.advance(16 * DAY);
	expect(await statusOf(sandbox, id)).toBe(status);
	expect(received).toEqual([]);
});

it('[AES-05][STAT-03][S] the mail has a signed link for 60 days when there is an attachment; downloading opens', async () => {
	const data = new FormData();
	const recipients = JSON.stringify(person('ada').recipients);
	for (const [name, value] of Object.entries({ type: 'AES', body: '<p>Hi you</p>', recipients }))
		data.append(name, value);
	data.append('attachments', new File(['%PDF-1.7 content'], 'invoice.pdf'));
	const { id } = (await send(sandbox, data)).json.messages[0];
	const plain = await tracked('ada');
	await sandbox.control.advance(MINUTE);
	const { mails } = await sandbox.control('GET /state');
	const mailFor = (messageId: string) => mails.find((mail) => mail.messageId === messageId)!;
	expect(mailFor(plain)).toMatchObject({ html: '<p>Good morning</p>', links: [] });
	const { html, links } = mailFor(id);
	const [, path = ''] = /^<p>Hi you<\/p>.*<a href="([^"]+)">invoice\.pdf<\/a>/s.exec(html) ?? [];
	expect(links).toEqual([{ name: 'invoice.pdf', size: 16, path: path.replaceAll('&amp;', '&') }]);

	const download = await call(sandbox, links[0].path, { as: null });
	expect(download.bytes.toString()).toBe('%PDF-1.7 content');
	expect(await statusOf(sandbox, id)).toBe('OPENED');
	expect(await eventsOf(id, 3)).toEqual(['aes_sent', 'aes_received', 'aes_opened']);
	await sandbox.control.advance(60 * DAY);
	expect((await call(sandbox, links[0].path, { as: null })).status).toBe(404);
});

it.each(['LS', 'AS', 'AES', 'MT', 'LRE'])(
	'[SCHD-02][SCHD-03][SCHD-06][S] %s can be scheduled; it is sent at its time, and says so',
	async (type) => {
		const { now } = await sandbox.control('GET /state');
		// Twenty minutes ahead, written in another zone.
		const at = new Date(Date.parse(now) + 20 * MINUTE).toISOString();
		const scheduledAt = new Date(Date.parse(at) + 120 * MINUTE)
			.toISOString()
			.replace('Z', '+02:00');
		const id = await sendOne(sandbox, { type, scheduledAt }, { certificate: true });
		expect(await statusOf(sandbox, id)).toBe('SCHEDULED');
		await sandbox.control.advance(19 * MINUTE);
		expect(await statusOf(sandbox, id)).toBe('SCHEDULED');
		await sandbox.control.advance(61_000);
		expect(await statusOf(sandbox, id)).toBe('SENT');
		const { messages } = await sandbox.control('GET /state');
		const [message] = messages;
		expect([message.scheduledAt, message.sentAt]).toEqual([at, at]);
		if (type === 'AES') {
			await eventsOf(id, 1);
			expect(received[0]).toMatchObject({ event: 'aes_sent', timestamp: at });
		}
	},
);

it('[SCHD-04][TYPE-02][S] a scheduled LRE whose sender lost KYC is not sent, and says lre_failed', async () => {
	const scheduledAt = new Date(Date.now() + 20 * MINUTE).toISOString();
	const id = await sendOne(sandbox, { type: 'LRE', scheduledAt }, { certificate: true });
	await sandbox.control('PUT /accounts/{name}/kyc', { name: 'direct', valid: false });
	await sandbox.control.advance(21 * MINUTE);
	expect(await eventsOf(id, 1)).toEqual(['lre_failed']);
	expect(received[0]).toMatchObject({ type: 'LRE', timestamp: scheduledAt });
	const { json } = await call(sandbox, `/messages/${id}`);
	expect(json).toEqual({ id, status: 'FAILED', evidences: [] });
	expect((await send(sandbox, letter({ type: 'LRE' }), { certificate: true })).status).toBe(405);
});
