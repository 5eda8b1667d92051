import { webhookUrlProblem } from '../../nodes/RegisteredDeliveryDirectTrigger/assertReady.ts';

it.each([
	'https://n8n.example.com/webhook/x/events',
	'http://localhost:5678/webhook/x/events',
	'http://LOCALHOST./webhook/x/events',
	'http://127.0.0.1:5678/webhook/x/events',
	'http://2130706433/webhook/x/events',
	'http://0.0.0.0:5678/webhook/x/events',
	'http://[::1]:5678/webhook/x/events',
	'http://[::ffff:127.0.0.1]:5678/webhook/x/events',
	'http://n8n:5678/webhook/x/events',
	'http://n8n.internal/webhook/x/events',
	'http://nas.local/webhook/x/events',
	'http://10.1.2.3:5678/webhook/x/events',
	'http://172.31.0.1/webhook/x/events',
	'http://192.168.1.20/webhook/x/events',
	'http://100.64.0.1/webhook/x/events',
	'http://[fd12:3456::1]/webhook/x/events',
])('%s is fine', (webhookUrl) => {
	expect(webhookUrlProblem(webhookUrl)).toBeNull();
});

it.each([
	'http://n8n.example.com/webhook/x/events',
	'http://8.8.8.8/webhook/x/events',
	'http://172.32.0.1/webhook/x/events',
	'http://100.128.0.1/webhook/x/events',
	'http://192.169.0.1/webhook/x/events',
	'http://localhost.example.com/webhook/x/events',
	'http://10.example.com/webhook/x/events',
	'http://internal.example.com/webhook/x/events',
	'http://[2001:db8::1]/webhook/x/events',
])('%s would be unencrypted', (webhookUrl) => {
	expect(webhookUrlProblem(webhookUrl)).toMatchObject({
		message: expect.stringContaining('unencrypted'),
		description: expect.stringMatching(/N8N_WEBHOOK_URL \(WEBHOOK_URL/),
	});
});

it.each(['', '/webhook/x/events', 'ftp://n8n.example.com/', 'https://'])(
	'"%s" is no usable URL',
	(webhookUrl) => {
		expect(webhookUrlProblem(webhookUrl)).toMatchObject({
			message: expect.stringContaining('no usable webhook URL'),
		});
	},
);
