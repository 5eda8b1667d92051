// Where n8n may be reached for a workflow of the direct trigger to go live.
import { open, register, useDirectTrigger } from './direct-trigger.ts';

useDirectTrigger();

const goesLive = async (webhookUrl: string) => {
	open({}, { webhookUrl });
	return await register();
};

it.each([
	'https://n8n.example.com/webhook',
	'http://localhost:5678/webhook',
	'http://LOCALHOST./webhook',
	'http://127.0.0.1:5678/webhook',
	'http://2130706433/webhook',
	'http://0.0.0.0:5678/webhook',
	'http://[::1]:5678/webhook',
	'http://[::ffff:127.0.0.1]:5678/webhook',
	'http://n8n:5678/webhook',
	'http://n8n.internal/webhook',
	'http://nas.local/webhook',
	'http://10.1.2.3:5678/webhook',
	'http://172.31.0.1/webhook',
	'http://192.168.1.20/webhook',
	'http://100.64.0.1/webhook',
	'http://[fd12:3456::1]/webhook',
])('%s is fine', async (webhookUrl) => {
	await expect(goesLive(webhookUrl)).resolves.toBeDefined();
});

it.each([
	'http://n8n.example.com/webhook',
	'http://8.8.8.8/webhook',
	'http://172.32.0.1/webhook',
	'http://100.128.0.1/webhook',
	'http://192.169.0.1/webhook',
	'http://localhost.example.com/webhook',
	'http://10.example.com/webhook',
	'http://internal.example.com/webhook',
	'http://[2001:db8::1]/webhook',
])('%s would be unencrypted', async (webhookUrl) => {
	await expect(goesLive(webhookUrl)).rejects.toMatchObject({
		message: expect.stringContaining('unencrypted'),
		description: expect.stringMatching(/N8N_WEBHOOK_URL \(WEBHOOK_URL/),
	});
});

it.each(['', '/webhook', 'ftp://n8n.example.com/'])('"%s" is no usable URL', async (webhookUrl) => {
	await expect(goesLive(webhookUrl)).rejects.toMatchObject({
		message: expect.stringContaining('no usable webhook URL'),
	});
});
