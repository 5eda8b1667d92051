// The hook that `npm run hooks` switches on, in a repository of its own.
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../../n8n/folders.ts';

jest.setTimeout(120_000);

const run = promisify(execFile);

let folder: string;

/** Git without the settings of whoever runs the tests, or of a commit that this is part of. */
const git = async (...args: string[]) =>
	await run('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
		cwd: folder,
		env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
	});

async function stage(file: string, text: string): Promise<void> {
	await mkdir(dirname(join(folder, file)), { recursive: true });
	await writeFile(join(folder, file), text);
	await git('add', '--', file);
}

/** What the hook said, or null when it let the commit pass. */
async function refusal(): Promise<string | null> {
	return await git('commit', '-m', 'Try').then(
		() => null,
		(error: { stderr: string; stdout: string }) => error.stdout + error.stderr,
	);
}

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'registered-delivery-hook-'));
	await git('init', '--quiet');
	await cp(join(root, '.githooks'), join(folder, '.githooks'), { recursive: true });
	for (const file of ['.prettierrc.json', '.prettierignore', 'eslint.shared.mjs']) {
		await copyFile(join(root, file), join(folder, file));
	}
	await mkdir(join(folder, 'scripts'));
	await copyFile(
		join(root, 'scripts/eslint.config.mjs'),
		join(folder, 'scripts/eslint.config.mjs'),
	);
	await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
	await git('config', 'core.hooksPath', '.githooks');
});
afterAll(async () => {
	await rm(folder, { recursive: true, force: true });
});

it('refuses what is not formatted, and says what to do', async () => {
	await stage('scripts/a b.mjs', 'export const one=1\n');
	expect(await refusal()).toMatch(/a b\.mjs[\s\S]*npm run format/);
});

it('refuses what breaks a rule', async () => {
	await stage('scripts/a b.mjs', "if (process.argv[2] == '1') console.log('one');\n");
	expect(await refusal()).toMatch(/eqeqeq[\s\S]*npm run lint:fix/);
});

it('lets what is in order pass, also a commit that only deletes', async () => {
	await stage('scripts/a b.mjs', 'export const one = 1;\n');
	expect(await refusal()).toBeNull();
	await git('rm', '--quiet', '--', 'scripts/a b.mjs');
	expect(await refusal()).toBeNull();
});
