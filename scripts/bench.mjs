// npm run bench: installs what is missing, then runs the benchmark on the project's own Node 24.
//   npm run bench -- --help     lists its options
import { join } from 'node:path';

import { install, orExit, root } from './install.mjs';
import { runProgram } from './run-program.mjs';

await orExit(install());
runProgram(
	// This process sends the load; its own pauses would count as the receiver's.
	'--max-semi-space-size=8',
	join(root, 'test', 'bench', 'main.ts'),
	...process.argv.slice(2),
);
