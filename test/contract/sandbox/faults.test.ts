import { startSandbox, type Sandbox } from '../../../sandbox/src/sandbox.ts';
import { call, control, form, letter, send, stateOf, type Answer } from './client.ts';

let sandbox: Sandbox;
const reported: unknown[] = [];
beforeEach(async () => {
	sandbox = await startSandbox({ automatic: false, report: (error) => void reported.push(error) });
});
afterEach(async () => {
	await sandbox.close();
	expect(reported).toEqual([]);
});

const inject = (...faults: object[]) => control(sandbox, '/faults', { body: { faults } });
const outcome = (asked: Promise<Answer>): Promise<string> =>
	asked.then(
		({ status }) => String(status),
		(error: NodeJS.ErrnoException) => error.code ?? error.message,
	);
const ledger = async () => (await control(sandbox, '/ledger', { method: 'GET' })).json.letters;
const withFile = () =>
	form(
		['type', 'LS'],
		['body', 'Hello'],
		['recipients', JSON.stringify(letter().recipients)],
		['attachments', new File([new Uint8Array(500_000)], 'big.bin')],
	);

it.each([
	['429 with Retry-After', { status: 429, retryAfter: 7 }, '7', 'too-many-requests'],
	['503 with Retry-After', { status: 503, retryAfter: 1 }, '1', 'fault'],
	['503 with a date', { status: 503, retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' }, /GMT/, 'fault'],
	['503 without', { status: 503 }, undefined, 'fault'],
	['500 in a code of its own', { status: 500, code: 'E_DOWN', message: 'x' }, undefined, 'E_DOWN'],
])('[AUTH-05][S] %s, once, and nothing is processed', async (_title, fault, retryAfter, code) => {
	await inject({ fault: { kind: 'status', ...fault } });
	const { status, headers, json } = await send(sandbox, letter());
	expect([status, json.code]).toEqual([fault.status, code]);
	if (retryAfter instanceof RegExp) expect(headers['retry-after']).toMatch(retryAfter);
	else expect(headers['retry-after']).toBe(retryAfter);
	expect(await ledger()).toEqual([]);
	expect((await send(sandbox, letter())).status).toBe(201);
});

it.each([
	['html', 'text/html; charset=utf-8', /<h1>502/],
	['empty', undefined, /^$/],
])('an error can have a body that is %s', async (body, contentType, content) => {
	await inject({ fault: { kind: 'status', status: 502, body } });
	const { status, headers, bytes } = await send(sandbox, withFile());
	expect([status, headers['content-type']]).toEqual([502, contentType]);
	expect(bytes.toString()).toMatch(content);
});

it.each([
	['cutBefore', 0],
	['cutBody', 0],
	['cutAfter', 1],
	['cutAnswer', 1],
])('%s: the client sees a broken connection, the service has it %i times', async (kind, times) => {
	for (const body of [letter(), withFile()]) {
		await control(sandbox, '/reset');
		await inject({ fault: { kind } });
		expect(await outcome(send(sandbox, body))).toMatch(/ECONNRESET|aborted|EPIPE/);
		const letters = await ledger();
		expect(letters.map((line: { times: number }) => line.times)).toEqual(times ? [times] : []);
		const { requests } = await stateOf(sandbox);
		expect(requests.at(-1)).toMatchObject({ path: '/messages/bulk_send', fault: kind });
		expect(await outcome(send(sandbox, body))).toBe('201');
	}
});

it('cutAnswer lets status and headers through, with the length of the whole', async () => {
	await inject({ path: '/consents', fault: { kind: 'cutAnswer' } });
	await expect(call(sandbox, '/consents')).rejects.toMatchObject({ code: 'ECONNRESET' });
});

it('every cut holds for evidence PDFs and empty answers too', async () => {
	const id = (await send(sandbox, letter())).json.messages[0].id as string;
	const { url } = (await call(sandbox, `/messages/${id}/evidences/SENT`)).json;
	for (const kind of ['cutBefore', 'cutBody', 'cutAfter', 'cutAnswer']) {
		await inject({ path: '/evidences/*/*', fault: { kind } });
		expect(await outcome(call(sandbox, url, { as: null }))).toMatch(/ECONNRESET/);
		expect(await outcome(call(sandbox, url, { as: null }))).toBe('200');
	}
	const { customers } = sandbox.accounts.find(({ name }) => name === 'reseller') ?? {};
	await inject({ method: 'DELETE', fault: { kind: 'cutAnswer' } });
	const path = `/customers/${customers?.[0]?.id}/logo`;
	const gone = call(sandbox, path, { as: 'reseller', method: 'DELETE' });
	expect(await outcome(gone)).toMatch(/ECONNRESET/);
});

it('a delay changes nothing but the time', async () => {
	await inject({ fault: { kind: 'delay', ms: 150 } });
	const before = Date.now();
	expect((await send(sandbox, letter())).status).toBe(201);
	expect(Date.now() - before).toBeGreaterThanOrEqual(145);
});

it('a client that gives up during a delay has asked for nothing', async () => {
	await inject({ fault: { kind: 'delay', ms: 100 } });
	const given = call(sandbox, '/messages/bulk_send', { body: letter(), timeoutMs: 20 });
	await expect(given).rejects.toThrow();
	await new Promise((resolve) => setTimeout(resolve, 150));
	expect(await ledger()).toEqual([]);
});

it('faults are bound to method, route and count, and cleared on request', async () => {
	await inject({
		method: 'GET',
		path: '/messages/{id}',
		skip: 1,
		times: 2,
		fault: { kind: 'status', status: 500 },
	});
	const id = (await send(sandbox, letter())).json.messages[0].id as string;
	const seen = [];
	for (let asked = 0; asked < 4; asked++)
		seen.push(await outcome(call(sandbox, `/messages/${id}`)));
	expect(seen).toEqual(['200', '500', '500', '200']);
	expect(await outcome(call(sandbox, '/consents'))).toBe('200');
	const listed = (await control(sandbox, '/faults', { method: 'GET' })).json.faults;
	expect(listed).toMatchObject([{ matched: 4, happened: 2, fault: { kind: 'status' } }]);

	await inject({ times: null, fault: { kind: 'status', status: 503 } });
	expect(await outcome(call(sandbox, '/consents'))).toBe('503');
	await control(sandbox, '/faults', { method: 'DELETE' });
	expect(await outcome(call(sandbox, '/consents'))).toBe('200');
});

it('a random mix is the same for the same seed, and the ledger shows what the service has', async () => {
	const rates = { cutBefore: 0.2, cutAfter: 0.2, tooManyRequests: 0.1, serverError: 0.1 };
	const mailing = async () => {
		await control(sandbox, '/reset');
		await inject({ method: 'POST', path: '/messages/bulk_send', seed: 7, rates });
		const seen = [];
		for (let index = 0; index < 40; index++)
			seen.push(await outcome(send(sandbox, letter({ fileReference: `F-${index}` }))));
		return seen;
	};
	const seen = await mailing();
	expect(new Set(seen)).toEqual(new Set(['201', '429', '500', 'ECONNRESET']));
	const { requests } = await stateOf(sandbox);
	const processed = requests.flatMap((request: { fault: string | null }, index: number) =>
		request.fault === null || request.fault === 'cutAfter' ? [`F-${index}`] : [],
	);
	const letters = await ledger();
	expect(letters.map((line: { fileReference: string }) => line.fileReference)).toEqual(processed);
	expect(letters.every((line: { times: number }) => line.times === 1)).toBe(true);
	expect(await mailing()).toEqual(seen);
});

it('the ledger tells a letter sent twice from one resent on purpose', async () => {
	const body = letter({ fileReference: 'F-1' });
	const id = (await send(sandbox, body)).json.messages[0].id;
	await send(sandbox, body);
	await call(sandbox, `/messages/${id}/resend`, { method: 'POST' });
	expect(await ledger()).toEqual([
		{
			fileReference: 'F-1',
			customerReference: null,
			email: 'ada@mail.example',
			type: 'LS',
			times: 2,
			ids: [id, expect.any(String)],
		},
	]);
});

it.each([
	['no faults', { faults: [] }],
	['an unknown kind', { faults: [{ fault: { kind: 'explode' } }] }],
	['a status that is none', { faults: [{ fault: { kind: 'status', status: 200 } }] }],
	['rates over 1', { faults: [{ seed: 1, rates: { cutBefore: 0.6, cutAfter: 0.6 } }] }],
	['an unknown rate', { faults: [{ seed: 1, rates: { explode: 0.1 } }] }],
])('refuses %s', async (_title, body) => {
	expect((await control(sandbox, '/faults', { body })).status).toBe(422);
});
