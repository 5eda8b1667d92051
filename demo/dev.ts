// npm run dev: sandbox, receiver and a real n8n with the pack, each reloading on source changes.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { OWNER } from '../test/n8n/api.ts';
import { exampleFiles } from '../test/n8n/example-workflows.ts';
import { root } from '../test/n8n/folders.ts';
import { packTarball } from '../test/n8n/pack.ts';
import { Stack } from '../test/n8n/stack.ts';
import { onlyOne } from './only-one.ts';
import { PORTS } from './ports.ts';

const {
	values: { folder: FOLDER },
} = parseArgs({ options: { folder: { type: 'string', default: '' } } });

/** Where n8n keeps the installed pack; it reloads the pack on its own when a file in it changes. */
const INSTALLED = join(FOLDER, 'n8n', '.n8n', 'nodes', 'node_modules');

/** Editors save a file in several steps, and switching branches writes many. */
const SETTLED_AFTER = 200;

const lock = await onlyOne(FOLDER).catch((error: Error) => {
	console.error(`✗ ${error.message}`);
	process.exit(1);
});
const stopping = new AbortController();
let stack: Stack | undefined;
let compiler: ChildProcess | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(signal, () => void stop(0));
}

try {
	await start();
} catch (error) {
	// A step interrupted by a stop has not failed.
	if (!stopping.signal.aborted) {
		console.error(`\n✗ ${(error as Error).message}`);
		await stop(1);
	}
}

async function start(): Promise<void> {
	const onStep = (step: string) => console.log(`… ${step}`);
	onStep('Building the pack');
	const tarball = await packTarball(FOLDER);
	stack = new Stack({
		folder: FOLDER,
		tarball,
		ownProcesses: true,
		ports: PORTS,
		onStep,
		signal: stopping.signal,
		receiverEnv: { CLOCK: 'service' },
		sandbox: { examples: true },
		n8nEnv: { N8N_DEV_RELOAD: 'true' },
	});
	await stack.start();
	await lock.tell(stack.n8n.url);
	for (const file of await exampleFiles()) await stack.importExample(file);

	const [name] = await readdir(INSTALLED).then((all) => all.filter((one) => !one.startsWith('.')));
	compiler = followPack(join(INSTALLED, name));
	const running = stack;
	followPart('sandbox', join(root, 'sandbox', 'src'), () => running.restartSandbox());
	followPart('receiver', join(root, 'webhook-receiver', 'src'), () => running.restartReceiver());
	printAddresses(stack);
}

/** Compiles the nodes on each change, straight into the pack n8n has installed. */
function followPack(installed: string): ChildProcess {
	const icons = join(root, 'icons');
	follow(icons, async () => await cp(icons, join(installed, 'dist', 'icons'), { recursive: true }));
	return spawn(
		process.execPath,
		[
			join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
			'--watch',
			'--preserveWatchOutput',
			'--outDir',
			join(installed, 'dist'),
		],
		{ cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
	);
}

function followPart(part: string, folder: string, restart: () => Promise<void>): void {
	follow(folder, async () => {
		console.log(`… Restarting the ${part}`);
		await restart();
		console.log(`✓ The ${part} runs from its changed sources.`);
	});
}

/** Runs the work after each change in the folder, one at a time; a failure waits for the next. */
function follow(folder: string, work: () => Promise<void>): void {
	let timer: NodeJS.Timeout | undefined;
	let last = Promise.resolve();
	const changed = () => {
		clearTimeout(timer);
		timer = setTimeout(() => {
			last = last.then(async () => {
				if (stopping.signal.aborted) return;
				await work().catch((error: Error) => console.error(`✗ ${error.message}`));
			});
		}, SETTLED_AFTER);
	};
	watch(folder, { recursive: true, signal: stopping.signal }, changed);
}

function printAddresses({ n8n, sandbox, receiver, managementToken }: Stack): void {
	console.log(`
  n8n editor            ${n8n.url}   ${OWNER.email} / ${OWNER.password}
  Mails of the sandbox  ${sandbox.pageUrl}
  Webhook receiver      ${receiver.url}   management token ${managementToken}

✓ Following the sources. A change in nodes/, credentials/ or icons/ is in n8n within seconds (the
  editor says so, or reload it); one in sandbox/ or webhook-receiver/ restarts that part.
  Press Ctrl-C to end it.
`);
}

/** Stops everything, even what is still starting; later calls do nothing. */
async function stop(code: number): Promise<void> {
	if (stopping.signal.aborted) return;
	stopping.abort();
	console.log('\n… Stopping');
	if (compiler && compiler.exitCode === null && compiler.signalCode === null) {
		compiler.kill();
		await once(compiler, 'exit');
	}
	await stack?.close();
	await lock.release();
	console.log('✓ Everything has ended.');
	process.exit(code);
}
