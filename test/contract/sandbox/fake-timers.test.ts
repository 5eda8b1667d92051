// A test that makes time stand still: what it sends is answered and told on, whatever the fake timers of the
// test runner replace.
import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { until } from '../../n8n/poll.ts';
import { serve } from '../../support/http-server.ts';
import { call } from './client.ts';

const sandbox = useSandbox();

afterEach(() => jest.useRealTimers());

it("Jest's fake timers stand still, the sandbox does not", async () => {
	const events: string[] = [];
	const { url, close } = await serve((request, response) => {
		events.push(request.url ?? '');
		response.end();
	});
	try {
		await sandbox.control('PUT /webhooks', { webhooks: [{ url, secret: 'a-secret' }] });
		jest.useFakeTimers({ now: 0 });
		const form = new FormData();
		form.set('type', 'AES');
		form.set('body', '<p>Hello</p>');
		form.set('recipients', JSON.stringify([{ email: 'open@x.example', company: 'X' }]));
		form.set('attachments[0]', new Blob(['text']), 'letter.txt');
		const sent = await call(sandbox, '/messages/bulk_send', { body: form });
		expect(sent.status).toBe(201);
		const { id } = sent.json.messages[0];
		await sandbox.control.advance(3_600_000);
		expect((await call(sandbox, `/messages/${id}`)).json.status).toBe('OPENED');
		jest.useRealTimers();
		await until('its three webhooks', async () => events.length >= 3);
	} finally {
		await close();
	}
});
