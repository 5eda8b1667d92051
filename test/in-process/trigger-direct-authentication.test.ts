// Who gets in in direct mode, and what keeps a workflow from going live.
import { createHmac } from 'node:crypto';

import {
	event,
	HMAC,
	messageId,
	n8n,
	open,
	secret,
	send,
	signed,
	useDirectTrigger,
} from './trigger-direct-harness.ts';

useDirectTrigger();

describe('[EVNT-04][T] authentication', () => {
	const body = () => JSON.stringify(event('aes_opened'));

	it.each([
		['has no signature', () => ({})],
		['is 301 s old', () => signed(body(), { at: Date.now() - 301_500 })],
	])('a request that %s gets a real 401', async (_, headers) => {
		const answer = await n8n.post(body(), headers() as Record<string, string>);
		expect(answer.status).toBe(401);
		expect(n8n.started).toEqual([]);
	});

	const whsec = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
	const standard = (text: string) => {
		const timestamp = String(Math.floor(Date.now() / 1000));
		const digest = createHmac('sha256', Buffer.alloc(32, 7)).update(`msg.${timestamp}.${text}`);
		return {
			'webhook-id': 'msg',
			'webhook-timestamp': timestamp,
			'webhook-signature': `v1,${digest.digest('base64')}`,
		};
	};
	const base64 = (text: string) => createHmac('sha256', secret).update(text).digest('base64');
	const basic = (user: string) => ({
		authorization: `Basic ${Buffer.from(user).toString('base64')}`,
	});
	const schemes: Array<[string, object, (text: string) => object, object]> = [
		[
			'shared secret',
			{ scheme: 'sharedSecret', secrets: secret, otherSecret: '', headerName: 'X-My-Secret' },
			() => ({ 'x-my-secret': secret }),
			{ 'x-my-secret': `${secret}x` },
		],
		[
			'Basic',
			{ scheme: 'basic', secrets: 'one:password-1', otherSecret: 'two:password-2' },
			() => basic('two:password-2'),
			basic('two:password-1'),
		],
		[
			'Standard Webhooks',
			{ scheme: 'standardWebhooks', secrets: whsec },
			standard,
			{ ...standard('other'), 'webhook-id': 'other' },
		],
		[
			'HMAC of its own kind',
			{ ...HMAC, signatureHeader: 'x-hub-signature-256', template: '{body}' },
			(text) => ({ 'x-hub-signature-256': base64(text) }),
			{ 'x-hub-signature-256': base64('other') },
		],
	];
	it.each(schemes)('%s lets in who knows the secret and nobody else', async (_, ...scheme) => {
		const [credential, right, wrong] = scheme;
		open({}, { credential });
		expect((await n8n.post(body(), wrong as Record<string, string>)).status).toBe(401);
		expect((await n8n.post(body(), {})).status).toBe(401);
		expect(n8n.started).toEqual([]);
		expect((await n8n.post(body(), right(body()) as Record<string, string>)).status).toBe(200);
		expect(n8n.started).toHaveLength(1);
	});

	it('a header that is not signed makes no other event of a signed body', async () => {
		const text = JSON.stringify({ messageId: messageId(), timestamp: 1769851800 });
		const headers: Array<Record<string, string>> = [
			{},
			{ 'x-event': 'lre_failed' },
			{ 'webhook-id': 'w2' },
		];
		for (const more of headers) {
			await n8n.post(text, { ...signed(text), ...more });
		}
		expect(n8n.started).toMatchObject([[{ type: 'unknown', sourceType: null }]]);
	});

	it.each([
		['no secret', { secrets: ' ', otherSecret: '' }],
		['half of one with a comma', { secrets: `kq7x9f2m,${secret}`, otherSecret: '' }],
		['no scheme', { scheme: undefined }],
		['a scheme nobody knows', { scheme: 'toString' }],
		['a template without a body', { template: '{timestamp}' }],
	])('a credential with %s lets nobody in', async (_, change) => {
		open({}, { credential: { ...HMAC, ...change } });
		const key = '';
		expect((await n8n.post(body(), signed(body(), { key }))).status).toBe(401);
		expect((await send(body())).status).toBe(401);
		expect(n8n.started).toEqual([]);
	});
});

describe('going live', () => {
	it('is refused with a URL that is unencrypted and public', async () => {
		open({}, { webhookUrl: 'http://n8n.example/webhook' });
		await expect(n8n.hooks.checkExists.call(n8n.contexts.registering())).rejects.toMatchObject({
			message: expect.stringContaining('unencrypted'),
			description: expect.stringContaining('N8N_WEBHOOK_URL'),
		});
	});
});
