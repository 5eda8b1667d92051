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
import { ownSandbox } from './own.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

let folder: string;
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'sandbox-folder-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

const start = (options: Partial<SandboxOptions> = {}) => ownSandbox({ folder, ...options });

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
