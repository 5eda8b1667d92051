// What a sandbox with a folder tells by webhook is in the folder: while nothing can be written, it waits.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sandboxClient } from '../../../sandbox/src/client/client.ts';
import { root } from '../../n8n/folders.ts';
import { until } from '../../n8n/poll.ts';
import { serve } from '../../support/http-server.ts';
import { findProgram } from '../../support/programs.ts';
import { itOr } from '../../support/skipped.ts';

jest.setTimeout(120_000);

const prlimit = findProgram('prlimit');
const ends: Array<() => unknown> = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
});

/** A sandbox started by its command. */
async function startCommand(...options: string[]) {
	const main = join(root, 'sandbox', 'src', 'main.ts');
	const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
	const child = spawn(process.execPath, [main, ...options], { stdio });
	const exited = once(child, 'exit');
	ends.push(async () => {
		child.kill('SIGKILL');
		await exited;
	});
	let [printed, complained] = ['', ''];
	child.stderr.on('data', (chunk: Buffer) => (complained += chunk.toString()));
	child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
	await until('it says where it is', async () => printed.includes('Accounts'));
	const page = /^Mails +(\S+)$/m.exec(printed)?.[1] ?? '';
	return { page, child, control: sandboxClient(page), complained: () => complained };
}

itOr(prlimit === null && 'no prlimit (Debian: util-linux)')(
	'a webhook tells nothing that could not be written, and all of it once it could; the log says it once',
	async () => {
		const folder = await mkdtemp(join(tmpdir(), 'sandbox-told-'));
		ends.push(() => rm(folder, { recursive: true, force: true }));
		const told: string[] = [];
		const listener = await serve((request, response) => {
			void text(request).then((body) => {
				told.push((JSON.parse(body) as { event: string }).event);
				response.end();
			});
		});
		ends.push(listener.close);
		const webhook = ['--webhook', listener.url, '--webhook-secret', 'secret-of-the-test'];
		const { page, child, control, complained } = await startCommand('--folder', folder, ...webhook);
		const placed = {
			type: 'AES' as const,
			email: 'never@mail.example',
			happens: ['deliver' as const],
		};
		const { messages } = await control('POST /letters', { letters: [placed] });
		const id = messages[0]?.id ?? '';
		// Otherwise they hold up what is to be tried.
		await control.waitFor('GET /webhook-attempts', { messageId: id, count: 2 }, 60);

		const reading = new AbortController();
		ends.push(() => reading.abort());
		const { body } = await fetch(`${page}/_sandbox/events`, { signal: reading.signal });
		let happened = '';
		const note = new WritableStream<string>({ write: (part) => void (happened += part) });
		void body
			?.pipeThrough(new TextDecoderStream())
			.pipeTo(note)
			.catch(() => undefined);
		const limitFiles = (bytes: string) =>
			execFileSync(String(prlimit), ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`]);
		limitFiles('1');
		await expect(control('POST /messages/{id}/{trigger}', { id, trigger: 'open' })).rejects.toThrow(
			'No sandbox answers',
		);
		await until('the webhook was tried', async () => /^event: webhook$/m.test(happened));
		expect(told).toEqual(['aes_sent', 'aes_received']);
		expect(complained().match(/cannot be used/g)).toHaveLength(1);
		limitFiles('unlimited');
		await until('it is told', async () => told.at(-1) === 'aes_opened');
	},
);
