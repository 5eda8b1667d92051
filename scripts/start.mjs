// npm start: installs what is missing, then runs the demo on the project's own Node 24.
// npm run dev: the same, but reloading on source changes.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { environment, install, node } from './install.mjs';

try {
	await install();
} catch (error) {
	console.error(`\n✗ ${error.message}`);
	process.exit(1);
}

const isDev = process.argv[2] === '--dev';
const program = fileURLToPath(new URL(`../demo/${isDev ? 'dev' : 'main'}.ts`, import.meta.url));
const demo = spawn(
	node,
	['--disable-warning=ExperimentalWarning', program, ...process.argv.slice(isDev ? 3 : 2)],
	{ stdio: 'inherit', env: environment },
);
// Ctrl-C in a terminal also reaches the demo; this process just waits for it to clean up.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => demo.kill('SIGTERM'));
process.on('SIGHUP', () => demo.kill('SIGTERM'));
demo.on('close', (code) => process.exit(code ?? 1));
