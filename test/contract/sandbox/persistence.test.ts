import { link, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SandboxOptions } from '../../../sandbox/src/sandbox.ts';
import {
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
import { PNG } from './images.ts';
import { ownSandbox } from './own.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

let folder: string;
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'sandbox-folder-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

const start = (options: Partial<SandboxOptions> = {}) => ownSandbox({ folder, ...options });

it('keeps authority, credentials and everything that happened', async () => {
	const first = await start();
	const reseller = { as: 'reseller' };
	await sendOne(first, { type: 'LRE' }, { certificate: true });
	const customer = { name: 'A', email: 'a@customers.example', isPaying: true, willSendLre: true };
	const { json } = await call(first, '/customers/bulk_store', {
		...reseller,
		body: { customers: [customer] },
	});
	const logo = form(['logo', new File([new Uint8Array(PNG)], 'logo.png')]);
	const path = `/customers/${json.customers[0].id}/logo`;
	await call(first, path, { ...reseller, method: 'PUT', body: logo });
	const recipients = person('ada').recipients;
	await call(first, '/consents/bulkStore', { body: { type: 'EMAIL', recipients } });
	await control(first, '/accounts/direct/payment', { method: 'PUT', body: { accepted: false } });
	await advance(first, 3 * DAY);
	const before = await stateOf(first);
	await first.close();

	const second = await start();
	expect(second.caCertificate).toBe(first.caCertificate);
	expect(second.accounts.map(({ token, key }) => [token, key])).toEqual(
		first.accounts.map(({ token, key }) => [token, key]),
	);
	const after = await stateOf(second);
	for (const part of ['accounts', 'customers', 'consents', 'messages', 'mails'])
		expect(after[part]).toEqual(before[part]);
	expect(Date.parse(after.now)).toBeGreaterThanOrEqual(Date.parse(before.now));
	expect((await call(second, path, { ...reseller, method: 'DELETE' })).status).toBe(204);
	await second.close();
});

it('replaces its identity as a whole, so that a kill cannot leave half of it', async () => {
	const file = join(folder, 'identity.json');
	const former = join(folder, 'former.json');
	await (await start()).close();
	const before = await readFile(file, 'utf8');
	await link(file, former);
	// Its server certificate is not for this name.
	await start({ names: ['sandbox'] });
	expect(await readFile(file, 'utf8')).not.toBe(before);
	// Written over, this one would have changed too.
	expect(await readFile(former, 'utf8')).toBe(before);
	expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('links and attachments still work, wherever the folder is now', async () => {
	const first = await start();
	const fields = form(
		['type', 'AES'],
		['body', 'Hello'],
		['recipients', JSON.stringify(person('ada').recipients)],
		['attachments', new File(['content'], 'a.txt')],
	);
	const { id } = (await send(first, fields)).json.messages[0];
	await control(first, `/messages/${id}/deliver`);
	const { mails } = await stateOf(first);
	await first.close();
	const second = await start();
	const download = await call(second, mails[0].links[0].path, { as: null });
	expect(download.bytes.toString()).toBe('content');
	expect(await statusOf(second, id)).toBe('OPENED');
	await second.close();
});

it('[SCHD-03][STAT-06][S] what was yet to happen still does: a send, the steps of a recipient, an expiry', async () => {
	const times = { automatic: true, deliveryDelayMs: MINUTE, openDelayMs: MINUTE };
	const first = await start(times);
	const scheduledAt = new Date(Date.now() + 20 * MINUTE).toISOString();
	const scheduled = await sendOne(first, { type: 'AES', ...person('open'), scheduledAt });
	const never = await sendOne(first, { type: 'AES', ...person('never') });
	const opened = await sendOne(first, { type: 'AES', ...person('open') });
	await advance(first, MINUTE + 1000);
	expect(await statusOf(first, opened)).toBe('RECEIVED');
	await first.close();

	const second = await start(times);
	await advance(second, 2 * MINUTE);
	expect(await statusOf(second, opened)).toBe('OPENED');
	await advance(second, 61 * DAY);
	expect(await statusOf(second, scheduled)).toBe('OPENED');
	expect(await statusOf(second, never)).toBe('EXPIRED');
	const { messages } = await stateOf(second);
	const steps = messages.map((message: { history: Array<{ what: string }> }) =>
		message.history.map(({ what }) => what).join(' '),
	);
	expect(steps).toEqual([
		'scheduled send deliver open',
		'send deliver expire',
		'send deliver open',
	]);
	await second.close();
});

it('[STAT-05][S] what has happened does not happen again', async () => {
	const times = { automatic: true, deliveryDelayMs: MINUTE, openDelayMs: MINUTE };
	const first = await start(times);
	const bounced = await sendOne(first, { type: 'AES', ...person('bounce-then-receive') });
	await sendOne(first, { type: 'LRE', ...person('ada') }, { certificate: true });
	await advance(first, 5 * MINUTE);
	const before = await stateOf(first);
	await first.close();
	const second = await start(times);
	await advance(second, DAY);
	expect(await statusOf(second, bounced)).toBe('RECEIVED');
	const after = await stateOf(second);
	expect([after.messages, after.mails]).toEqual([before.messages, before.mails]);
	await second.close();
});

it('counts ids on from where it was, and never gives one twice', async () => {
	const ids = [];
	for (let round = 0; round < 2; round++) {
		const sandbox = await start({ deterministic: true });
		ids.push(await sendOne(sandbox, {}));
		const body = { type: 'LINK', recipients: person('ada').recipients };
		ids.push((await call(sandbox, '/consents/bulkStore', { body })).json[0].id);
		await sandbox.close();
	}
	expect(ids[0]).toBe('000000000001');
	expect(ids[2]).toBe('000000000002');
	expect(new Set(ids).size).toBe(4);
});

it('removes uploads nothing refers to, and forgets all on reset', async () => {
	const first = await start();
	await send(
		first,
		form(
			['type', 'LS'],
			['body', 'x'],
			['recipients', JSON.stringify(letter().recipients)],
			['attachments', new File(['x'], 'a')],
		),
	);
	await first.close();
	await writeFile(join(folder, 'uploads', 'lost'), 'x');
	const second = await start();
	expect(await readdir(join(folder, 'uploads'))).toHaveLength(1);
	await control(second, '/reset');
	expect(await readdir(join(folder, 'uploads'))).toEqual([]);
	await second.close();
	const third = await start();
	expect((await stateOf(third)).messages).toEqual([]);
	await third.close();
});

it.each([
	['of another version', 'PRAGMA user_version = 99', /state\.sqlite .* version 99/],
	['damaged in a record', `UPDATE records SET json = '{'`, /state\.sqlite .* is damaged/],
	[
		'without a part',
		`DELETE FROM records WHERE id = 'clock'`,
		/state\.sqlite .* is damaged .*clock/,
	],
])('says so when the state is %s', async (_, sql, words) => {
	await (await start()).close();
	const database = new DatabaseSync(join(folder, 'state.sqlite'));
	database.exec(sql);
	database.close();
	await expect(start()).rejects.toThrow(words);
});

it('a start that fails on a taken port leaves the folder as it is', async () => {
	const running = await ownSandbox();
	const port = Number(new URL(running.url).port);
	const first = await start();
	const id = await sendOne(first, {});
	await first.close();
	await expect(start({ port })).rejects.toThrow(`Port ${port} `);
	const second = await start();
	expect((await stateOf(second)).messages).toMatchObject([{ id }]);
	await second.close();
});
