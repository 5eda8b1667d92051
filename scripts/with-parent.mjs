// Runs a command that ends with the process which started it, however that one ends: the standard input
// of this, a pipe, is closed then. Usage: node with-parent.mjs <signal to end it with> <command> [...args]
// The folder that KEPT_FOLDER names, if any, goes with it.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const [ending, command, ...args] = process.argv.slice(2);
let isForsaken = false;
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
child.on('error', (error) => {
	console.error(error.message);
	process.exit(127);
});
child.on('close', (code) => {
	const { KEPT_FOLDER: folder } = process.env;
	try {
		if (isForsaken && folder) rmSync(folder, { recursive: true, force: true });
	} finally {
		process.exit(code ?? 1);
	}
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
	process.on(signal, () => child.kill(signal));
}
process.stdin.resume().on('close', () => {
	isForsaken = true;
	child.kill(ending);
});
