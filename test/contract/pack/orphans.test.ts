// Whatever starts an n8n may be killed; the n8n must not outlive it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { root } from '../../n8n/folders.ts';
import { isRunning } from '../../n8n/host.ts';
import { until } from '../../n8n/poll.ts';

const GUARD = join(root, 'test', 'n8n', 'with-parent.cjs');

/** Starts a process as `host.ts` starts n8n, and prints its id. */
const STARTER = `
	const child = require('node:child_process').spawn(
		process.execPath,
		['--require', ${JSON.stringify(GUARD)}, '-e', 'setInterval(() => {}, 1000)'],
		{ detached: true, stdio: 'ignore', env: { STARTED_BY: String(process.pid) } },
	);
	console.log(child.pid);
	setInterval(() => {}, 1000);`;

it('an n8n ends with the process that started it, however that one ends', async () => {
	const starter = spawn(process.execPath, ['-e', STARTER], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [line] = (await once(createInterface(starter.stdout), 'line')) as [string];
	const pid = Number(line);
	expect(isRunning(pid)).toBe(true);
	starter.kill('SIGKILL');
	await until('it to end', async () => !isRunning(pid));
});
