// What the README shows for tests, run as it stands there against the package as it would be published.
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../n8n/folders.ts';
import { installed, removeInstalled } from '../pack/installed.ts';
import { sandboxState } from '../../support/sandbox.ts';

import { ownSandbox } from './own.ts';
import { readmeExample } from './readme-examples.ts';

jest.setTimeout(180_000);

/** For one command. What hangs is ended. */
const PATIENCE_MS = 150_000;

const run = promisify(execFile);
const own = (path: string) => join(root, 'node_modules', path);

let app: string;
beforeAll(async () => {
	app = (await installed('sandbox')).app;
	await writeFile(join(app, 'package.json'), '{"type": "module"}');
	await mkdir(join(app, 'node_modules/@types'));
	for (const name of ['vitest', 'testcontainers', '@types/node'])
		await symlink(own(name), join(app, 'node_modules', name));
});
afterAll(removeInstalled);

async function runIn(folder: string, files: Record<string, string>, ...command: string[]) {
	await mkdir(join(app, folder), { recursive: true });
	for (const [name, text] of Object.entries(files)) await writeFile(join(app, folder, name), text);
	const env = { PATH: process.env.PATH, NO_COLOR: '1', NODE_OPTIONS: '--experimental-vm-modules' };
	const options = { cwd: join(app, folder), env, timeout: PATIENCE_MS };
	return run(process.execPath, command, options).catch((error: { stdout: string }) => {
		throw new Error(`${(error as unknown as Error).message}\n${error.stdout}`);
	});
}

it('rehearse.mjs: the typed client', async () => {
	// As the command line starts it.
	const sandbox = await ownSandbox({ automatic: true });
	const code = readmeExample('rehearse.mjs').replace('http://localhost:8025', sandbox.pageUrl);
	const { stdout } = await runIn('client', { 'rehearse.mjs': code }, 'rehearse.mjs');
	expect(stdout).toBe('2030-01-01T09:00:00.000Z: 6 of 20 bounced\n');
	expect((await sandboxState(sandbox)).messages).toEqual([]);
});

it('letters.test.mjs under Jest', async () => {
	const { stderr } = await runIn(
		'jest',
		{
			'letters.test.mjs': readmeExample('letters.test.mjs'),
			'jest.config.json': '{"testMatch": ["**/*.test.mjs"], "transform": {}}',
		},
		own('jest/bin/jest.js'),
	);
	expect(stderr).toContain('2 passed, 2 total');
	// Everything is closed, or Jest would say so.
	expect(stderr).not.toContain('did not exit');
});

it('a sandbox that started too late for Jest does not keep it from its end', async () => {
	const code = `
		import { useSandbox } from 'registered-delivery-sandbox/jest';
		const late = (run) => beforeAll(run, 1);
		useSandbox({ hooks: { beforeAll: late, beforeEach, afterAll } });
		it('finds none', () => {});`;
	const config = '{"testMatch": ["**/*.test.mjs"], "transform": {}}';
	const files = { 'late.test.mjs': code, 'jest.config.json': config };
	const failed = await runIn('late', files, own('jest/bin/jest.js')).catch(String);
	expect(failed).toContain('1 failed');
	expect(failed).not.toContain('did not exit');
});

it('letters.test.mjs under Vitest', async () => {
	const head = readmeExample('letters.test.mjs, under Vitest');
	const [imported, , , used] = head.trim().split('\n');
	const code = readmeExample('letters.test.mjs').replace(/const sandbox = .*/, () => used ?? '');
	const files = { 'letters.test.mjs': `${imported}\n${code}` };
	const { stdout } = await runIn('vitest', files, own('vitest/vitest.mjs'), 'run');
	expect(stdout).toMatch(/Tests\s+2 passed/);
});

it('the package ships the types of all of it', async () => {
	const jest = `
		import { startSandbox } from 'registered-delivery-sandbox';
		import { useSandbox } from 'registered-delivery-sandbox/jest';
		const { accounts, control, as } = useSandbox({ strict: true });
		const tokens: string[] = accounts.map(({ token }) => token);
		control('PUT /accounts/{name}/kyc', { name: 'direct', valid: true }).then(({ kyc }) => kyc.valueOf());
		// @ts-expect-error what an operation takes is held to its schema
		control('PUT /accounts/{name}/kyc', { name: 'direct', valid: 'yes' });
		// @ts-expect-error as is a query
		control('GET /requests', { limit: 'ten' });
		control.advance(1).then(({ now }) => tokens.push(now));
		as('direct')('GET /messages/{id}', { id: '1' }).then(({ status }) => tokens.push(status));
		// @ts-expect-error a letter has a type
		as('direct')('POST /messages/bulk_send', { body: '', recipients: [] });
		// @ts-expect-error it takes nothing else
		control('POST /clock/advance', { ms: 1, seconds: 2 });
		// @ts-expect-error nor where it takes nothing
		control('POST /reset', { hard: true });
		// @ts-expect-error and nothing that it needs can be left out
		control('PUT /accounts/{name}/kyc');
		// @ts-expect-error nor a part of its path
		control('PUT /accounts/{name}/kyc', { valid: true });
		// @ts-expect-error there is no such operation
		control('POST /scenarios');
		// @ts-expect-error an answer has what it has
		control('GET /clock').then(({ later }) => later);
		startSandbox({ port: 0 }).then(({ url }) => tokens.push(url));`;
	const config = (skipLibCheck: boolean) => ({
		'tsconfig.json': JSON.stringify({
			compilerOptions: {
				strict: true,
				noEmit: true,
				module: 'nodenext',
				target: 'es2022',
				lib: ['es2024', 'dom'],
				types: ['node'],
				skipLibCheck,
			},
		}),
	});
	const tsc = own('typescript/bin/tsc');
	// Its declarations stand by themselves: nobody has to bring those of what it is made with.
	const files = { 'rehearse.mts': readmeExample('rehearse.mjs'), 'jest.mts': jest };
	await runIn('types', { ...files, ...config(false) }, tsc);
	const container = { 'container.mts': readmeExample('container.mjs') };
	await runIn('container', { ...container, ...config(true) }, tsc);
});
