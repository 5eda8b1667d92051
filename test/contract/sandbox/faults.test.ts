import { startSandbox, type Sandbox } from '../../../sandbox/src/sandbox.ts';
import { sandboxState, type Fault, type FaultRule } from '../../support/sandbox.ts';
import { accountOf, call, form, letter, person, send, sendOne, type Answer } from './client.ts';
import { exchangeRaw } from './raw.ts';

let sandbox: Sandbox;
const reported: unknown[] = [];
beforeEach(async () => {
	sandbox = await startSandbox({ automatic: false, report: (error) => void reported.push(error) });
});
afterEach(async () => {
	await sandbox.close();
	expect(reported).toEqual([]);
});

const inject = (...faults: FaultRule[]) => sandbox.control('POST /faults', { faults });
const outcome = (asked: Promise<Answer>): Promise<string> =>
	asked.then(
		({ status }) => String(status),
		(error: NodeJS.ErrnoException) => error.code ?? error.message,
	);
const ledger = async () => (await sandbox.control('GET /ledger')).letters;
const badHeader = (headers: object) => ({ kind: 'answer', status: 200, headers });
const withFile = () =>
	form(
		['type', 'LS'],
		['body', 'Hello'],
		['recipients', JSON.stringify(letter().recipients)],
		['attachments', new File([new Uint8Array(500_000)], 'big.bin')],
	);

it.each([
	['429 with Retry-After', { status: 429, retryAfter: 7 }, '7', 'too-many-requests'],
	['503 with Retry-After', { status: 503, retryAfter: 1 }, '1', 'requested-fault'],
	[
		'503 with a date',
		{ status: 503, retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' },
		/GMT/,
		'requested-fault',
	],
	['503 without', { status: 503 }, undefined, 'requested-fault'],
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

/** What a client that knows nothing of HTTP gets for a letter, byte by byte. */
const onTheWire = (declared?: number) => {
	const body = JSON.stringify(letter());
	return exchangeRaw(sandbox, [
		'POST /messages/bulk_send HTTP/1.1',
		'Host: localhost',
		'Connection: close',
		`X-API-TOKEN: ${accountOf(sandbox, 'direct').token}`,
		'Content-Type: application/json',
		`Content-Length: ${declared ?? body.length}\r\n\r\n${body}`,
	]);
};

interface Shape {
	status: number;
	body?: string;
	contentType?: string;
	headers?: Record<string, string>;
}

describe('an answer of any shape', () => {
	const html = '<html>Sign in to the guest network</html>';
	const shapes: Array<[string, Shape]> = [
		['a captive portal', { status: 200, body: html, contentType: 'text/html' }],
		['an empty body', { status: 201, body: '' }],
		['no content', { status: 204 }],
		['an error', { status: 503, body: 'down', headers: { 'Retry-After': '300' } }],
		['letters beyond ASCII', { status: 200, body: 'é€😀', contentType: 'text/plain' }],
	];
	it.each(shapes)('is %s, instead of processing the letter or after it', async (_title, answer) => {
		for (const processed of [false, true]) {
			await sandbox.control('POST /reset');
			await inject({ fault: { kind: 'answer', ...answer, processed } });
			const { bytes, error } = await onTheWire();
			expect(error).toBeNull();
			const [head = '', body] = bytes.toString().split('\r\n\r\n');
			expect(head).toMatch(new RegExp(`^HTTP/1.1 ${answer.status} `));
			expect(body).toBe(answer.body ?? '');
			const type = answer.contentType ?? (answer.body ? 'application/json; charset=utf-8' : null);
			expect(/^content-type: (.*)$/im.exec(head)?.[1] ?? null).toBe(type);
			if (answer.headers) expect(head).toContain('Retry-After: 300');
			const { messages, requests } = await sandboxState(sandbox);
			expect(messages).toHaveLength(processed ? 1 : 0);
			expect(requests.at(-1)).toMatchObject({ fault: 'answer', status: answer.status });
			expect(await outcome(send(sandbox, withFile()))).toBe('201');
		}
	});

	it.each(['{"message":"Too large"}', ''])(
		'comes early, with a reset behind it: %j',
		async (body) => {
			await inject({ fault: { kind: 'answer', status: 413, body, reset: true } });
			const { bytes, error } = await onTheWire(50_000_000);
			expect(bytes.toString()).toMatch(/^HTTP\/1.1 413 /);
			expect(bytes.toString().split('\r\n\r\n')[1]).toBe(body);
			expect(error?.code).toBe('ECONNRESET');
			const { messages, requests } = await sandboxState(sandbox);
			expect([messages, requests.at(-1)?.status]).toEqual([[], 413]);
			expect(await outcome(send(sandbox, letter()))).toBe('201');
		},
	);
});

describe('cutHandshake', () => {
	it('cuts connections before there is a request, as many as told', async () => {
		await inject({ skip: 1, times: 2, fault: { kind: 'cutHandshake' } });
		const seen = [];
		for (let asked = 0; asked < 4; asked++) seen.push(await onTheWire());
		expect(seen.map(({ secured }) => secured)).toEqual([true, false, false, true]);
		expect(seen.map(({ bytes }) => bytes.length > 0)).toEqual([true, false, false, true]);
		const { messages, requests } = await sandboxState(sandbox);
		expect([messages.length, requests.length]).toEqual([2, 2]);
		const listed = (await sandbox.control('GET /faults')).faults;
		expect(listed).toMatchObject([{ matched: 4, happened: 2 }]);
	});
});

it.each<[Fault['kind'] & `cut${string}`, number]>([
	['cutBefore', 0],
	['cutBody', 0],
	['cutAfter', 1],
	['cutAnswer', 1],
])('%s: the client sees a broken connection, the service has it %i times', async (kind, times) => {
	for (const body of [letter(), withFile()]) {
		await sandbox.control('POST /reset');
		await inject({ fault: { kind } });
		expect(await outcome(send(sandbox, body))).toMatch(/ECONNRESET|aborted|EPIPE/);
		const letters = await ledger();
		expect(letters.map(({ times }) => times)).toEqual(times ? [times] : []);
		const { requests } = await sandboxState(sandbox);
		expect(requests.at(-1)).toMatchObject({ path: '/messages/bulk_send', fault: kind });
		expect(await outcome(send(sandbox, body))).toBe('201');
	}
});

it('every cut holds for evidence PDFs and empty answers too', async () => {
	const id = (await send(sandbox, letter())).json.messages[0].id as string;
	const { url } = (await call(sandbox, `/messages/${id}/evidences/SENT`)).json;
	for (const kind of ['cutBefore', 'cutBody', 'cutAfter', 'cutAnswer'] as const) {
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

it('a delay is held as long as told, give or take its jitter', async () => {
	await inject({ fault: { kind: 'delay', ms: 100, jitterMs: 50 } });
	const startedAt = performance.now();
	expect((await send(sandbox, letter())).status).toBe(201);
	expect(performance.now() - startedAt).toBeGreaterThan(49);
});

it('is aimed at a recipient or at members of the body, in either encoding', async () => {
	const down = { kind: 'status' as const, status: 503 };
	const id = await sendOne(sandbox, {});
	await inject({ recipient: 'ADA@mail.example', times: null, fault: down });
	expect(await outcome(send(sandbox, letter()))).toBe('503');
	expect(await outcome(send(sandbox, withFile()))).toBe('503');
	expect(await outcome(call(sandbox, `/messages/${id}`))).toBe('503');
	expect(await outcome(send(sandbox, letter(person('bob'))))).toBe('201');
	await sandbox.control('DELETE /faults');
	await inject({
		account: 'direct',
		body: { 'recipients.email': 'ada@mail.example', type: 'LS' },
		fault: { kind: 'cutAfter' },
	});
	expect(await outcome(send(sandbox, letter({ type: 'AS' })))).toBe('201');
	expect(await outcome(send(sandbox, letter(), { as: 'reseller' }))).toBe('201');
	expect(await outcome(send(sandbox, withFile()))).toBe('ECONNRESET');
});

it('a client that gives up during a delay has asked for nothing', async () => {
	await inject({ fault: { kind: 'delay', ms: 100 }, times: 2 });
	const given = call(sandbox, '/messages/bulk_send', { body: letter(), timeoutMs: 20 });
	await expect(given).rejects.toThrow();
	// Delayed as long, and later: by its answer the delay of the first is over.
	await call(sandbox, '/consents');
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
	const listed = (await sandbox.control('GET /faults')).faults;
	expect(listed).toMatchObject([{ matched: 4, happened: 2, fault: { kind: 'status' } }]);

	await inject({ times: null, fault: { kind: 'status', status: 503 } });
	expect(await outcome(call(sandbox, '/consents'))).toBe('503');
	await sandbox.control('DELETE /faults');
	expect(await outcome(call(sandbox, '/consents'))).toBe('200');
});

it('a random mix is the same for the same seed, and the ledger shows what the service has', async () => {
	const rates = { cutBefore: 0.2, cutAfter: 0.2, tooManyRequests: 0.1, serverError: 0.1 };
	const mailing = async () => {
		await sandbox.control('POST /reset');
		await inject({ method: 'POST', path: '/messages/bulk_send', seed: 7, rates });
		const seen = [];
		for (let index = 0; index < 40; index++)
			seen.push(await outcome(send(sandbox, letter({ fileReference: `F-${index}` }))));
		return seen;
	};
	const seen = await mailing();
	expect(new Set(seen)).toEqual(new Set(['201', '429', '500', 'ECONNRESET']));
	const { requests } = await sandboxState(sandbox);
	const processed = requests.flatMap((request, index) =>
		request.fault === null || request.fault === 'cutAfter' ? [`F-${index}`] : [],
	);
	const letters = await ledger();
	expect(letters.map(({ fileReference }) => fileReference)).toEqual(processed);
	expect(letters.every(({ times }) => times === 1)).toBe(true);
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

it.each<[string, unknown[]]>([
	['no faults', []],
	['a header that cannot be sent', [{ fault: badHeader({ 'X-A': 'a\nb' }) }]],
	['a handshake with a path', [{ path: '/', fault: { kind: 'cutHandshake' } }]],
	['a jitter above its delay', [{ fault: { kind: 'delay', ms: 10, jitterMs: 11 } }]],
	['rates over 1', [{ seed: 1, rates: { cutBefore: 0.6, cutAfter: 0.6 } }]],
])('refuses %s', async (_title, faults) => {
	const given = sandbox.control('POST /faults', { faults: faults as FaultRule[] });
	await expect(given).rejects.toMatchObject({ status: 422 });
});
