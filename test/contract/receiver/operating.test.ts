import { KEY, ManualClock, TOKEN, call, cleanUp, start, until } from './harness.ts';

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
		expect(answer.headers.get('set-cookie')).toMatch(
			/^receiver_session=.*HttpOnly.*SameSite=Strict/,
		);
		expect(cookie).not.toContain(TOKEN);
		expect((await raw(receiver.url, { headers: { cookie } })).text).toContain('Dead deliveries');
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
			statuses.push((await post(`${receiver.url}/page/login`, `token=wrong-${n}`)).status);
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

	it('replays and hands out again by its own forms only', async () => {
		const receiver = await start();
		await receiver.pull();
		await receiver.emit([1, 2].map((messageId) => ({ event: 'aes_sent', messageId })));
		const refuse = async () => {
			const { batches } = await receiver.pulled({ atOnce: 5, name: 'Invoices' });
			const settle = batches.map(({ id }) => ({ batch: id, outcome: 'term' as const }));
			await receiver.pulled({ settle, atOnce: 0, name: 'Invoices' });
			return batches.length;
		};
		expect(await refuse()).toBe(2);
		const { cookie } = await login(receiver.url);
		const { text } = await raw(`${receiver.url}/page/deliveries?state=dead`, {
			headers: { cookie },
		});
		expect(text).toContain('Invoices');
		const form = `form=${encodeURIComponent(formToken(text))}`;
		const [{ id }] = await receiver.deliveries('dead');
		const retry = `${receiver.url}/page/deliveries/${id}/retry`;
		expect((await post(retry, form)).status).toBe(401);
		expect((await post(retry, '', cookie)).status).toBe(403);
		expect((await post(retry, 'form=guess', cookie)).status).toBe(403);
		expect(await receiver.deliveries('dead')).toHaveLength(2);

		expect((await post(retry, form, cookie)).status).toBe(303);
		expect(await refuse()).toBe(1);
		await post(`${receiver.url}/page/deliveries/retry-dead?consumer=${KEY}`, form, cookie);
		expect(await refuse()).toBe(2);
		const [event] = await receiver.events();
		await post(`${receiver.url}/page/events/${event.id}/replay`, form, cookie);
		expect(await refuse()).toBe(1);
		const out = await post(`${receiver.url}/page/logout`, form, cookie);
		expect(out.headers.get('set-cookie')).toMatch(/receiver_session=;/);
	});

	it('says in words what consumers want, since when one is away, and that a second n8n came', async () => {
		const clock = new ManualClock();
		const receiver = await start({ dependencies: { clock } });
		const filter = { messageTypes: ['LRE', 'AES'], fileReference: '<F1>' };
		const wants = { events: ['letter.accepted', 'letter.refused'], filter, batchSize: 10 };
		await receiver.pull({ wants } as object);
		await receiver.pull({ holder: 'a-second-n8n' });
		const page = async (path: string) => {
			const { cookie } = await login(receiver.url);
			const { text } = await raw(`${receiver.url}${path}`, { headers: { cookie } });
			return text.replaceAll(/\s+/g, ' ');
		};
		const held = await page(`/page/workflows/${KEY}`);
		expect(held).toContain(
			'letter.accepted, letter.refused; message type LRE or AES; file reference &lt;F1&gt;; up to 10 at once',
		);
		expect(held).toMatch(
			/>listening<.*second n8n with the same identity was refused at 2026-01-31/,
		);
		await receiver.pull({ leaving: true });
		expect(await page('/')).toContain('away since 2026-01-31 09:30:00');
	});
});

it('tells Prometheus what arrived, what n8n got, and how old the oldest waiting one is', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const other = 'n8n~other';
	await receiver.pull();
	await receiver.pull({ wants: { events: ['tracked_mail.sent'] } }, { key: other });
	await receiver.emit([
		{ id: 'e1', event: 'aes_sent' },
		{ id: 'e2', event: 'aes_opened' },
	]);
	await receiver.emit({ id: 'e1', event: 'aes_sent' });
	await call(`${receiver.url}/events`, { method: 'POST', body: '{}' });
	const { batches } = await receiver.pulled({ atOnce: 2 });
	const outcomes = ['ack', 'term'] as const;
	const settle = batches.map(({ id }, n) => ({ batch: id, outcome: outcomes[n] }));
	await receiver.pulled({ settle });
	await receiver.pull({ leaving: true }, { key: other });
	void receiver.pulled({ holdMs: 25_000 }).catch(() => undefined);
	clock.advance(4_000);
	const metrics = async () => (await raw(`${receiver.url}/metrics`)).text;
	await until(async () => (await metrics()).includes('receiver_pulls_held 1\n'), 'one is held');
	const { text, headers } = await raw(`${receiver.url}/metrics`);
	expect(headers.get('content-type')).toContain('text/plain');
	for (const line of [
		'receiver_events_total{outcome="accepted"} 2',
		'receiver_events_total{outcome="duplicate"} 1',
		'receiver_events_total{outcome="refused"} 1',
		'receiver_batches_total{outcome="handed-out"} 2',
		'receiver_batches_total{outcome="ack"} 1',
		'receiver_batches_total{outcome="dead"} 1',
		`receiver_consumer_behind{consumer="${other}"} 2`,
		`receiver_consumer_in_hand{consumer="${KEY}"} 0`,
		`receiver_consumer_dead{consumer="${KEY}"} 1`,
		`receiver_consumer_held{consumer="${KEY}"} 1`,
		`receiver_consumer_held{consumer="${other}"} 0`,
		'receiver_oldest_waiting_seconds 4',
	]) {
		expect(text).toContain(`${line}\n`);
	}
	expect(text).toMatch(/^receiver_store_used_bytes [1-9]\d+$/m);
	expect(text).toMatch(/^receiver_store_free_bytes [1-9]\d+$/m);
});

it('while it is about to stop it is not ready, and still takes events', async () => {
	const receiver = await start({ env: { STOP_DELAY: '500ms' } });
	const closed = receiver.close();
	const ready = await raw(`${receiver.url}/readyz`);
	expect(ready).toMatchObject({ status: 503 });
	expect((await receiver.emit({ event: 'aes_sent' })).status).toBe(200);
	await closed;
	await expect(raw(`${receiver.url}/healthz`)).rejects.toThrow();
	const again = await start({ folder: receiver.folder });
	expect(await again.events()).toHaveLength(1);
});

it.each(['/messages/%00', '/waits/a%00b', '/events?before=%00', '/%00'])(
	'answers %s with 400 rather than asking a database that has no such character',
	async (path) => {
		const receiver = await start();
		const { status } = await raw(`${receiver.url}${path}`);
		expect(status).toBe(400);
	},
);
