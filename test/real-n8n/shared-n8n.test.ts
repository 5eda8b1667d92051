// The n8n that the files of a Jest worker have in turn: what one file does is no business of the next,
// and nothing of it outlasts the worker.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { root } from '../n8n/folders.ts';
import { isRunning } from '../n8n/host.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { untilAsleep } from './awaiting.ts';
import { pause } from './pulling.ts';
import { saveChain, START } from './workflows.ts';

jest.setTimeout(120_000);

const stacks: Stack[] = [];

afterAll(async () => {
	for (const stack of stacks) await stack.close();
}, 60_000);

async function startStack(): Promise<Stack> {
	const stack = await startTemporaryStack();
	stacks.push(stack);
	return stack;
}

it('is the same for the next file, and empty: no workflow, no execution, no credential', async () => {
	const one = await startStack();
	await one.api.run(await saveChain(one, 'Ended', [START]));
	const sleeping = await saveChain(one, 'Sleeping', [START, pause(3600)]);
	await untilAsleep(one, await one.api.start(sleeping));

	const next = await startStack();
	expect(next.n8n.pid).toBe(one.n8n.pid);
	expect(await next.api.allExecutionIds()).toEqual([]);
	for (const name of ['Ended', 'Sleeping'])
		expect(await next.api.findWorkflow(name)).toBe(undefined);
	// Those of the same name are others.
	for (const name of one.credentialNames)
		expect(next.credentialId(name)).not.toBe(one.credentialId(name));
});

it('ends with its worker, however that one ends', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'registered-delivery-workers-'));
	const code = `
		import { takeWorkersN8n } from ${JSON.stringify(join(root, 'test/n8n/workers-n8n.ts'))};
		console.log((await takeWorkersN8n()).running.pid);
		setInterval(() => {}, 1000);`;
	const worker = spawn(process.execPath, ['--input-type=module', '--eval', code], {
		env: { ...process.env, N8N_OF_WORKERS: folder },
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	try {
		const [line] = (await once(createInterface(worker.stdout), 'line')) as [string];
		const pid = Number(line);
		expect(isRunning(pid)).toBe(true);
		worker.kill('SIGKILL');
		await until('n8n to end', async () => !isRunning(pid));
	} finally {
		worker.kill('SIGKILL');
		await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
	}
});
