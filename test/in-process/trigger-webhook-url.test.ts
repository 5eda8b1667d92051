import { webhookUrlProblem } from '../../nodes/shared/webhookUrl.ts';

const elsewhere = 'https://receiver.example';
const here = 'http://localhost:8080';

it.each([
	['https://n8n.example.com/webhook/x/events', elsewhere],
	['https://n8n.example.com/webhook/x/events', here],
	['http://localhost:5678/webhook/x/events', here],
	['http://localhost:5678/webhook/x/events', 'http://127.0.0.1:8080/'],
	['http://localhost:5678/webhook/x/events', ' http://[::1]:8080 '],
	['http://127.0.0.1:5678/webhook/x/events', 'http://app.localhost'],
	['http://n8n:5678/webhook/x/events', 'http://receiver:8080'],
	['http://n8n.internal/webhook/x/events', elsewhere],
	['http://nas.local/webhook/x/events', elsewhere],
	['http://10.1.2.3:5678/webhook/x/events', elsewhere],
	['http://172.31.0.1/webhook/x/events', elsewhere],
	['http://192.168.1.20/webhook/x/events', elsewhere],
	['http://100.64.0.1/webhook/x/events', elsewhere],
	['http://[fd12:3456::1]/webhook/x/events', elsewhere],
	['http://localhost:5678/webhook/x/events', null],
])('%s is fine for a receiver at %s', (webhookUrl, receiverUrl) => {
	expect(webhookUrlProblem(webhookUrl, receiverUrl)).toBeNull();
});

it.each([
	['http://localhost:5678/webhook/x/events', elsewhere],
	['https://localhost/webhook/x/events', elsewhere],
	['http://127.0.0.1:5678/webhook/x/events', 'http://receiver:8080'],
	['http://2130706433/webhook/x/events', 'http://10.0.0.7'],
	['http://0.0.0.0:5678/webhook/x/events', elsewhere],
	['http://[::1]:5678/webhook/x/events', elsewhere],
	['http://[::ffff:127.0.0.1]:5678/webhook/x/events', elsewhere],
	['http://LOCALHOST./webhook/x/events', elsewhere],
])('%s is out of reach for a receiver at %s', (webhookUrl, receiverUrl) => {
	expect(webhookUrlProblem(webhookUrl, receiverUrl)).toMatchObject({
		message: expect.stringContaining('cannot reach n8n'),
		description: expect.stringMatching(/N8N_WEBHOOK_URL \(WEBHOOK_URL/),
	});
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
	for (const receiverUrl of [here, elsewhere, null]) {
		expect(webhookUrlProblem(webhookUrl, receiverUrl)).toMatchObject({
			message: expect.stringContaining('unencrypted'),
			description: expect.stringMatching(/N8N_WEBHOOK_URL \(WEBHOOK_URL/),
		});
	}
});

it.each(['', '/webhook/x/events', 'ftp://n8n.example.com/', 'https://'])(
	'"%s" is no usable URL',
	(webhookUrl) => {
		expect(webhookUrlProblem(webhookUrl, elsewhere)).toMatchObject({
			message: expect.stringContaining('no usable webhook URL'),
		});
	},
);
