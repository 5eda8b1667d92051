// npm start: installs what is missing, then runs the demo on the project's own Node 24.
// npm run dev: the same, but reloading on source changes.
//   npm start -- --exit            ends once every step has succeeded
//   npm start -- --folder PATH     keeps its data there, beside another one
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { environment, install, node } from './install.mjs';

const { dev, exit, folder } = readArguments();
const inDemo = (file) => fileURLToPath(new URL(`../demo/${file}`, import.meta.url));
const program = (file, ...args) => [
	node,
	['--disable-warning=ExperimentalWarning', inDemo(file), ...args],
	{ stdio: 'inherit', env: environment },
];

// If its Node is missing, nothing can be running that an installation would break.
if (existsSync(node)) {
	const { status } = spawnSync(...program('only-one.ts', folder));
	if (status === 1) process.exit(1);
}
try {
	await install();
} catch (error) {
	console.error(`\n✗ ${error.message}`);
	process.exit(1);
}

const demo = spawn(
	...program(dev ? 'dev.ts' : 'main.ts', '--folder', folder, ...(exit ? ['--exit'] : [])),
);
// Ctrl-C in a terminal also reaches the demo; this process just waits for it to clean up.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => demo.kill('SIGTERM'));
process.on('SIGHUP', () => demo.kill('SIGTERM'));
demo.on('close', (code) => process.exit(code ?? 1));

function readArguments() {
	try {
		const { values } = parseArgs({
			options: {
				dev: { type: 'boolean', default: false },
				exit: { type: 'boolean', default: false },
				folder: { type: 'string' },
			},
		});
		const kept = fileURLToPath(
			new URL(`../.local/${values.dev ? 'dev' : 'demo'}`, import.meta.url),
		);
		return { ...values, folder: values.folder ? resolve(values.folder) : kept };
	} catch (error) {
		console.error(`✗ ${error.message}`);
		process.exit(2);
	}
}
