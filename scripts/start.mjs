// npm start: installs what is missing, then runs the demo on the project's own Node 24.
// npm run dev: the same, but reloading on source changes.
//   npm start -- --exit            ends once every step has succeeded
//   npm start -- --folder PATH     keeps its data there, beside another one
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { install, orExit, root } from './install.mjs';
import { runProgram } from './run-program.mjs';

const { dev, exit, folder } = readArguments();
await orExit(install());
const more = [dev && '--dev', exit && '--exit'].filter(Boolean);
runProgram(join(root, 'demo', 'main.ts'), '--folder', folder, ...more);

function readArguments() {
	try {
		const { values } = parseArgs({
			options: {
				dev: { type: 'boolean', default: false },
				exit: { type: 'boolean', default: false },
				folder: { type: 'string' },
			},
		});
		const kept = join(root, '.local', values.dev ? 'dev' : 'demo');
		// npm runs this in the root, wherever in it the user is.
		const here = process.env.INIT_CWD ?? '';
		const folder = values.folder ? resolve(here, values.folder) : kept;
		const unusable = [root, folder].find((path) => /['\\]/.test(path));
		if (unusable === undefined) return { ...values, folder };
		throw new Error(
			`n8n loads no nodes from a path with an apostrophe or a backslash: ${unusable}. Use another one.`,
		);
	} catch (error) {
		console.error(`✗ ${error.message}`);
		process.exit(2);
	}
}
