// What CI runs, on a machine that has none of what it needs, by those it may run as.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../../n8n/folders.ts';
import { findProgram } from '../../support/programs.ts';

const run = promisify(execFile);

let bin: string;

beforeEach(async () => {
	bin = await mkdtemp(join(tmpdir(), 'registered-delivery-ci-'));
	for (const name of ['bash', 'dirname', 'env']) {
		await symlink(String(findProgram(name)), join(bin, name));
	}
	await program('npm', 'echo "npm $*" >> "$TRACE"');
	await program('sudo', 'IS_ROOT=1 exec "$@"');
	// Only root may.
	await program('apt-get', '[ -n "${IS_ROOT-}" ] && echo "apt-get $*" >> "$TRACE"');
});
afterEach(async () => {
	await rm(bin, { recursive: true, force: true });
});

async function program(name: string, script: string): Promise<void> {
	const file = join(bin, name);
	await writeFile(file, `#!${join(bin, 'bash')}\n${script}\n`);
	await chmod(file, 0o755);
}

it.each([
	['root', '0', '1'],
	['a user who may become root', '1001', ''],
])('%s installs what is missing, then runs npm test', async (_, id, isRoot) => {
	await program('id', `echo ${id}`);
	const trace = join(bin, 'trace');
	await run(join(bin, 'bash'), [join(root, '.ci/run')], {
		env: { PATH: bin, TRACE: trace, IS_ROOT: isRoot },
	});
	expect((await readFile(trace, 'utf8')).trim().split('\n')).toEqual([
		expect.stringMatching(/^apt-get .*update$/),
		expect.stringMatching(/^apt-get .*install .*g\+\+ make python3 redis-server prometheus$/),
		'npm test',
	]);
});
