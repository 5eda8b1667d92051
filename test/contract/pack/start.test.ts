// npm start up to the demonstration, in a clone of its own, with an npm that installs nothing and can be
// held up: what is half done, done by two, or done from elsewhere.
import { type ChildProcess, spawn } from 'node:child_process';
import {
	chmodSync,
	cpSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { root } from '../../n8n/folders.ts';
import { isRunning } from '../../n8n/host.ts';
import { until } from '../../n8n/poll.ts';

const INSTALLED = ['scripts', 'package.json', 'package-lock.json'];
const HOST = ['package.json', 'package-lock.json', '.npmrc'].map((name) => `test/n8n/${name}`);

/** Says what it was asked, and ends when it is let go; puts Node where the real one does. */
const NPM = `#!${process.execPath}
const { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync } = require('node:fs');
const { CALLS, HOLD } = process.env;
const say = (what) =>
	appendFileSync(CALLS, JSON.stringify({ what, pid: process.pid, cwd: process.cwd(), args: process.argv.slice(2) }) + '\\n');
say('begins');
const timer = setInterval(() => {
	if (existsSync(HOLD)) return;
	if (!existsSync(process.cwd())) process.exit(1);
	clearInterval(timer);
	if (!process.cwd().includes('.local')) {
		rmSync('node_modules', { recursive: true, force: true });
		mkdirSync('node_modules/node/bin', { recursive: true });
		symlinkSync(process.execPath, 'node_modules/node/bin/node');
	}
	say('ends');
}, 5);
`;

/** In place of the demonstration: says where it runs and with what, and goes on until it is stopped. */
const DEMO = `
process.on('SIGTERM', () => process.exit(7));
console.log('Runs in ' + process.cwd() + ' with ' + JSON.stringify(process.argv.slice(2)));
setInterval(() => {}, 1000);
`;

interface Call {
	what: 'begins' | 'ends';
	pid: number;
	cwd: string;
	args: string[];
}

let clone: string;
let started: Start[];

beforeEach(() => {
	clone = join(mkdtempSync(join(tmpdir(), 'registered-delivery-clone-')), 'Büro "1" & 2');
	started = [];
	for (const file of [...INSTALLED, ...HOST]) {
		cpSync(join(root, file), join(clone, file), { recursive: true });
	}
	write('bin/npm', NPM);
	chmodSync(join(clone, 'bin/npm'), 0o755);
	write('demo/package.json', '{ "type": "module" }');
	write('demo/main.ts', DEMO);
});
afterEach(async () => {
	rmSync(join(clone, 'hold'), { force: true });
	for (const one of started) await one.stop();
	rmSync(dirname(clone), { recursive: true, force: true });
});

function write(file: string, text: string): void {
	mkdirSync(dirname(join(clone, file)), { recursive: true });
	writeFileSync(join(clone, file), text);
}

function calls(): Call[] {
	try {
		const lines = readFileSync(join(clone, 'calls'), 'utf8').trim().split('\n');
		return lines.map((line) => JSON.parse(line) as Call);
	} catch {
		return [];
	}
}

const begun = () => calls().filter(({ what }) => what === 'begins');
const holdNpm = () => write('hold', '');
const letNpmGo = () => rmSync(join(clone, 'hold'));

class Start {
	output = '';
	readonly ended: Promise<number | null>;
	readonly process: ChildProcess;

	constructor(args: string[] = [], env: NodeJS.ProcessEnv = {}, cwd = clone) {
		this.process = spawn(process.execPath, [join(clone, 'scripts/start.mjs'), ...args], {
			cwd,
			stdio: ['ignore', 'pipe', 'pipe'],
			env: {
				PATH: `${join(clone, 'bin')}:${process.env.PATH}`,
				CALLS: join(clone, 'calls'),
				HOLD: join(clone, 'hold'),
				...env,
			},
		});
		for (const stream of [this.process.stdout, this.process.stderr]) {
			stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
		}
		this.ended = new Promise((resolve) => this.process.once('close', resolve));
		started.push(this);
	}

	async untilPrinted(text: string): Promise<void> {
		const what = () => `"${text}" to be printed. Instead:\n${this.output}`;
		await until(what, async () => this.output.includes(text), 20);
	}

	async stop(): Promise<number | null> {
		this.process.kill('SIGTERM');
		return await this.ended;
	}
}

it('installs once, whatever the folder is called, then runs the demonstration and ends as it does', async () => {
	const first = new Start();
	const folder = JSON.stringify(join(clone, '.local/demo'));
	await first.untilPrinted(`Runs in ${clone} with ["--folder",${folder}]`);
	expect(begun().map(({ cwd, args }) => [cwd, args[0]])).toEqual([
		[clone, 'ci'],
		[join(clone, '.local/n8n-host'), 'ci'],
		[join(clone, '.local/n8n-host'), 'rebuild'],
	]);
	expect(await first.stop()).toBe(7);
	await new Start().untilPrinted('Runs in');
	expect(begun()).toHaveLength(3);
});

it('SIGTERM while it installs ends npm too; the next start begins anew', async () => {
	holdNpm();
	const first = new Start();
	await until('npm to begin', async () => begun().length > 0);
	first.process.kill('SIGTERM');
	expect(await first.ended).toBe(1);
	expect(first.output).toContain('✗ Stopped before it was done.');
	expect(isRunning(begun()[0].pid)).toBe(false);
	letNpmGo();
	await new Start().untilPrinted('Runs in');
	expect(begun().map(({ args }) => args[0])).toEqual(['ci', 'ci', 'ci', 'rebuild']);
});

it('does not replace the packages of one that runs', async () => {
	const first = new Start();
	await first.untilPrinted('Runs in');
	write('package-lock.json', `${readFileSync(join(clone, 'package-lock.json'), 'utf8')}\n`);
	const second = new Start(['--folder', 'other']);
	expect(await second.ended).toBe(1);
	expect(second.output).toContain('Stop it first (Ctrl-C).');
	expect(begun()).toHaveLength(3);

	await first.stop();
	await new Start(['--folder', 'other']).untilPrinted('Runs in');
	expect(begun()).toHaveLength(4);
});

it('runs in the clone, wherever one is, and keeps its data where one said', async () => {
	const elsewhere = dirname(clone);
	const first = new Start(['--folder', 'data'], {}, elsewhere);
	await first.untilPrinted(
		`Runs in ${clone} with ["--folder",${JSON.stringify(join(elsewhere, 'data'))}]`,
	);
	await first.stop();
	// As npm does for one who is in a folder of the clone.
	const second = new Start(['--folder', 'data', '--exit'], { INIT_CWD: join(clone, 'docs') });
	const folder = JSON.stringify(join(clone, 'docs/data'));
	await second.untilPrinted(`Runs in ${clone} with ["--folder",${folder},"--exit"]`);
});

it('refuses a folder from which n8n cannot load nodes, before it installs anything', async () => {
	for (const name of ["o'brien", 'back\\slash']) {
		const refused = new Start(['--folder', name]);
		expect(await refused.ended).toBe(2);
		expect(refused.output).toMatch(/^✗ n8n loads no nodes from a path with .*\n$/);
	}
	expect(begun()).toEqual([]);
});

it.each([
	['arm64', "Object.defineProperty(process, 'arch', { value: 'arm64' })", 'Linux on arm64'],
	['Alpine', 'process.report.getReport = () => ({ header: {} })', 'Linux on x64 with musl'],
])(
	'says in one sentence that %s needs containers, before it installs anything',
	async (_, as, said) => {
		const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(as)}`;
		const refused = new Start([], { NODE_OPTIONS });
		expect(await refused.ended).toBe(1);
		expect(refused.output).toMatch(
			new RegExp(`^\\n✗ This needs .* here is ${said}: start it in containers .*\\n$`),
		);
		expect(begun()).toEqual([]);
	},
);
