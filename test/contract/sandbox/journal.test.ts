import { createHash } from 'node:crypto';
import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import { accountOf, call, control, form, letter, requestsOf, send, sendOne } from './client.ts';
import { ownSandbox } from './own.ts';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await ownSandbox();
});

const get = (path: string) => control(sandbox, path, { method: 'GET' });

it('has what clients sent and were answered, and no secret', async () => {
	const { token } = accountOf(sandbox, 'direct');
	const [id] = [
		await sendOne(sandbox, { type: 'LRE', body: `<p>${token}</p>` }, { certificate: true }),
	];
	await call(sandbox, `/messages/${id}?token=mine`);
	await call(sandbox, '/messages/1', { as: null, headers: { 'x-api-token': 'not-known' } });
	const requests = await requestsOf(sandbox);
	expect(requests).toMatchObject([
		{ id: 3, path: '/messages/1', token: 'wrong', account: null, status: 401, messageIds: [] },
		{ id: 2, url: `/messages/${id}?token=***`, body: null, messageIds: [id] },
		{
			id: 1,
			at: expect.stringMatching(/Z$/),
			method: 'POST',
			path: '/messages/bulk_send',
			account: 'direct',
			token: 'valid',
			clientCertificate: true,
			status: 201,
			answered: true,
			fault: null,
			messageIds: [id],
			headers: { 'content-type': 'application/json', 'x-api-token': '***' },
			body: { text: expect.stringContaining('<p>***</p>'), truncated: false, files: [] },
			answer: {
				headers: { 'content-type': expect.stringContaining('application/json') },
				body: { text: expect.stringContaining(`"messages":[{"id":"${id}"}]`) },
			},
		},
	]);
	const evidence = JSON.parse(requests[1].answer.body.text).evidences[0];
	expect(evidence.url).toMatch(/&signature=\*\*\*$/);
	const text = JSON.stringify(requests);
	for (const secret of [token, 'not-known', 'PRIVATE KEY', 'BEGIN'])
		expect(text).not.toContain(secret);
});

it('has files by name, type, size and hash, both ways', async () => {
	const bytes = Buffer.alloc(300_000, 'pdf');
	const file = new File([bytes], 'Contract é.pdf', { type: 'application/pdf' });
	const fields = form(
		['type', 'AES'],
		['body', '<p>Good morning</p>'],
		['recipients', JSON.stringify(letter().recipients)],
		['attachments[0]', file],
	);
	const id = (await send(sandbox, fields)).json.messages[0].id;
	await control(sandbox, `/messages/${id}/deliver`);
	const [mail] = (await get(`/mails?messageId=${id}`)).json.mails;
	await call(sandbox, mail.links[0].path, { as: null });
	const [download, sent] = await requestsOf(sandbox);
	const sha256 = createHash('sha256').update(bytes).digest('hex');
	expect(sent).toMatchObject({
		messageIds: [id],
		body: {
			text: null,
			fields: [
				{ name: 'type', value: 'AES' },
				{ name: 'body' },
				{ name: 'recipients', value: expect.stringContaining('ada@mail.example') },
			],
			files: [
				{
					field: 'attachments[0]',
					name: 'Contract é.pdf',
					contentType: 'application/pdf',
					size: 300_000,
					sha256,
				},
			],
		},
	});
	expect(sent.body.size).toBeGreaterThan(300_000);
	expect(download).toMatchObject({
		url: expect.stringMatching(/signature=\*\*\*$/),
		answer: {
			body: { text: null, size: 300_000, files: [{ field: null, size: 300_000, sha256 }] },
		},
	});
});

it('has requests that nobody could read: unknown, broken, of another type, or refused unread', async () => {
	const post = (body: string, type: string) =>
		send(sandbox, body, { headers: { 'content-type': type } });
	await post('{"half', 'application/json');
	await post('type=LS', 'text/csv');
	await post('--x', 'multipart/form-data; boundary=x');
	await call(sandbox, '/nowhere');
	expect(await requestsOf(sandbox)).toMatchObject([
		{ path: '/nowhere', status: 404, body: null },
		{ status: 400, body: { text: null, fields: [], files: [], size: 3 } },
		{ status: 415, body: { text: 'type=LS' } },
		{ status: 400, body: { text: '{"half' } },
	]);
});

it('has what a fault did to an answer', async () => {
	const faults = ['cutAfter', 'cutAnswer', 'cutBefore'].map((kind) => ({ fault: { kind } }));
	const gate = {
		fault: { kind: 'answer', body: '<h1>Sign in</h1>', contentType: 'text/html', status: 200 },
	};
	await control(sandbox, '/faults', { body: { faults: [...faults, gate] } });
	for (let time = 0; time < 4; time++) await call(sandbox, '/consents').catch(() => undefined);
	const whole = (await call(sandbox, '/consents')).bytes.toString();
	const [right, page, before, half, after] = await requestsOf(sandbox);
	expect(right.answer.body.text).toBe(whole);
	expect(page).toMatchObject({
		fault: 'answer',
		answered: true,
		answer: { body: { text: '<h1>Sign in</h1>' } },
	});
	expect(before).toMatchObject({
		fault: 'cutBefore',
		status: null,
		answered: false,
		answer: { body: null },
	});
	expect(half).toMatchObject({ fault: 'cutAnswer', answered: false });
	expect(whole).toContain(half.answer.body.text);
	expect(half.answer.body.text.length).toBeLessThan(whole.length);
	expect(after).toMatchObject({
		fault: 'cutAfter',
		status: 200,
		answered: false,
		answer: { body: null },
	});
});

it('pages, counts, finds one, and forgets', async () => {
	for (let time = 0; time < 5; time++) await call(sandbox, `/messages/00000000000${time}`);
	await call(sandbox, '/consents');
	const first = (await get('/requests?path=/messages/{id}&status=4xx&limit=2')).json;
	expect(first).toMatchObject({ total: 5, next: '4', requests: [{ id: 5 }, { id: 4 }] });
	const rest = (await get(`/requests?path=/messages/*&before=${first.next}`)).json;
	expect(rest).toMatchObject({ total: 5, next: null, requests: [{ id: 3 }, { id: 2 }, { id: 1 }] });
	expect((await get('/requests?limit=0&method=get')).json).toEqual({
		requests: [],
		total: 6,
		next: null,
	});
	expect((await get('/requests/6')).json).toMatchObject({ id: 6, path: '/consents' });
	expect((await get('/requests/7')).status).toBe(404);
	expect((await get('/requests/x')).status).toBe(404);
	await control(sandbox, '/requests', { method: 'DELETE' });
	expect((await get('/requests')).json.total).toBe(0);
	await call(sandbox, '/consents');
	expect((await get('/requests')).json.requests).toMatchObject([{ id: 7 }]);
});

it.each([
	'status=abc',
	'limit=-1',
	'limit=1001',
	'wait=61',
	'since=yesterday',
	'pth=/x',
	'count=0',
	'text=a&text=b',
])('names what is wrong with ?%s', async (query) => {
	for (const list of ['requests', 'webhook-attempts'])
		expect((await get(`/${list}?${query}`)).status).toBe(422);
});

it('waits until enough requests match, and no longer than it is told', async () => {
	const waiting = get('/requests?path=/consents&count=2&wait=30');
	await call(sandbox, '/consents');
	await call(sandbox, '/messages/000000000001');
	const both = call(sandbox, '/consents');
	expect((await waiting).json.total).toBe(2);
	await both;
	expect((await get('/requests?path=/consents&count=3&wait=0.05')).json.total).toBe(2);
});

it('knows mails by recipient, as soon as they arrive', async () => {
	const waiting = get('/mails?to=ADA@mail.example&wait=30');
	const other = {
		recipients: [{ email: 'bob@mail.example', firstname: 'Bob', lastname: 'Stone' }],
	};
	for (const changes of [other, {}]) {
		const id = await sendOne(sandbox, { type: 'AES', ...changes });
		await control(sandbox, `/messages/${id}/deliver`);
	}
	const { mails } = (await waiting).json;
	expect(mails).toMatchObject([{ to: 'ada@mail.example', html: '<p>Good morning</p>' }]);
	expect((await get(`/mails/${mails[0].id}`)).json).toEqual(mails[0]);
	expect((await get('/mails/mail_none')).status).toBe(404);
	expect((await get('/mails?text=GOOD')).json.total).toBe(2);
	const newest = (await get('/mails?limit=1')).json;
	expect(newest).toMatchObject({ total: 2, mails: [{ id: mails[0].id }], next: mails[0].id });
	expect((await get(`/mails?before=${newest.next}`)).json).toMatchObject({
		mails: [{ to: 'bob@mail.example' }],
		next: null,
	});
});

it('finds messages and requests by any spelling of an address, and a name in either form', async () => {
	const zoe = { email: 'zoë@bücher.example', firstname: 'Zoë', lastname: 'Stone' };
	const id = await sendOne(sandbox, { recipients: [zoe] });
	await sendOne(sandbox, {});
	const other = encodeURIComponent('ZOE\u0308@xn--bcher-kva.example');
	expect((await get(`/messages?to=${other}`)).json).toMatchObject({ messages: [{ id }], total: 1 });
	expect((await get(`/requests?recipient=${other}`)).json.total).toBe(1);
	expect((await get(`/messages?text=${encodeURIComponent('zoe\u0308')}`)).json.total).toBe(1);
});

it('tells the story of one message, and waits for messages', async () => {
	const waiting = get('/messages?status=OPENED&wait=30');
	const id = await sendOne(sandbox, { type: 'AES', fileReference: 'F-1' });
	await sendOne(sandbox, { type: 'AES' });
	await call(sandbox, `/messages/${id}`);
	for (const trigger of ['deliver', 'open']) await control(sandbox, `/messages/${id}/${trigger}`);
	expect((await waiting).json.messages).toMatchObject([{ id, status: 'OPENED' }]);
	expect((await get(`/messages/${id}`)).json).toMatchObject({
		id,
		fileReference: 'F-1',
		history: [{ what: 'send' }, { what: 'deliver' }, { what: 'open' }],
		mails: [{ messageId: id }],
		webhookAttempts: [],
		requests: [
			{ method: 'POST', status: 201 },
			{ method: 'GET', path: `/messages/${id}` },
		],
	});
	expect((await get('/messages?text=f-1')).json.total).toBe(1);
	expect((await get('/messages/000000000000')).status).toBe(404);
});
