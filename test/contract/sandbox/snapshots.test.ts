import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '../../../sandbox/src/sandbox.ts';
import {
	accountOf,
	advance,
	call,
	control,
	form,
	letter,
	person,
	send,
	sendOne,
	stateOf,
	statusOf,
} from './client.ts';
import { ownSandbox } from './own.ts';

const folders: string[] = [];
const folder = async () => {
	const made = await mkdtemp(join(tmpdir(), 'sandbox-snapshots-'));
	folders.push(made);
	return made;
};
afterAll(() => Promise.all(folders.map((made) => rm(made, { recursive: true, force: true }))));

const save = (sandbox: Sandbox, name: string) =>
	control(sandbox, `/snapshots/${name}`, { method: 'PUT' });
const restore = (sandbox: Sandbox, name: string) => control(sandbox, `/snapshots/${name}/restore`);
const list = async (sandbox: Sandbox) =>
	(await control(sandbox, '/snapshots', { method: 'GET' })).json.snapshots;

async function sendFile(sandbox: Sandbox): Promise<string> {
	const file = new File(['contract'], 'contract.txt', { type: 'text/plain' });
	const answer = await send(
		sandbox,
		form(
			['type', 'AES'],
			['body', '<p>Hello</p>'],
			['recipients[0].email', 'never@mail.example'],
			['recipients[0].firstname', 'Ada'],
			['recipients[0].lastname', 'Lovelace'],
			['attachments', file],
		),
	);
	return answer.json.messages[0].id;
}

/** Everything that a snapshot has, so not the journal. */
async function kept(sandbox: Sandbox) {
	const { webhooks, ...state } = await stateOf(sandbox);
	delete state.requests;
	const get = async (path: string) => (await control(sandbox, path, { method: 'GET' })).json;
	return {
		...state,
		endpoints: webhooks.endpoints,
		secrets: await get('/accounts'),
		faults: await get('/faults'),
		latency: await get('/latency'),
	};
}

it('brings everything back, time and faults and latency too, but not the journal', async () => {
	const sandbox = await ownSandbox({ deterministic: true });
	await control(sandbox, '/clock', {
		method: 'PUT',
		body: { now: '2031-05-05T05:05:05.000Z', frozen: true },
	});
	await control(sandbox, '/scenarios/letters-in-every-state');
	await control(sandbox, '/accounts', { body: { name: 'new', company: 'New', role: 'direct' } });
	await control(sandbox, '/accounts/direct/payment', { method: 'PUT', body: { accepted: false } });
	await control(sandbox, '/faults', {
		body: { faults: [{ path: '/nowhere', times: 3, fault: { kind: 'delay', ms: 1 } }] },
	});
	await control(sandbox, '/latency', {
		method: 'PUT',
		body: { rules: [{ path: '/nowhere', latency: 'nearby' }] },
	});
	await control(sandbox, '/rate-limit', { method: 'PUT', body: { requests: 1000, seconds: 9 } });
	const webhooks = [{ url: 'http://localhost:9/', secret: 's' }];
	await control(sandbox, '/webhooks', { method: 'PUT', body: { webhooks } });
	const before = await kept(sandbox);
	const { json } = await save(sandbox, 'base');
	expect(json).toEqual({
		name: 'base',
		savedAt: expect.any(String),
		now: before.now,
		messages: 10,
	});
	const next = await sendOne(sandbox, {});

	await control(sandbox, '/reset');
	await sendOne(sandbox, { fileReference: 'later' });
	expect((await restore(sandbox, 'base')).status).toBe(200);
	expect(await kept(sandbox)).toEqual(before);
	expect((await stateOf(sandbox)).requests).toEqual([]);
	// It goes on just as it did the first time.
	expect(await sendOne(sandbox, {})).toBe(next);
	await restore(sandbox, 'base');
	expect(await kept(sandbox)).toEqual(before);
});

it('what was scheduled happens at its time, and what is under way goes on', async () => {
	const sandbox = await ownSandbox({ automatic: true, deliveryDelayMs: 3_600_000 });
	const scheduledAt = new Date(Date.now() + 2 * 86_400_000).toISOString();
	const held = await sendOne(sandbox, { scheduledAt });
	const sent = await sendOne(sandbox, { type: 'AES', ...person('never') });
	await save(sandbox, 'before');
	await advance(sandbox, 3 * 86_400_000);
	expect([await statusOf(sandbox, held), await statusOf(sandbox, sent)]).toEqual([
		'RECEIVED',
		'RECEIVED',
	]);
	await restore(sandbox, 'before');
	expect([await statusOf(sandbox, held), await statusOf(sandbox, sent)]).toEqual([
		'SCHEDULED',
		'SENT',
	]);
	await advance(sandbox, 3 * 86_400_000);
	expect([await statusOf(sandbox, held), await statusOf(sandbox, sent)]).toEqual([
		'RECEIVED',
		'RECEIVED',
	]);
});

it('a mix of faults goes on drawing where it was', async () => {
	const sandbox = await ownSandbox();
	await control(sandbox, '/faults', {
		body: { faults: [{ path: '/consents', seed: 3, rates: { serverError: 0.5 } }] },
	});
	const draw = async (count: number) => {
		const seen = [];
		for (let index = 0; index < count; index++)
			seen.push((await call(sandbox, '/consents')).status);
		return seen;
	};
	await draw(5);
	await save(sandbox, 'five');
	const next = await draw(8);
	expect(new Set(next)).toEqual(new Set([200, 500]));
	await restore(sandbox, 'five');
	expect(await draw(8)).toEqual(next);
});

it('survives a restart with --folder, files and signed links too, and goes with the sandbox without', async () => {
	const place = await folder();
	const first = await startSandbox({ folder: place, automatic: false });
	const id = await sendFile(first);
	await control(first, `/messages/${id}/deliver`);
	const before = await kept(first);
	await save(first, 'with-file');
	await control(first, '/reset');
	expect(await readdir(join(place, 'uploads'))).toEqual([]);
	await first.close();
	// As if a later version had lost the state, and its links' secret with it.
	await rm(join(place, 'state.json'), { force: true });

	const second = await ownSandbox({ folder: place });
	expect(await list(second)).toEqual([expect.objectContaining({ name: 'with-file', messages: 1 })]);
	await restore(second, 'with-file');
	expect({ ...(await kept(second)), now: before.now }).toEqual(before);
	const link = before.mails[0].links[0].path as string;
	const download = await call(second, link, { as: null });
	expect(download.bytes.toString()).toBe('contract');
	// Gone from the world, but not from its snapshot.
	await control(second, '/reset');
	await restore(second, 'with-file');
	expect((await call(second, link, { as: null })).bytes.toString()).toBe('contract');
});

it('is listed by name, replaced, and deleted', async () => {
	const sandbox = await ownSandbox();
	expect(await list(sandbox)).toEqual([]);
	await save(sandbox, 'b');
	await save(sandbox, 'a');
	await sendOne(sandbox, {});
	await save(sandbox, 'b');
	expect((await list(sandbox)).map(({ name, messages }: never) => [name, messages])).toEqual([
		['a', 0],
		['b', 1],
	]);
	expect((await control(sandbox, '/snapshots/b', { method: 'DELETE' })).status).toBe(200);
	expect((await control(sandbox, '/snapshots/b', { method: 'DELETE' })).status).toBe(404);
	expect((await restore(sandbox, 'b')).status).toBe(404);
	expect((await list(sandbox)).map(({ name }: never) => name)).toEqual(['a']);
});

it.each(['..', '%2e%2e%2fuploads', 'Upper', '.new-x', 'a/b', 'x'.repeat(101)])(
	'takes no name like %s',
	async (name) => {
		const sandbox = await ownSandbox();
		expect((await save(sandbox, name)).status).toBe(404);
	},
);

it('says when one is damaged or of another version, and changes nothing', async () => {
	const place = await folder();
	const sandbox = await ownSandbox({ folder: place });
	const id = await sendOne(sandbox, {});
	await save(sandbox, 'torn');
	const about = join(place, 'snapshots/torn.json');
	const { content } = JSON.parse(await readFile(about, 'utf8')) as { content: string };
	for (const text of ['{"now":', '{}', '{"now":0,"stored":{"messages":[]}}']) {
		await writeFile(join(place, 'snapshots', content, 'state.json'), text);
		const { status, json } = await restore(sandbox, 'torn');
		expect([status, json.message]).toEqual([409, expect.stringContaining('delete it')]);
	}
	await writeFile(about, '{"version":0,"name":"torn"}');
	expect((await restore(sandbox, 'torn')).status).toBe(409);
	expect(await statusOf(sandbox, id)).toBe('SENT');
});

it('one whose files cannot be placed changes nothing', async () => {
	const place = await folder();
	const sandbox = await ownSandbox({ folder: place, report: () => undefined });
	await sendFile(sandbox);
	await save(sandbox, 'base');
	await control(sandbox, '/reset');
	const id = await sendOne(sandbox, {});
	await rm(join(place, 'uploads'), { recursive: true });
	await expect(restore(sandbox, 'base')).rejects.toThrow('500');
	expect(await statusOf(sandbox, id)).toBe('SENT');
});

it('a process that is killed while it replaces one leaves the one that was there', async () => {
	const place = await folder();
	const first = await ownSandbox({ folder: place });
	await sendFile(first);
	await save(first, 'base');
	await first.close();
	// What a kill leaves: some of the new one, whole or not.
	const snapshots = join(place, 'snapshots');
	await mkdir(join(snapshots, '.content-cccccc/uploads'), { recursive: true });
	await writeFile(join(snapshots, 'base.json.new'), '{"version":');

	const second = await ownSandbox({ folder: place });
	expect(await list(second)).toEqual([expect.objectContaining({ name: 'base', messages: 1 })]);
	await save(second, 'next');
	expect((await restore(second, 'base')).status).toBe(200);
	expect((await stateOf(second)).messages).toHaveLength(1);
	const left = await readdir(snapshots);
	expect(left.filter((name) => name.startsWith('.'))).toHaveLength(2);
});

it('a reset in the middle of a restore leaves every file of the world that is there in the end', async () => {
	const sandbox = await ownSandbox();
	const ids = await Promise.all(Array.from({ length: 20 }, () => sendFile(sandbox)));
	for (const id of ids) await control(sandbox, `/messages/${id}/deliver`);
	await save(sandbox, 'base');
	const mails = (await stateOf(sandbox)).mails as Array<{ links: Array<{ path: string }> }>;
	for (let steps = 0; steps < 20; steps++) {
		await restore(sandbox, 'base');
		const restored = restore(sandbox, 'base');
		// As far as the restore gets in the meantime, which reads files too.
		for (let step = 0; step < steps; step++) await stat(tmpdir());
		await Promise.all([control(sandbox, '/reset'), restored]);
		if ((await stateOf(sandbox)).messages.length === 0) continue;
		const files = mails.map(({ links: [link] }) => call(sandbox, link!.path, { as: null }));
		for (const { status } of await Promise.all(files)) expect(status).toBe(200);
	}
});

it('many at once do not disturb one another, nor what is sent meanwhile', async () => {
	const sandbox = await ownSandbox();
	await sendOne(sandbox, {});
	await save(sandbox, 'one');
	const answers = await Promise.all([
		...Array.from({ length: 10 }, () => restore(sandbox, 'one')),
		...Array.from({ length: 10 }, () => save(sandbox, 'many')),
		...Array.from({ length: 20 }, () => send(sandbox, letter())),
	]);
	expect(answers.map(({ status }) => status)).toEqual([
		...Array.from({ length: 20 }, () => 200),
		...Array.from({ length: 20 }, () => 201),
	]);
	await restore(sandbox, 'one');
	expect((await stateOf(sandbox)).messages).toHaveLength(1);
	expect((await call(sandbox, '/consents')).status).toBe(200);
	expect(accountOf(sandbox, 'direct').token).toBeTruthy();
});
