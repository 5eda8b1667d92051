// What the README shows for a shell and for the control API, done as a reader would: with the packed
// package in an empty project, started by its own command as it is. Only the ports, which are free ones,
// are those that the command prints.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

import { until } from '../../n8n/poll.ts';
import { installed, removeInstalled } from '../pack/installed.ts';
import { README } from './readme-examples.ts';

jest.setTimeout(180_000);

const BLOCKS = [...README.matchAll(/^```(\w*)\n([^]*?)^```$/gm)];
const blocks = (language: string) =>
	BLOCKS.filter(([, found]) => found === language).map(([, , code]) => code);
const [PRINTED] = blocks('');
const addressesIn = (printed: string) =>
	['Service', 'Mails'].map((name) => new RegExp(`^${name} +(\\S+)$`, 'm').exec(printed)?.[1] ?? '');

let app: string;
let sandbox: ChildProcess;
let printed = '';
beforeAll(async () => {
	const { app: folder, main } = await installed('sandbox');
	app = folder;
	sandbox = spawn(process.execPath, [main, '--examples'], { stdio: ['ignore', 'pipe', 'inherit'] });
	sandbox.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
	await until('it says where it is', async () => printed.includes('Accounts'));
});
afterAll(async () => {
	if (sandbox.exitCode === null) sandbox.kill('SIGKILL');
	await removeInstalled();
});

/** With the addresses that it has here. */
const here = (code: string): string => {
	const now = addressesIn(printed);
	return addressesIn(PRINTED).reduce(
		(text, address, index) => text.replaceAll(address, now[index]),
		code,
	);
};

const shell = async (code: string) => {
	const { stdout } = await promisify(execFile)('bash', ['-euc', here(code)], { cwd: app });
	return stdout;
};

it('it prints what the README shows', () => {
	expect(printed).toBe(here(PRINTED));
});

it('the first letter is sent, and the journal finds it', async () => {
	const [, letter, look] = blocks('sh');
	expect(JSON.parse(await shell(letter))).toMatchObject({ type: 'AES', messages: [{}] });
	// All but the stream, which never ends, and no longer than the letter takes.
	const lines = look.split('\n').filter((line) => line.startsWith('curl "'));
	expect(lines).toHaveLength(4);
	for (const line of lines) {
		const asked = line.replace(/&wait=\d+/, '').replace('curl', 'curl -sf');
		const answer = JSON.parse(await shell(`page=${addressesIn(printed)[1]}\n${asked}`));
		expect(answer).toMatchObject({ total: expect.any(Number) });
	}
});

it('each request that is written out is accepted', async () => {
	const requests = blocks('jsonc').map((code) => {
		const [, method, path, body] = /^([A-Z]+) (\S+)\n([^]*)$/.exec(code) ?? [];
		// Its comments, not those in an address.
		return { method, path, body: body.replaceAll(/(^|\s)\/\/.*$/gm, '') };
	});
	expect(requests.length).toBeGreaterThan(1);
	for (const { method, path, body } of requests) {
		const headers = { 'content-type': 'application/json' };
		const url = addressesIn(printed)[1] + path;
		const answer = await fetch(url, { method, headers, body });
		expect({ path, ok: answer.ok, said: answer.ok || (await answer.text()) }).toEqual({
			path,
			ok: true,
			said: true,
		});
	}
});

it('SIGTERM to the command itself ends it, and nothing listens any more', async () => {
	sandbox.kill('SIGTERM');
	expect(await once(sandbox, 'exit')).toEqual([0, null]);
	await expect(fetch(addressesIn(printed)[1])).rejects.toThrow();
});
