// Receiver and sandbox as they would be published: packed, unpacked beside what they say they depend on,
// and started. Node runs no TypeScript below node_modules, so what ships must be JavaScript.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';

import { until } from '../../n8n/poll.ts';
import { freePort } from '../../n8n/port.ts';
import { root } from '../../n8n/folders.ts';
import { packTarball } from '../../n8n/pack.ts';
import { installed, removeInstalled, type Installed } from './installed.ts';

jest.setTimeout(180_000);

const children: ChildProcess[] = [];

afterAll(async () => {
	for (const child of children) {
		if (child.exitCode !== null || child.signalCode !== null) continue;
		child.kill('SIGKILL');
		await once(child, 'exit');
	}
	await removeInstalled();
}, 60_000);

/** Starts the package's command. What it said stands in the error if it ends before it is ready. */
async function started(
	{ app, main }: Installed,
	args: string[],
	env: Record<string, string>,
	ready: () => Promise<boolean>,
): Promise<void> {
	const child = spawn(process.execPath, [main, ...args], {
		cwd: app,
		env: { PATH: process.env.PATH, ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	children.push(child);
	let said = '';
	for (const output of [child.stdout, child.stderr]) {
		output.on('data', (chunk: Buffer) => (said += chunk.toString()));
	}
	await until(
		`${main} is ready`,
		async () => {
			if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${said}`);
			return await ready().catch(() => false);
		},
		120,
	);
	child.kill('SIGTERM');
	const [code] = (await once(child, 'exit')) as [number | null];
	expect({ code, said: code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
}

/** The command is a file that a shell can run, and nothing else than the build ships. */
function expectBuildOnly({ files, main }: Installed, others: string[] = []): void {
	expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
	const expected = ['package.json', 'README.md', 'LICENSE', ...others];
	const isExpected = (file: string) =>
		/^dist\/.+\.(js|d\.ts)$/.test(file) || expected.includes(file);
	expect(files.filter((file) => !isExpected(file))).toEqual([]);
	expect(expected.filter((file) => !files.includes(file))).toEqual([]);
	expect(files.filter((file) => /\.test\./.test(file))).toEqual([]);
}

it('publint and Are the Types Wrong find nothing in what is published', async () => {
	const [receiver, sandbox] = [await installed('webhook-receiver'), await installed('sandbox')];
	const pack = await packTarball(receiver.app);
	for (const tarball of [pack, receiver.tarball, sandbox.tarball]) {
		const bytes = new Uint8Array(readFileSync(tarball));
		const { messages } = await publint({ pack: { tarball: bytes.buffer } });
		const analysis = await checkPackage(createPackageFromTarballData(bytes));
		// Its modules are ES modules: who requires them, or resolves as Node 10 did, is not served.
		const others = ['node10', 'node16-cjs'];
		const problems = (analysis.types ? analysis.problems : []).filter(
			(problem) => !('resolutionKind' in problem && others.includes(problem.resolutionKind)),
		);
		expect([basename(tarball), messages, problems]).toEqual([basename(tarball), [], []]);
	}
});

it('the receiver starts from its package alone', async () => {
	const receiver = await installed('webhook-receiver');
	const page = readdirSync(join(root, 'webhook-receiver/page')).filter((file) =>
		/\.(css|html|js|svg)$/.test(file),
	);
	expectBuildOnly(
		receiver,
		page.map((file) => `page/${file}`),
	);
	const iconOf = (path: string) => readFileSync(join(root, path), 'utf8');
	expect(iconOf('webhook-receiver/page/icon.svg')).toBe(iconOf('icons/registeredDelivery.svg'));
	// It is a program: nobody imports it.
	expect(receiver.files.filter((file) => file.endsWith('.d.ts'))).toEqual([]);
	const port = await freePort();
	const env = {
		PORT: String(port),
		DATABASE_FILE: join(receiver.app, 'receiver.sqlite'),
		MANAGEMENT_TOKEN: 'a-token-for-this-test',
		INGEST_SHARED_SECRETS: 'a-secret-for-this-test',
	};
	await started(receiver, [], env, async () => {
		const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
		if (!ready.ok) return false;
		for (const file of [
			'',
			...page.map((name) => `page/${name}`),
			'page/lit-html.js',
			'page/simple.css',
		]) {
			if (!(await fetch(`http://127.0.0.1:${port}/${file}`)).ok) return false;
		}
		const answer = await fetch(`http://127.0.0.1:${port}/events`, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				'x-webhook-secret': 'a-secret-for-this-test',
			},
			body: JSON.stringify({ event: 'aes_sent', messageId: '000000000001' }),
		});
		return answer.ok;
	});
});

it('the sandbox starts from its package alone', async () => {
	const sandbox = await installed('sandbox');
	const files = ['icon.svg', 'sandbox.css', 'script.js', 'style.css'].map((file) => `page/${file}`);
	expectBuildOnly(sandbox, ['openapi.json', 'dist/control-openapi.json', ...files]);
	const page = await freePort();
	await started(sandbox, ['--page-port', String(page), '--examples'], {}, async () => {
		for (const file of [...files, 'page/simple.css']) {
			if (!(await fetch(`http://localhost:${page}/${file}`)).ok) return false;
		}
		const answer = await fetch(`http://localhost:${page}/`);
		return answer.ok && (await answer.text()).includes('<article');
	});
});

it('receiver and sandbox look alike, and the icons of their tabs differ', () => {
	const parts = ['webhook-receiver', 'sandbox'];
	const read = (file: string) => parts.map((part) => readFileSync(join(root, part, file), 'utf8'));
	const [look, same] = read('page/style.css');
	expect(same).toBe(look);
	const [icon = '', other = ''] = read('page/icon.svg');
	const withoutColors = (drawing: string) => drawing.replaceAll(/#[0-9a-f]{6}\b/g, '#');
	expect(other).not.toBe(icon);
	expect(withoutColors(other)).toBe(withoutColors(icon));
});
