// The package as it would be published: packed once, unpacked beside the repository, and looked at.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { PackageDirectoryLoader } from 'n8n-core';
import type { INodeTypeDescription } from 'n8n-workflow';

import { root } from '../../n8n/folders.ts';
import { PACK_SOURCES, packTarball } from '../../n8n/pack.ts';
import { scan } from './scan.ts';

const run = promisify(execFile);

interface Manifest {
	name: string;
	version: string;
	keywords: string[];
	scripts: Record<string, string>;
	peerDependencies: Record<string, string>;
	n8n: { n8nNodesApiVersion: number; nodes: string[]; credentials: string[] };
	[field: string]: unknown;
}

let folder: string;
let tarball: string;
let pack: string;
let files: string[];
let manifest: Manifest;
let loader: PackageDirectoryLoader;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'registered-delivery-pack-'));
	tarball = await packTarball(folder);
	await run('tar', ['-xzf', tarball], { cwd: folder });
	pack = join(folder, 'package');
	files = (await readdir(pack, { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name).slice(pack.length + 1))
		.sort();
	manifest = JSON.parse(readFileSync(join(pack, 'package.json'), 'utf8')) as Manifest;

	// What n8n brings: the modules that nodes may use are looked for beside the pack.
	await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
	loader = new PackageDirectoryLoader(pack);
	await loader.loadAll();
}, 120_000);
afterAll(async () => {
	await rm(folder, { recursive: true, force: true });
});

const nodes = () =>
	Object.values(loader.nodeTypes).map(({ type, sourcePath }) => ({
		description: type.description as INodeTypeDescription,
		sourcePath,
	}));
const read = (file: string) => readFileSync(join(pack, file), 'utf8');

/** The modules that a file of the tarball loads, as it names them. */
function imports(file: string): string[] {
	const pattern = /\b(?:require|import)\(\s*["']([^"']+)["']\s*\)/g;
	return [...read(file).matchAll(pattern)].map(([, name]) => name);
}

function resolved(from: string, name: string): string {
	const path = join(dirname(from), name);
	return [path, `${path}.js`, join(path, 'index.js')].find((file) => files.includes(file)) ?? path;
}

describe('n8n’s scanner', () => {
	it('passes the sources', async () => {
		expect(await scan(root, 'source')).toEqual({ passed: true });
	});

	it('passes the tarball', async () => {
		expect(await scan(pack, 'tarball')).toEqual({ passed: true });
	});

	// Otherwise a scanner that finds no files, or no rules, would pass everything.
	it('finds what is forbidden, exceptions in the code or not', async () => {
		const bad = join(folder, 'bad');
		await mkdir(join(bad, 'nodes', 'Bad'), { recursive: true });
		await writeFile(
			join(bad, 'package.json'),
			JSON.stringify({ ...manifest, overrides: { a: '1' } }),
		);
		await writeFile(
			join(bad, 'nodes', 'Bad', 'Bad.node.ts'),
			"/* eslint-disable */\nimport { readFile } from 'fs';\nsetTimeout(() => readFile, 1);\n",
		);
		const { passed, details } = await scan(bad, 'source');
		expect(passed).toBe(false);
		expect(details).toMatch(/overrides/);
		expect(details).toMatch(/no-restricted-imports/);
		expect(details).toMatch(/no-restricted-globals/);
	}, 120_000);
});

describe('the tarball', () => {
	it('holds the build, the licence, and nothing else', () => {
		const expected = [
			/^package\.json$/,
			/^(README|CHANGELOG|LICENSE)(\.md)?$/,
			/^dist\/nodes\/.+\.node\.json$/,
			/^dist\/icons\/[\w.]+\.svg$/,
		];
		// One for all the code, and one for each that n8n looks for.
		const code = [...manifest.n8n.nodes, ...manifest.n8n.credentials, 'dist/nodes/common.js'];
		const isExpected = (file: string) =>
			expected.some((pattern) => pattern.test(file)) || code.includes(file);
		expect(files.filter((file) => !isExpected(file))).toEqual([]);
		expect(files).toEqual(expect.arrayContaining(code));
		expect(files).toContain('LICENSE');
	});

	it('can be read: each source by its path, with its comments', () => {
		const code = read('dist/nodes/common.js');
		for (const source of ['credentials/authenticate.ts', 'nodes/SendLetter/letterBody.ts']) {
			const [, comment] = / \* (.+)$/m.exec(readFileSync(join(root, source), 'utf8')) ?? [];
			expect(code).toContain(`// ${source}\n`);
			expect(code).toContain(comment);
		}
	});

	it('has no machine’s paths in it', () => {
		const texts = files.filter((file) => /\.(js|ts|json|svg)$/.test(file));
		expect(texts.filter((file) => read(file).includes(root))).toEqual([]);
	});

	it('uses its own files and what n8n brings, and no more', () => {
		const brought = ['n8n-workflow', 'luxon', 'zod/v4', 'crypto', 'node:crypto'];
		const missing = files
			.filter((file) => file.endsWith('.js'))
			.flatMap((file) => imports(file).map((name) => ({ file, name })))
			.filter(({ file, name }) =>
				name.startsWith('.') ? !files.includes(resolved(file, name)) : !brought.includes(name),
			);
		expect(missing).toEqual([]);
	});
});

describe('the code', () => {
	// Tests take a tarball that was made for the same sources.
	it('is made of the sources that decide whether it is made again', async () => {
		const tsc = join(root, 'node_modules', '.bin', 'tsc');
		const { stdout } = await run(tsc, ['--listFilesOnly'], { cwd: root, maxBuffer: 2 ** 24 });
		const own = stdout
			.split('\n')
			.filter((file) => file.startsWith(root) && !file.includes('/node_modules/'))
			.map((file) => file.slice(root.length + 1));
		expect(own).toContain('nodes/SendLetter/SendLetter.node.ts');
		expect(own.filter((file) => !PACK_SOURCES.some((source) => file.startsWith(source)))).toEqual(
			[],
		);
	});
});

describe('loaded by n8n', () => {
	it('every node and credential is there', () => {
		const names = (list: string[], ending: string) =>
			list
				.map((path) => basename(path, ending))
				.map((name) => name[0].toLowerCase() + name.slice(1));
		expect(Object.keys(loader.nodeTypes).sort()).toEqual(
			names(manifest.n8n.nodes, '.node.js').sort(),
		);
		expect(Object.keys(loader.credentialTypes).sort()).toEqual(
			names(manifest.n8n.credentials, '.credentials.js').sort(),
		);
	});

	it('every node has its codex: category, words to search by, documentation', () => {
		for (const { description, sourcePath } of nodes()) {
			const codex = JSON.parse(
				read(sourcePath.replace(`${pack}/`, '').replace(/\.js$/, '.json')),
			) as { node: string; alias: string[] };
			expect(codex).toMatchObject({
				node: `${manifest.name}.${description.name}`,
				nodeVersion: '1.0',
				codexVersion: '1.0',
				categories: [expect.any(String)],
				resources: { primaryDocumentation: [{ url: expect.stringMatching(/^https:/) }] },
			});
			expect(description.codex).toMatchObject({ alias: expect.arrayContaining(codex.alias) });
		}
	});

	it('every node and credential has an icon for light and one for dark', () => {
		const all = [
			...nodes().map(({ description }) => description),
			...Object.values(loader.credentialTypes).map(({ type }) => type),
		];
		for (const { name, iconUrl } of all) {
			const { light, dark } = iconUrl as { light: string; dark: string };
			expect({ name, isSame: light === dark }).toEqual({ name, isSame: false });
			for (const url of [light, dark]) {
				expect(read(url.replace(`icons/${manifest.name}/`, ''))).toMatch(
					/^\s*(<\?xml.*\?>\s*)?<svg\s/,
				);
			}
		}
	});
});

it('the README’s command installs it into n8n’s folder, alone', async () => {
	const readme = readFileSync(join(root, 'README.md'), 'utf8');
	const [command = ''] = /^ *npm install .*\/\.n8n\/nodes.*$/m.exec(readme) ?? [];
	expect(command).toContain(manifest.name);
	const home = await mkdtemp(join(tmpdir(), 'registered-delivery-home-'));
	try {
		// npm would take the folder above for its project.
		await writeFile(join(home, 'package.json'), '{}');
		// Not published, so the tarball; and whatever else npm would install, it cannot get.
		await run('sh', ['-euc', command.replace(manifest.name, tarball)], {
			cwd: home,
			env: { PATH: process.env.PATH, HOME: home, npm_config_offline: 'true' },
		});
		const installed = await readdir(join(home, '.n8n/nodes/node_modules'));
		expect(installed.filter((name) => !name.startsWith('.'))).toEqual([manifest.name]);
	} finally {
		await rm(home, { recursive: true, force: true });
	}
});
