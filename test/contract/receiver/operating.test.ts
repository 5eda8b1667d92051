import { ManualClock, TOKEN, call, cleanUp, start, target, until } from './harness.ts';

afterEach(cleanUp);

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const raw = async (url: string, init: RequestInit = {}) => {
	const response = await fetch(url, { redirect: 'manual', ...init });
	return { status: response.status, headers: response.headers, text: await response.text() };
};
const post = (url: string, body: string, cookie = '') =>
	raw(url, { method: 'POST', headers: { ...FORM, cookie }, body });

async function login(url: string) {
	const answer = await post(`${url}/page/login`, `token=${TOKEN}`);
	const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
	return { answer, cookie };
}
const formToken = (page: string) => /name="form" value="([^"]+)"/.exec(page)?.[1] ?? '';

describe('operator page', () => {
	it('shows nothing before the login, and no page lets a script run', async () => {
		const receiver = await start();
		await receiver.emit({ event: 'aes_sent', messageId: 77 });
		const { status, text, headers } = await raw(receiver.url);
		expect(status).toBe(200);
		expect(text).toContain('Log in');
		expect(text).not.toContain('000000000077');
		const policy = headers.get('content-security-policy') ?? '';
		expect(policy).toContain("default-src 'none'");
		expect(policy).not.toMatch(/script-src|unsafe/);
		expect(text).not.toMatch(/<script|<style| style=| on[a-z]+=/);
		expect((await raw(`${receiver.url}/page/style.css`)).status).toBe(200);
	});

	it('a wrong token is refused, the right one opens a session of its own', async () => {
		const receiver = await start();
		expect((await post(`${receiver.url}/page/login`, 'token=wrong')).status).toBe(401);
		const { answer, cookie } = await login(receiver.url);
		expect(answer.status).toBe(303);
		expect(answer.headers.get('set-cookie')).toMatch(/HttpOnly.*SameSite=Strict/);
		expect(cookie).not.toContain(TOKEN);
		expect((await raw(receiver.url, { headers: { cookie } })).text).toContain('Dead letters');
		for (const forged of [`${cookie}x`, cookie.replace(/=\d/, '=9')]) {
			expect((await raw(receiver.url, { headers: { cookie: forged } })).text).toContain('Log in');
		}
	});

	it('a session ends by itself', async () => {
		const clock = new ManualClock();
		const receiver = await start({ dependencies: { clock } });
		const { cookie } = await login(receiver.url);
		clock.advance(12 * 3_600_000);
		expect((await raw(receiver.url, { headers: { cookie } })).text).toContain('Log in');
	});

	it('guessing is slowed down', async () => {
		const receiver = await start();
		const statuses = [];
		for (let n = 0; n < 11; n++) {
			statuses.push((await post(`${receiver.url}/page/login`, 'token=wrong')).status);
		}
		expect(statuses.at(-1)).toBe(429);
	});

	it('escapes what events bring along', async () => {
		const receiver = await start();
		await receiver.emit({ event: '<img src=x onerror=alert(1)>"\'&' });
		const { cookie } = await login(receiver.url);
		const { text } = await raw(receiver.url, { headers: { cookie } });
		expect(text).not.toContain('<img');
		expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;');
	});

	it('replays and retries by its own forms only', async () => {
		const receiver = await start({ env: { RETRY_DELAYS: '1ms' } });
		let status = 400;
		const there = await target(() => status);
		await receiver.subscribe('flow', `${there.url}?token=query-secret`);
		await receiver.emit([1, 2].map((messageId) => ({ event: 'aes_sent', messageId })));
		await until(async () => (await receiver.deliveries('dead')).length === 2, 'both are dead');
		const { cookie } = await login(receiver.url);
		const { text } = await raw(`${receiver.url}/?state=dead`, { headers: { cookie } });
		expect(text).not.toContain('query-secret');
		const form = `form=${encodeURIComponent(formToken(text))}`;
		const [{ id }] = await receiver.deliveries('dead');
		const retry = `${receiver.url}/page/deliveries/${id as number}/retry`;
		expect((await post(retry, form)).status).toBe(401);
		expect((await post(retry, '', cookie)).status).toBe(403);
		expect((await post(retry, 'form=guess', cookie)).status).toBe(403);
		expect(await receiver.deliveries('dead')).toHaveLength(2);

		status = 200;
		expect((await post(retry, form, cookie)).status).toBe(303);
		const delivered = async (count: number) =>
			until(async () => (await receiver.deliveries('delivered')).length === count, `${count}`);
		await delivered(1);
		await post(`${receiver.url}/page/deliveries/retry-dead?subscription=flow`, form, cookie);
		await delivered(2);
		const [event] = (await receiver.manage('GET', '/events')).body.data as Array<{ id: string }>;
		await post(`${receiver.url}/page/events/${event.id}/replay`, form, cookie);
		await delivered(3);
		const out = await post(`${receiver.url}/page/logout`, form, cookie);
		expect(out.headers.get('set-cookie')).toMatch(/receiver_session=;/);
	});
});

it('tells Prometheus what arrived, what was delivered, and how old the oldest waiting one is', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const [fine, down] = [await target(), await target(() => 500)];
	await receiver.subscribe('fine', fine.url);
	await receiver.subscribe('down', down.url, { events: ['tracked_mail.sent'] });
	await receiver.emit([
		{ id: 'e1', event: 'aes_sent' },
		{ id: 'e2', event: 'aes_opened' },
	]);
	await receiver.emit({ id: 'e1', event: 'aes_sent' });
	await call(`${receiver.url}/events`, { method: 'POST', body: '{}' });
	await until(() => down.received.length === 1 && fine.received.length === 2, 'all were tried');
	await until(async () => (await receiver.deliveries('delivered')).length === 2, 'two delivered');
	clock.advance(4_000);
	const { text, headers } = await raw(`${receiver.url}/metrics`);
	expect(headers.get('content-type')).toContain('text/plain');
	for (const line of [
		'receiver_events_total{outcome="accepted"} 2',
		'receiver_events_total{outcome="duplicate"} 1',
		'receiver_events_total{outcome="refused"} 1',
		'receiver_delivery_attempts_total{outcome="delivered"} 2',
		'receiver_delivery_attempts_total{outcome="retried"} 1',
		'receiver_deliveries{subscription="down",state="pending"} 1',
		'receiver_oldest_undelivered_seconds 4',
	]) {
		expect(text).toContain(`${line}\n`);
	}
});

it('is not ready while events wait longer than the operator allows', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock }, env: { READY_BACKLOG: '1m' } });
	const down = await target(() => 500);
	await receiver.subscribe('down', down.url);
	await receiver.emit({ event: 'aes_sent' });
	await until(async () => (await receiver.deliveries())[0].attempts === 1, 'it was tried');
	expect((await raw(`${receiver.url}/readyz`)).status).toBe(200);
	clock.advance(61_000);
	expect((await raw(`${receiver.url}/readyz`)).status).toBe(503);
	expect((await raw(`${receiver.url}/healthz`)).status).toBe(200);
});
