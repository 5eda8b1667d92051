// Runs a command that ends with the process which started it, however that one ends: the standard input
// of this, a pipe, is closed then. Usage: node with-parent.mjs <signal to end it with> <command> [...args]
import { spawn } from 'node:child_process';

const [ending, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
child.on('error', (error) => {
	console.error(error.message);
	process.exit(127);
});
child.on('close', (code) => process.exit(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
	process.on(signal, () => child.kill(signal));
}
process.stdin.resume().on('close', () => child.kill(ending));
