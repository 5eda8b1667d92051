// Sessions of the operator page: whoever logs out is out, at every receiver and for good.
import { TOKEN, cleanUp, start, temporaryFolder } from './harness.ts';
import { HTTP_STORES, freshDatabase } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const OLD = 'old-management-token';
const NEW = 'new-management-token';

interface Page {
	status: number;
	text: string;
	cookies: string[];
}

const visit = async (url: string, init: RequestInit = {}): Promise<Page> => {
	const answer = await fetch(url, { redirect: 'manual', ...init });
	const cookies = answer.headers.getSetCookie();
	return { status: answer.status, text: await answer.text(), cookies };
};
const submit = (url: string, body: string, headers: Record<string, string> = {}) =>
	visit(url, {
		...{ method: 'POST', body },
		headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
	});
const login = async (url: string, token = TOKEN) => {
	const { cookies } = await submit(`${url}/page/login`, `token=${token}`);
	return (cookies[0] ?? '').split(';')[0] ?? '';
};
const formOf = async (url: string, cookie: string) => {
	const { text } = await visit(url, { headers: { cookie } });
	return `form=${encodeURIComponent(/name="form" value="([^"]+)"/.exec(text)?.[1] ?? '')}`;
};
const isIn = async (url: string, cookie: string) => {
	const { text } = await visit(url, { headers: { cookie } });
	return !text.includes('Log in');
};

describe.each(HTTP_STORES)('on $name', (kind) => {
	it('a cookie is worth nothing after the logout, not even after a restart; other sessions go on', async () => {
		const env = await kind.environment();
		const folder = temporaryFolder();
		const receiver = await start({ folder, env });
		const [cookie, other] = [await login(receiver.url), await login(receiver.url)];
		const form = await formOf(receiver.url, cookie);
		expect(await isIn(receiver.url, cookie)).toBe(true);
		const out = await submit(`${receiver.url}/page/logout`, form, { cookie });
		expect(out.status).toBe(303);
		const retry = `${receiver.url}/page/deliveries/retry-dead`;
		expect((await submit(retry, form, { cookie })).status).toBe(401);
		expect(await isIn(receiver.url, cookie)).toBe(false);
		expect(await isIn(receiver.url, other)).toBe(true);
		for (const longer of [`${cookie}.x`, `${cookie}.`, `${other}.x`]) {
			expect(await isIn(receiver.url, longer)).toBe(false);
			expect((await submit(retry, form, { cookie: longer })).status).toBe(401);
		}
		await receiver.close();
		const again = await start({ folder, env });
		expect(await isIn(again.url, cookie)).toBe(false);
		expect(await isIn(again.url, other)).toBe(true);
	});
});

it('a logout counts at every receiver of a group', async () => {
	const env = { DATABASE_URL: await freshDatabase() };
	const [one, two] = [await start({ env }), await start({ env })];
	const cookie = await login(one.url);
	expect(await isIn(two.url, cookie)).toBe(true);
	await submit(`${two.url}/page/logout`, await formOf(two.url, cookie), { cookie });
	expect(await isIn(one.url, cookie)).toBe(false);
});

it.each([`${OLD},${NEW}`, `${NEW},${OLD}`])(
	'a session lasts as long as the token that opened it, with %s',
	async (both) => {
		const folder = temporaryFolder();
		const receiver = await start({ folder, env: { MANAGEMENT_TOKEN: both } });
		const byOld = await login(receiver.url, OLD);
		const byNew = await login(receiver.url, NEW);
		expect([await isIn(receiver.url, byOld), await isIn(receiver.url, byNew)]).toEqual([
			true,
			true,
		]);
		await receiver.close();
		const after = await start({ folder, env: { MANAGEMENT_TOKEN: NEW } });
		expect([await isIn(after.url, byOld), await isIn(after.url, byNew)]).toEqual([false, true]);
	},
);

it('over TLS the cookie is of this host alone, and one set without TLS does not count', async () => {
	const receiver = await start({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
	const tls = { 'x-forwarded-proto': 'https' };
	const { cookies } = await submit(`${receiver.url}/page/login`, `token=${TOKEN}`, tls);
	const [whole = ''] = cookies;
	expect(whole).toMatch(/^__Host-receiver_session=/);
	for (const flag of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict']) {
		expect(whole.split('; ')).toContain(flag);
	}
	expect(whole).not.toMatch(/Domain/i);
	const [cookie = ''] = whole.split(';');
	const page = await visit(receiver.url, { headers: { ...tls, cookie } });
	expect(page.text).not.toContain('Log in');
	const plain = cookie.replace('__Host-', '');
	expect((await visit(receiver.url, { headers: { ...tls, cookie: plain } })).text).toContain(
		'Log in',
	);
	// A browser takes the end of such a cookie only with its flags.
	const form = `form=${encodeURIComponent(/name="form" value="([^"]+)"/.exec(page.text)?.[1] ?? '')}`;
	const out = await submit(`${receiver.url}/page/logout`, form, { ...tls, cookie });
	expect(out.cookies[0]).toMatch(/^__Host-receiver_session=;.*Path=\/.*Secure/);
});
