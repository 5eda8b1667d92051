import { spawn } from 'node:child_process';

import { environment, node, root } from './install.mjs';

/** Runs a program on the project's own Node, and ends with its exit code. */
export function runProgram(...args) {
	const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...args], {
		cwd: root,
		stdio: 'inherit',
		env: environment,
	});
	// Ctrl-C in a terminal also reaches the program; this process just waits for it to clean up.
	process.on('SIGINT', () => {});
	for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'));
	child.on('error', (error) => {
		console.error(`✗ ${error.message}`);
		process.exit(1);
	});
	child.on('close', (code) => process.exit(code ?? 1));
}
