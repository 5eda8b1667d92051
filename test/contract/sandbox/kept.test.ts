// A kept folder: what anyone was told is there after its process was killed.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/src/sandbox.ts';
import { startPart } from '../../n8n/part-process.ts';
import { serve } from '../../support/http-server.ts';
import { call, form, person, send, sendOne, statusOf } from './client.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

let folder: string;
const open: Sandbox[] = [];
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'sandbox-kept-'));
});
afterEach(async () => {
	await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
	await rm(folder, { recursive: true });
});

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
	const times = { automatic: true, deliveryDelayMs: MINUTE, openDelayMs: MINUTE };
	const sandbox = await startSandbox({ folder, ...times, ...options });
	open.push(sandbox);
	return sandbox;
}

it('[SCHD-03][STAT-06][S] a restart changes nothing: accounts, files, and what is yet to happen', async () => {
	const first = await start();
	const scheduledAt = new Date(Date.now() + 20 * MINUTE).toISOString();
	const scheduled = await sendOne(first, { type: 'AES', ...person('open'), scheduledAt });
	const never = await sendOne(first, { type: 'AES', ...person('never') });
	const fields = form(
		['type', 'AES'],
		['body', 'Hello'],
		['recipients', JSON.stringify(person('never').recipients)],
		['attachments', new File(['content'], 'a.txt')],
	);
	const { id } = (await send(first, fields)).json.messages[0];
	await first.control.advance(MINUTE + 1000);
	const { mails } = await first.control('GET /mails', { messageId: id });
	await first.close();

	const second = await start();
	expect(second.accounts).toEqual(first.accounts);
	expect(second.caCertificate).toBe(first.caCertificate);
	const download = await call(second, mails[0].links[0].path, { as: null });
	expect(download.bytes.toString()).toBe('content');
	expect(await statusOf(second, id)).toBe('OPENED');
	await second.control.advance(61 * DAY);
	expect(await statusOf(second, scheduled)).toBe('OPENED');
	expect(await statusOf(second, never)).toBe('EXPIRED');
	await second.control.reset();
	await second.close();
	expect((await (await start()).control('GET /state')).messages).toEqual([]);
});

it('killed as a webhook arrives, it has what that tells', async () => {
	const { promise: killed, resolve } = Promise.withResolvers<void>();
	const target = await serve(async (request, response) => {
		const { event } = JSON.parse((await request.toArray()).join('')) as { event: string };
		// A step that the clock made, which no request asked for.
		if (event === 'aes_received') return resolve(part.kill());
		response.end();
	});
	const webhooks = [{ url: target.url, secret: 'secret-of-the-test' }];
	const options = { folder, automatic: true, deliveryDelayMs: 100, webhooks };
	const part = await startPart({ part: 'sandbox', options });
	const id = await sendOne(part.started as unknown as Sandbox, { type: 'AES', ...person('never') });
	await killed;
	await target.close();

	const after = await start({ automatic: false, webhooks: [] });
	expect(await statusOf(after, id)).toBe('RECEIVED');
});

it('a second sandbox on a folder is refused, and told who has it', async () => {
	const { url } = await start();
	await expect(start()).rejects.toThrow(`process ${process.pid}, ${url}`);
});

it('a file that is damaged ends the start with what to do', async () => {
	await writeFile(join(folder, 'state.sqlite'), 'no database'.repeat(100));
	await expect(start()).rejects.toThrow(/state\.sqlite .* is damaged/);
});

describe('a folder of an older sandbox', () => {
	/** As it would be if these members of messages had come since, in a sandbox that knew nothing of them. */
	function makeOlder(...members: string[]): void {
		const database = new DatabaseSync(join(folder, 'state.sqlite'));
		for (const member of members)
			database
				.prepare(`UPDATE records SET json = json_remove(json, ?) WHERE kind = 'messages'`)
				.run(`$.${member}`);
		database.exec('PRAGMA user_version = 3');
		database.close();
	}

	it('opens with all that it has: a member that came since is null', async () => {
		const first = await start();
		const id = await sendOne(first, { type: 'AES', ...person('open'), fileReference: 'F-1' });
		await first.close();
		makeOlder('customerReference', 'resendOf', 'contact.identifierType');
		for (let time = 0; time < 2; time++) {
			const later = await start();
			const { messages } = await later.control('GET /state');
			const contact = { email: 'open@mail.example', identifierType: null };
			expect(messages).toMatchObject([
				{ id, fileReference: 'F-1', customerReference: null, resendOf: null, contact },
			]);
			await later.control.advance(3 * MINUTE);
			expect(await statusOf(later, id)).toBe('OPENED');
			await later.close();
		}
	});

	it('is set aside with a word where it cannot be read, and its accounts stay', async () => {
		const first = await start();
		await sendOne(first, {});
		await first.close();
		makeOlder('history');
		const said: unknown[] = [];
		const second = await start({ report: (error) => void said.push(error) });
		expect((await second.control('GET /state')).messages).toEqual([]);
		expect(second.accounts).toEqual(first.accounts);
		expect(said).toEqual([expect.objectContaining({ message: expect.any(String) })]);
		const [, place] = /It is at (\S+) now/.exec((said[0] as Error).message) ?? [];
		expect((await readFile(place)).subarray(0, 6).toString()).toBe('SQLite');
	});
});
