// What the sandbox shows of what clients did and were told: all of it, and no secret.
import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { serve } from '../../support/http-server.ts';
import { accountOf, call, form, letter, send, sendOne } from './client.ts';

const sandbox = useSandbox({ automatic: false });

it('has what clients sent and were answered, and no secret', async () => {
	const { token } = accountOf(sandbox, 'direct');
	const body = `<p>${token} -----BEGIN PRIVATE KEY-----\nMII=\n-----END PRIVATE KEY-----</p>`;
	const id = await sendOne(sandbox, { type: 'LRE', body }, { certificate: true });
	await call(sandbox, `/messages/${id}?token=mine`);
	await call(sandbox, '/messages/1', { as: null, headers: { 'x-api-token': 'not-known' } });
	await send(sandbox, 'password=half&to=c', { headers: { 'content-type': 'text/csv' } });
	const { requests } = await sandbox.control('GET /requests');
	expect(requests).toMatchObject([
		{ status: 415, body: { text: 'password=***&to=c' } },
		{ path: '/messages/1', token: 'wrong', account: null, status: 401 },
		{ url: `/messages/${id}?token=***`, body: null },
		{
			method: 'POST',
			path: '/messages/bulk_send',
			account: 'direct',
			token: 'valid',
			clientCertificate: true,
			status: 201,
			answered: true,
			fault: null,
			headers: { 'content-type': 'application/json', 'x-api-token': '***' },
			body: { text: expect.stringContaining('<p>***'), truncated: false, files: [] },
			answer: { body: { text: expect.stringContaining(`"messages":[{"id":"${id}"}]`) } },
		},
	]);
	expect(requests[2].answer.body?.text).toContain('&signature=***"');
	const text = JSON.stringify(requests);
	for (const secret of [token, 'not-known', 'mine', 'half', 'MII'])
		expect(text).not.toContain(secret);
});

it('has files by name, type, size and hash', async () => {
	const file = new File([Buffer.alloc(300_000, 'pdf')], 'Contract é.pdf', {
		type: 'application/pdf',
	});
	const { recipients } = letter();
	await send(
		sandbox,
		form(
			['type', 'AES'],
			['body', '<p>Hi</p>'],
			['recipients', JSON.stringify(recipients)],
			['attachments[0]', file],
		),
	);
	const { requests } = await sandbox.control('GET /requests', { text: 'type=AES' });
	expect(requests).toMatchObject([
		{
			body: {
				text: null,
				fields: [{ name: 'type', value: 'AES' }, { name: 'body' }, { name: 'recipients' }],
				files: [
					{
						field: 'attachments[0]',
						name: 'Contract é.pdf',
						contentType: 'application/pdf',
						size: 300_000,
						sha256: expect.stringMatching(/^[\da-f]{64}$/),
					},
				],
			},
		},
	]);
});

it('waits until enough requests match, pages them, and forgets', async () => {
	const consents = { path: '/consents', count: 2 };
	const waiting = sandbox.control('GET /requests', { ...consents, wait: 30 });
	await call(sandbox, '/consents');
	await call(sandbox, '/messages/000000000001');
	const both = call(sandbox, '/consents');
	expect((await waiting).total).toBe(2);
	await both;
	expect(
		(await sandbox.control('GET /requests', { ...consents, count: 3, wait: 0.05 })).total,
	).toBe(2);
	const first = await sandbox.control('GET /requests', { path: '/consents', limit: 1 });
	expect(first).toMatchObject({ total: 2, requests: [{ path: '/consents' }] });
	const rest = await sandbox.control('GET /requests', { path: '/consents', before: first.next! });
	expect(rest).toMatchObject({ requests: [{ path: '/consents' }], next: null });
	expect(rest.requests[0].id).toBeLessThan(first.requests[0].id);
	const missing = { path: '/messages/{id}', status: '2xx' };
	expect((await sandbox.control('GET /requests', missing)).total).toBe(0);
	await expect(sandbox.control('GET /requests', { limit: 1001 })).rejects.toMatchObject({
		status: 422,
	});
	await sandbox.control('DELETE /requests');
	expect((await sandbox.control('GET /requests')).total).toBe(0);
});

it('has payload and answer of each webhook, and no secret', async () => {
	const secret = 'shared-secret-of-both';
	const target = await serve(async (request, response) => {
		await request.toArray();
		response.end(`you sent ${request.headers['x-webhook-secret']}`);
	});
	await sandbox.control('PUT /webhooks', {
		webhooks: [{ url: target.url, secret, signing: 'shared-secret' }],
	});
	const messageId = await sendOne(sandbox, { type: 'AES' });
	const { webhookAttempts } = await sandbox.control('GET /webhook-attempts', {
		messageId,
		wait: 20,
	});
	expect(webhookAttempts).toMatchObject([
		{
			events: [{ event: 'aes_sent', messageId }],
			attempt: 1,
			status: 200,
			headers: { 'x-webhook-secret': '***' },
			answer: { body: { text: 'you sent ***' } },
		},
	]);
	await target.close();
	const state = await sandbox.control('GET /state');
	expect(JSON.stringify([webhookAttempts, state])).not.toContain(secret);
	const again = await sandbox.control('POST /webhook-attempts/{id}/resend', {
		id: webhookAttempts[0].id,
	});
	expect(again).toMatchObject({ resendOf: webhookAttempts[0].id, status: null, answer: null });
});
