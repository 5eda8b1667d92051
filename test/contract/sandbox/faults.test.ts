import { startSandbox, type Sandbox } from '../../../sandbox/src/sandbox.ts';
import { sandboxState, type Fault, type FaultRule } from '../../support/sandbox.ts';
import { accountOf, call, form, letter, send, type Answer } from './client.ts';
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
const letters = async () => (await sandbox.control('GET /state')).messages;
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
	expect(await letters()).toEqual([]);
	expect((await send(sandbox, letter())).status).toBe(201);
});

/** What a client that knows nothing of HTTP gets for a letter, byte by byte. */
const onTheWire = () => {
	const body = JSON.stringify(letter());
	return exchangeRaw(sandbox, [
		'POST /messages/bulk_send HTTP/1.1',
		'Host: localhost',
		'Connection: close',
		`X-API-TOKEN: ${accountOf(sandbox, 'direct').token}`,
		'Content-Type: application/json',
		`Content-Length: ${body.length}\r\n\r\n${body}`,
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
			await sandbox.control.reset();
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
});

it.each<[Fault['kind'] & `cut${string}`, number]>([
	['cutBefore', 0],
	['cutAfter', 1],
	['cutAnswer', 1],
])('%s: the client sees a broken connection, the service has it %i times', async (kind, times) => {
	for (const body of [letter(), withFile()]) {
		await sandbox.control.reset();
		await inject({ fault: { kind } });
		expect(await outcome(send(sandbox, body))).toMatch(/ECONNRESET|aborted|EPIPE/);
		expect(await letters()).toHaveLength(times);
		const { requests } = await sandboxState(sandbox);
		expect(requests.at(-1)).toMatchObject({ path: '/messages/bulk_send', fault: kind });
		expect(await outcome(send(sandbox, body))).toBe('201');
	}
});

it('every cut holds for evidence PDFs and empty answers too', async () => {
	const id = (await send(sandbox, letter())).json.messages[0].id as string;
	const { url } = (await call(sandbox, `/messages/${id}/evidences/SENT`)).json;
	for (const kind of ['cutBefore', 'cutAfter', 'cutAnswer'] as const) {
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

it('a delay is held as long as told', async () => {
	await inject({ fault: { kind: 'delay', ms: 50 } });
	const startedAt = performance.now();
	expect((await send(sandbox, letter())).status).toBe(201);
	expect(performance.now() - startedAt).toBeGreaterThan(49);
});

it('a client that gives up during a delay has asked for nothing', async () => {
	const { recipients } = letter();
	const body = { type: 'EMAIL', recipients };
	const [{ id }] = (await call(sandbox, '/consents/bulkStore', { body })).json;
	const mails = async () => (await sandbox.control('GET /mails')).mails.length;
	const before = await mails();
	await inject({ fault: { kind: 'delay', ms: 100 }, times: 2 });
	// Without a body, whose reading would fail by itself.
	const asked = call(sandbox, `/consents/${id}/remind`, { method: 'POST', timeoutMs: 20 });
	await expect(asked).rejects.toThrow();
	// Delayed as long, and later: by its answer the delay of the first is over.
	await call(sandbox, '/consents');
	expect(await mails()).toBe(before);
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

it.each<[string, unknown[]]>([
	['no faults', []],
	['a header that cannot be sent', [{ fault: badHeader({ 'X-A': 'a\nb' }) }]],
	['a kind that there is not', [{ fault: { kind: 'cutHandshake' } }]],
])('refuses %s', async (_title, faults) => {
	const given = sandbox.control('POST /faults', { faults: faults as FaultRule[] });
	await expect(given).rejects.toMatchObject({ status: 422 });
});
