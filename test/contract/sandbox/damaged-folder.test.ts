// What a start says of a folder it cannot use, of its version, and of an old Node.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../../n8n/folders.ts';

const MAIN = join(root, 'sandbox', 'src', 'main.ts');

let folder: string;
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'sandbox-damaged-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** How a start that fails ends. */
async function start(...args: string[]): Promise<{ code: number; stderr: string }> {
	try {
		await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
	} catch (error) {
		return error as { code: number; stderr: string };
	}
	throw new Error('It started');
}

it.each<[string, string, string | null, RegExp]>([
	['a damaged state', 'state.sqlite', 'no database'.repeat(100), /state\.sqlite .* is damaged/],
	['a truncated identity', 'identity.json', '', /identity\.json .* cut off/],
	['a folder in place of the state', 'state.sqlite', null, /state\.sqlite .* a folder where/],
	['a damaged lock', 'lock.sqlite', 'no database'.repeat(100), /lock\.sqlite .* remove that file/],
	['a file in place of a folder', 'uploads', '', /a file where a folder/],
	['a folder in place of the holder', 'holder.json', null, /holder\.json .* a folder where/],
])('says what to do about %s', async (_, name, content, words) => {
	const path = join(folder, name);
	if (content === null) await mkdir(path);
	else await writeFile(path, content);
	const { code, stderr } = await start(MAIN, '--folder', folder);
	expect(code).toBe(2);
	expect(stderr).toMatch(words);
	expect(stderr.trim().split('\n')).toHaveLength(1);
});

it.each([
	['/proc/sandbox', /no folder can be made there/],
	['/dev/null/sandbox', /a file where a folder/],
	['x'.repeat(300), /name is too long/],
])('says what to do about a folder that cannot be made: %.20s', async (place, words) => {
	const { code, stderr } = await start(MAIN, '--folder', place);
	expect(code).toBe(2);
	expect(stderr).toMatch(words);
});

it('tells its version', async () => {
	const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--version']);
	const manifest = readFileSync(join(root, 'sandbox/package.json'), 'utf8');
	expect(stdout).toBe(`${JSON.parse(manifest).version}\n`);
});

it('names an old Node', async () => {
	const old = 'Object.defineProperty(process.versions, "node", { value: "22.1.0" })';
	const { code, stderr } = await start('--import', `data:text/javascript,${old}`, MAIN);
	expect(code).toBe(2);
	expect(stderr.trim()).toBe('The sandbox needs Node 24 or later, and this is Node 22.1.0.');
});
