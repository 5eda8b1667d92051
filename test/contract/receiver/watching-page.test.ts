// The operator page on watching: what a person reads there, without a browser.
import { ManualClock, TOKEN, call, cleanUp, start, until } from './harness.ts';
import { pollService } from './watching/service.ts';

const ID = '000000000001';

afterEach(cleanUp);

async function watched() {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	const env = service.env({ WATCH_RATE_LIMIT: '60000' });
	const receiver = await start({ env, dependencies: { clock } });
	const login = await fetch(`${receiver.url}/page/login`, {
		method: 'POST',
		redirect: 'manual',
		headers: { 'content-type': 'application/x-www-form-urlencoded' },
		body: `token=${TOKEN}`,
	});
	const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
	const page = async (path: string) => {
		const answer = await fetch(`${receiver.url}${path}`, { headers: { cookie } });
		return {
			status: answer.status,
			policy: answer.headers.get('content-security-policy'),
			text: readable(await answer.text()),
		};
	};
	return { clock, service, receiver, cookie, page };
}

/** The text without tags. */
function readable(markup: string): string {
	return markup.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

it('shows how many letters are watched, the next poll and the last problem', async () => {
	const { clock, service, receiver, page } = await watched();
	await receiver.manage('POST', '/watches', { messageIds: [ID, '000000000002'] });
	expect((await page('/')).text).toMatch(/Letters watched 2 Next poll in \d+ s/);
	service.trouble = () => ({ status: 403, body: { code: 'forbidden' } });
	await until(async () => {
		clock.advance(10_000);
		return /the service answered 403 forbidden; no poll before/.test((await page('/')).text);
	}, 'the problem is shown');
});

it('shows when the lists were read, and why one was not', async () => {
	const { clock, service, receiver, page } = await watched();
	expect((await page('/')).text).not.toContain('Consents');
	service.listTrouble = (path) => (path.startsWith('/customers') ? { status: 403 } : null);
	const id = '3f1c6c0e-8b7a-4a5e-9a56-0e4b8f2d7c11';
	service.lists.consents = [{ id, state: 'PENDING' }];
	await receiver.pulled();
	await until(async () => {
		clock.advance(50);
		return (await page('/')).text.includes('Customers read: the service answered 403');
	}, 'the customers are refused');
	clock.advance(30_000);
	expect((await page('/')).text).toMatch(/Consents read 30 s ago Customers read not read yet/);
	expect((await page('/')).text).toContain('only resellers have customers');
	service.lists.consents[0].state = 'ACCEPTED';
	await until(async () => {
		clock.advance(10_000);
		return (await page('/')).text.includes('consent.accepted');
	}, 'the answer is there');
	expect((await page('/')).text).toContain(`consent.accepted ${id} seen by watching`);
});

it('shows what came by webhook and what by watching', async () => {
	const { clock, service, receiver, page } = await watched();
	await receiver.emit({ event: 'aes_sent', messageId: ID });
	await receiver.manage('PUT', `/watches/${ID}`, { messageType: 'AES' });
	service.messages.set(ID, { status: 'RECEIVED' });
	await until(async () => {
		clock.advance(10_000);
		return (await page(`/messages/${ID}`)).text.includes('tracked_mail.received');
	}, 'the poll has been stored');
	const before = await page(`/messages/${ID}`);
	expect(before.text).toMatch(/tracked_mail\.sent SENT .* webhook aes_sent/);
	expect(before.text).toMatch(/tracked_mail\.received RECEIVED [-0-9: ]+ watching /);
	expect(before.policy).toContain("default-src 'none'");
	await receiver.emit({ event: 'aes_received', messageId: ID, eventId: 'late-1' });
	expect((await page(`/messages/${ID}`)).text).toContain('its webhook came later');
});

it('shows nothing to strangers', async () => {
	const { receiver, page } = await watched();
	const stranger = await fetch(`${receiver.url}/messages/${ID}`);
	expect(await stranger.text()).toContain('Log in');
	expect((await page('/messages/12')).status).toBe(404);
	const forged = await call(`${receiver.url}/page/watches/${ID}/end`, { method: 'POST' });
	expect(forged.status).toBe(401);
});
