// Checks that the benchmark runs, not how fast: every row in its short form, with nothing left
// over.
import { execFile } from 'node:child_process';
import {
	chmodSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	readdirSync,
	readlinkSync,
	rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../n8n/folders.ts';
import type { Judged } from './figures.ts';
import { ROWS } from './rows.ts';

const run = promisify(execFile);

it('measures every row, and leaves no process and no file behind', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'bench-'));
	try {
		const json = join(folder, 'figures.json');
		const temporary = mkdtempSync(join(folder, 'temporary-'));
		// PostgreSQL runs as its own user where the tests run as root.
		for (const path of [folder, temporary]) chmodSync(path, 0o755);
		const main = join(root, 'test', 'bench', 'main.ts');
		const only = ROWS.flatMap(({ name }) => ['--only', name]);
		await run(process.execPath, [main, '--short', '--json', json, ...only], {
			cwd: root,
			env: { ...process.env, TMPDIR: temporary },
			maxBuffer: 2 ** 26,
		}).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
			throw new Error(`The benchmark failed.\n${stdout}\n${stderr}`);
		});

		const figures = JSON.parse(readFileSync(json, 'utf8')) as Judged[];
		expect(figures.map(({ name }) => name)).toEqual(
			ROWS.flatMap(({ lines }) => Object.keys(lines)),
		);
		for (const figure of figures) {
			const { name, ours, theirs, ratio, must, aim } = figure;
			const numbers = [ours, theirs ?? 0, ratio ?? 0, must, aim];
			expect({ name, finite: numbers.every(Number.isFinite) }).toEqual({ name, finite: true });
			expect(figure).toMatchObject({
				unit: expect.stringMatching(/\w/),
				met: expect.any(Boolean),
				aimMet: expect.any(Boolean),
			});
			// A standalone figure has neither.
			expect({ name, compared: theirs === null }).toEqual({ name, compared: ratio === null });
		}
		expect(processesIn(temporary)).toEqual([]);
		// npm keeps its compile cache there permanently.
		const left = readdirSync(temporary).filter((name) => name !== 'node-compile-cache');
		expect(left).toEqual([]);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}, 600_000);

/** Command lines of processes that mention the folder, as all that the benchmark starts do. */
function processesIn(folder: string): string[] {
	if (!existsSync('/proc/self/environ')) return [];
	return readdirSync('/proc')
		.filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
		.flatMap((pid) => {
			try {
				const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
				const known = [
					command,
					readFileSync(`/proc/${pid}/environ`, 'utf8'),
					readlinkSync(`/proc/${pid}/cwd`),
				];
				return command !== '' && known.some((text) => text.includes(folder)) ? [command] : [];
			} catch {
				// It has ended meanwhile, or belongs to another user.
				return [];
			}
		});
}
