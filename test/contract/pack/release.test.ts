// The release, dry: the steps of its workflow as they stand, with an npm and a gh that only keep books.
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { parse } from 'yaml';

import { root } from '../../n8n/folders.ts';

const run = promisify(execFile);
const REPOSITORY = 'n8n-nodes-registered-delivery/n8n-nodes-registered-delivery';
const FOLDERS = ['.', 'webhook-receiver', 'sandbox'];

interface Step {
	name?: string;
	run?: string;
}

let folder: string;
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'registered-delivery-release-'));
	await mkdir(join(folder, 'bin'));
	// What npm's registry does: no prerelease without a tag, no version twice.
	await program(
		'npm',
		`case $1 in
		view) grep -qxF "$2" out && echo "\${2##*@}" || exit 1 ;;
		publish)
			[ ! -e broken ] || { rm broken; exit 1; }
			manifest=$(tar -xzOf "$2" package/package.json)
			id=$(node -p 'const m = JSON.parse(process.argv[1]); m.name + "@" + m.version' "$manifest")
			! grep -qxF "$id" out || { echo "$id is there already"; exit 1; }
			case $id in *-*.*.*-*) case "$*" in *--tag\\ next*) ;; *) exit 1 ;; esac ;; esac
			echo "$id" >> out; echo "$id \${*: -1}" >> said ;;
		esac`,
	);
	await program(
		'gh',
		`[ "$2" != view ] || exec test -e released
		[ "$2" != create ] || touch released
		echo "gh $2 $3 $(echo "$*" | grep -o -- '--prerelease=[a-z]*')" >> said`,
	);
	await writeFile(join(folder, 'out'), '');
	await writeFile(join(folder, 'said'), '');
});
afterEach(() => rm(folder, { recursive: true }));

async function program(name: string, script: string): Promise<void> {
	const file = join(folder, 'bin', name);
	await writeFile(file, `#!/usr/bin/env bash\n${script}\n`);
	await chmod(file, 0o755);
}

/** The three packages at this version, as `set-version` makes them, and packed. */
async function prepare(version: string): Promise<void> {
	const files = ['package.json', 'Dockerfile'];
	const all = FOLDERS.flatMap((part) => files.map((file) => join(part, file)));
	const others = ['package-lock.json', 'render.yaml', 'webhook-receiver/fly.toml'];
	for (const file of [...all, ...others, 'scripts/set-version.mjs'])
		if (file !== 'Dockerfile') await cp(join(root, file), join(folder, file), { recursive: true });
	await writeFile(join(folder, 'CHANGELOG.md'), '## [Unreleased]\n\n### Added\n\n- Something\n');
	await run(process.execPath, ['scripts/set-version.mjs', version], { cwd: folder });
	await mkdir(join(folder, 'release'));
	for (const part of FOLDERS) {
		await mkdir(join(folder, 'package'), { recursive: true });
		await cp(join(folder, part, 'package.json'), join(folder, 'package/package.json'));
		const pack = `release/${part === '.' ? 'pack' : part}.tgz`;
		await run('tar', ['-czf', pack, 'package'], { cwd: folder });
	}
}

async function step(job: string, name: RegExp, tag: string): Promise<void> {
	const workflow = await readFile(join(root, '.github/workflows/release.yml'), 'utf8');
	const { jobs } = parse(workflow) as { jobs: Record<string, { steps: Step[] }> };
	const script = jobs[job].steps.find((one) => name.test(one.name ?? ''))?.run;
	await run('bash', ['-e', '-o', 'pipefail', '-c', script ?? 'exit 1'], {
		cwd: folder,
		env: {
			PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
			GITHUB_REF_NAME: tag,
			GITHUB_REPOSITORY: REPOSITORY,
			GITHUB_SERVER_URL: 'https://github.com',
		},
	});
}

const said = async () => (await readFile(join(folder, 'said'), 'utf8')).trim().split('\n');

const NAMES = [
	'n8n-nodes-registered-delivery',
	'registered-delivery-sandbox',
	'registered-delivery-webhook-receiver',
];

it.each([
	['1.2.3', 'latest', 'false'],
	['1.2.3-beta.1', 'next', 'true'],
	['1.2.3-1', 'next', 'true'],
])('%s goes out as %s, and can be released again after it broke off', async (version, as, pre) => {
	await prepare(version);
	const tag = `v${version}`;
	await step('build', /^Check/, tag);
	await step('publish', /^Publish/, tag);
	await step('release', /^Release/, tag);
	expect(await said()).toEqual([
		...NAMES.map((name) => `${name}@${version} ${as}`),
		`gh create ${tag} --prerelease=${pre}`,
	]);

	// Once more, and as if the second package had not come through.
	const [first, , last] = NAMES.map((name) => `${name}@${version}\n`);
	await writeFile(join(folder, 'out'), first + last);
	await writeFile(join(folder, 'broken'), '');
	await writeFile(join(folder, 'said'), '');
	await expect(step('publish', /^Publish/, tag)).rejects.toThrow();
	await step('publish', /^Publish/, tag);
	await step('release', /^Release/, tag);
	expect(await said()).toEqual([`${NAMES[1]}@${version} ${as}`, `gh upload ${tag}`]);
});

it('a tag that is not the version stops it before anything is out', async () => {
	await prepare('1.2.3');
	await expect(step('build', /^Check/, 'v1.2.4')).rejects.toThrow();
});
