import { spawn } from 'node:child_process';

/**
 * Runs a command as one step with a line that shows it is alive; prints its output only on failure,
 * and then rejects with a short Error.
 */
export async function runStep(title, command, args, options = {}) {
	const progress = startProgress(title);
	const { code, output } = await run(command, args, options);
	progress.end(code === 0);
	if (code === 0) return;
	process.stderr.write(output);
	throw new Error(`"${[command, ...args].join(' ')}" failed with exit code ${code}; see above.`);
}

function run(command, args, options) {
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
		const chunks = [];
		child.stdout.on('data', (chunk) => chunks.push(chunk));
		child.stderr.on('data', (chunk) => chunks.push(chunk));
		child.on('error', reject);
		child.on('close', (code, signal) =>
			resolve({ code: code ?? signal, output: Buffer.concat(chunks).toString() }),
		);
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
