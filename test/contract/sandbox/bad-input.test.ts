import { startSandbox, type Sandbox } from '../../../sandbox/src/sandbox.ts';
import { call, form, type Call } from './client.ts';

let sandbox: Sandbox;
const reported: unknown[] = [];
beforeAll(async () => {
	sandbox = await startSandbox({ automatic: false, report: (error) => void reported.push(error) });
});
afterAll(() => sandbox.close());
afterEach(() => expect(reported).toEqual([]));

const json = { 'content-type': 'application/json' };
const multipart = { 'content-type': 'multipart/form-data; boundary=b' };

it.each<[string, Call, number]>([
	['broken JSON', { body: '{"type":', headers: json }, 400],
	['no body', { method: 'POST' }, 415],
	['text', { body: 'hello', headers: { 'content-type': 'text/plain' } }, 415],
	[
		'multipart cut off in a file',
		{
			body: '--b\r\nContent-Disposition: form-data; name="attachments"; filename="a"\r\n\r\nxx',
			headers: multipart,
		},
		400,
	],
	['a file in another field', { body: form(['type', 'LS'], ['body', new File(['x'], 'x')]) }, 422],
	[
		'deep nesting',
		{
			body: `{"type":"LS","body":"x","recipients":[${'['.repeat(5000)}${']'.repeat(5000)}]}`,
			headers: json,
		},
		422,
	],
])('%s is refused, not a fault', async (_title, options, status) => {
	const answer = await call(sandbox, '/messages/bulk_send', { method: 'POST', ...options });
	expect(answer.status).toBe(status);
	expect(answer.json.message).toEqual(expect.any(String));
});

it('a query that is too long is 431 in JSON', async () => {
	const answer = await call(sandbox, `/customers?state=${'x'.repeat(20_000)}`);
	expect([answer.status, answer.json]).toEqual([
		431,
		{ code: 'bad-request', message: expect.any(String) },
	]);
});

it.each<[string, string, string, unknown, number]>([
	['time backwards', 'POST', '/clock/advance', { ms: -1 }, 422],
	['no time', 'POST', '/clock/advance', {}, 422],
	['an unknown trigger', 'POST', '/messages/000000000000/explode', {}, 404],
	['an unknown message', 'POST', '/messages/000000000000/open', {}, 404],
	[
		'webhooks to a file',
		'PUT',
		'/webhooks',
		{ webhooks: [{ url: 'file:///x', secret: 's' }] },
		422,
	],
	['webhooks without a secret', 'PUT', '/webhooks', { webhooks: [{ url: 'http://x/' }] }, 422],
	['KYC of an unknown account', 'PUT', '/accounts/nobody/kyc', { valid: true }, 404],
	['an unknown call', 'POST', '/nothing', {}, 404],
])('the control API refuses %s', async (_title, method, path, body, status) => {
	const answer = await fetch(`${sandbox.pageUrl}/_sandbox${path}`, {
		method,
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	const { message } = (await answer.json()) as { message?: unknown };
	expect([answer.status, typeof message]).toEqual([status, 'string']);
});

it('a page that is not there is a page for a browser, and the body of the interface for a program', async () => {
	const open = async (accept: string) =>
		await fetch(`${sandbox.pageUrl}/nowhere`, { headers: { accept } });
	const page = await open('text/html,application/xhtml+xml,*/*;q=0.8');
	expect([page.status, page.headers.get('content-type')]).toEqual([
		404,
		'text/html; charset=utf-8',
	]);
	expect(await page.text()).toContain('<a href="/">All mails of the sandbox</a>');
	const body = await open('*/*');
	expect([body.status, await body.json()]).toMatchObject([404, { code: 'not-found' }]);
});
