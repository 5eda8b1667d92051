// npm run bench: installs what is missing, then runs the benchmark on the project's own Node 24.
//   npm run bench -- --help     lists its options
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { environment, install, node } from './install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

try {
	await install();
} catch (error) {
	console.error(`\n✗ ${error.message}`);
	process.exit(1);
}

const bench = spawn(
	node,
	[
		'--disable-warning=ExperimentalWarning',
		// This process sends the load; its own pauses would count as the receiver's.
		'--max-semi-space-size=8',
		join(root, 'test', 'bench', 'main.ts'),
		...process.argv.slice(2),
	],
	{ cwd: root, stdio: 'inherit', env: environment },
);
// Ctrl-C in a terminal also reaches the benchmark; this process just waits for it to clean up.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => bench.kill('SIGTERM'));
process.on('SIGHUP', () => bench.kill('SIGTERM'));
bench.on('close', (code) => process.exit(code ?? 1));
