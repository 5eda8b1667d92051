// Faults and the journal's filters are aimed in the same way: at an account, a recipient, a member of the body.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../n8n/poll.ts';
import { startSandbox, type Sandbox } from '../../../sandbox/src/sandbox.ts';
import {
	call,
	control,
	form,
	letter,
	person,
	requestsOf,
	send,
	sendOne,
	type Answer,
} from './client.ts';

let sandbox: Sandbox;
let folder: string;
const reported: unknown[] = [];
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'sandbox-aimed-'));
	const report = (error: unknown) => void reported.push(error);
	sandbox = await startSandbox({ automatic: false, folder, report });
});
afterEach(async () => {
	await sandbox.close();
	await rm(folder, { recursive: true });
	expect(reported).toEqual([]);
});

const inject = (...faults: object[]) => control(sandbox, '/faults', { body: { faults } });
const outcome = (asked: Promise<Answer>): Promise<string> =>
	asked.then(
		({ status }) => String(status),
		(error: NodeJS.ErrnoException) => error.code ?? error.message,
	);
const ledger = async () => (await control(sandbox, '/ledger', { method: 'GET' })).json.letters;
const down = { kind: 'status', status: 503 };

const withFile = (local: string) =>
	form(
		['type', 'LS'],
		['body', 'Hello'],
		['fileReference', 'INVOICE-7'],
		['recipients[0].email', `${local}@mail.example`],
		['recipients[0].firstname', 'Ada'],
		['recipients[0].lastname', 'Lovelace'],
		['attachments', new File([new Uint8Array(500_000)], 'big.bin')],
	);

it('a fault for a recipient takes what is sent to it, in either encoding, and what was', async () => {
	const id = await sendOne(sandbox, person('ada'));
	const other = await sendOne(sandbox, person('bob'));
	await inject({ recipient: 'ADA@mail.example', times: null, fault: down });
	expect(await outcome(send(sandbox, letter(person('ada'))))).toBe('503');
	expect(await outcome(send(sandbox, withFile('ada')))).toBe('503');
	expect(await outcome(send(sandbox, withFile('bob')))).toBe('201');
	expect(await outcome(call(sandbox, `/messages/${id}`))).toBe('503');
	expect(await outcome(call(sandbox, `/messages/${id}/resend`, { method: 'POST' }))).toBe('503');
	expect(await outcome(call(sandbox, `/messages/${other}`))).toBe('200');
	expect((await ledger()).map(({ email }: { email: string }) => email).sort()).toEqual([
		'ada@mail.example',
		'bob@mail.example',
		'bob@mail.example',
	]);
});

it.each([
	['cutBefore', {}, 'ECONNRESET', 0],
	['cutBody', { afterBytes: 10 }, 'ECONNRESET', 0],
	['cutAfter', {}, 'ECONNRESET', 1],
	['delay', { ms: 1 }, '201', 1],
	[
		'answer',
		{ status: 200, body: 'Sign in', contentType: 'text/plain', processed: true },
		'200',
		1,
	],
	['answer', { status: 200, body: 'Sign in', contentType: 'text/plain' }, '200', 0],
])('%s %j aimed at a member comes after its body was read', async (kind, more, seen, kept) => {
	await inject({ body: { fileReference: 'INVOICE-7' }, fault: { kind, ...more } });
	expect(await outcome(send(sandbox, letter({ fileReference: 'INVOICE-6' })))).toBe('201');
	expect(await outcome(send(sandbox, withFile('ada')))).toBe(seen);
	expect(await ledger()).toHaveLength(1 + kept);
	// A file of a letter that was not sent is not left behind.
	await until(
		'its file is gone',
		async () => (await readdir(join(folder, 'uploads'))).length === kept,
	);
	expect((await requestsOf(sandbox))[0].fault).toBe(kind);
	expect(await outcome(send(sandbox, withFile('ada')))).toBe('201');
});

it('rules keep their order, also where one has to wait for the body', async () => {
	await inject(
		{ body: { type: 'LS' }, fault: { kind: 'status', status: 502 } },
		{ times: null, fault: down },
	);
	expect(await outcome(send(sandbox, letter({ type: 'LS' })))).toBe('502');
	expect(await outcome(send(sandbox, letter({ type: 'LS' })))).toBe('503');
	expect(await outcome(call(sandbox, '/consents'))).toBe('503');
});

it('the journal is searched by the same', async () => {
	const id = await sendOne(sandbox, { ...person('ada'), fileReference: 'INVOICE-7' });
	await send(sandbox, withFile('bob'));
	await send(sandbox, letter({ recipients: [{ email: 'ada@mail.example' }] }));
	await send(sandbox, letter(person('firm')), { as: 'reseller' });
	await call(sandbox, `/messages/${id}`);
	const found = async (query: string) =>
		(await requestsOf(sandbox, `?${query}`)).map(
			({ method, status }: { method: string; status: number }) => `${method} ${status}`,
		);
	expect(await found('recipient=Ada@mail.example')).toEqual(['GET 200', 'POST 422', 'POST 201']);
	expect(await found('recipient=bob@mail.example')).toEqual(['POST 201']);
	expect(await found('body=fileReference=INVOICE-7')).toEqual(['POST 201', 'POST 201']);
	expect(await found('body=recipients.firstname=Ada&account=reseller')).toEqual(['POST 201']);
	expect(await found('path=/messages/{id}')).toEqual(['GET 200']);
	const { status } = await control(sandbox, '/requests?body=type', { method: 'GET' });
	expect(status).toBe(422);
});

it.each(['account', 'recipient', 'body'])('a handshake cannot be aimed at its %s', async (name) => {
	const place = { [name]: name === 'body' ? { type: 'LS' } : 'x' };
	expect((await inject({ ...place, fault: { kind: 'cutHandshake' } })).status).toBe(422);
});
