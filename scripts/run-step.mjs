import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const WITH_PARENT = fileURLToPath(new URL('with-parent.mjs', import.meta.url));
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command as one step with a line that shows it is alive; prints its output only on failure,
 * and then rejects with a short Error.
 */
export async function runStep(title, command, args, options = {}) {
	const progress = startProgress(title);
	const { code, output, isStopped } = await run(command, args, options);
	progress.end(code === 0);
	if (code === 0) return;
	if (isStopped) throw new Error('Stopped before it was done. The next start begins it again.');
	process.stderr.write(output);
	throw new Error(`"${[command, ...args].join(' ')}" failed with exit code ${code}; see above.`);
}

/**
 * A stop ends the command with all that it has started, and waits for it. It ends with this process,
 * too, however that one ends: nothing goes on behind.
 */
function run(command, args, options) {
	return new Promise((resolve) => {
		const child = spawn(process.execPath, [WITH_PARENT, 'SIGTERM', command, ...args], {
			...options,
			stdio: ['pipe', 'pipe', 'pipe'],
			// A group of its own, to be ended as one.
			detached: true,
		});
		const chunks = [];
		let isStopped = false;
		const stop = () => {
			isStopped = true;
			try {
				process.kill(-child.pid, 'SIGTERM');
			} catch {
				// It has ended by itself.
			}
		};
		for (const signal of STOPS) process.on(signal, stop);
		const end = (code) => {
			for (const signal of STOPS) process.off(signal, stop);
			resolve({ code, output: Buffer.concat(chunks).toString(), isStopped });
		};
		child.stdout.on('data', (chunk) => chunks.push(chunk));
		child.stderr.on('data', (chunk) => chunks.push(chunk));
		child.on('error', (error) => {
			chunks.push(Buffer.from(`${error.message}\n`));
			end(error.code);
		});
		child.on('close', (code, signal) => end(code ?? signal));
	});
}

// On a terminal, a running count on one line; in a log, a line now and then.
function startProgress(title) {
	const started = Date.now();
	const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
	const isTerminal = process.stdout.isTTY;
	if (!isTerminal) console.log(`… ${title}`);
	const timer = setInterval(
		() => process.stdout.write(isTerminal ? `\r… ${title}  ${seconds()} ` : `  … ${seconds()}\n`),
		isTerminal ? 1000 : 20_000,
	);
	return {
		end(ok) {
			clearInterval(timer);
			process.stdout.write(`${isTerminal ? '\r' : ''}${ok ? '✓' : '✗'} ${title}  ${seconds()}\n`);
		},
	};
}
