// npm run mutation: makes one small change at a time to the pure files and reports the changes that
// no unit test notices. The first run takes an hour or two; later ones only try what has changed.
//   npm run mutation -- --mutate nodes/shared/fields/schedule.ts     tries only this file
//   npm run mutation -- --force                               tries everything again
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { environment, installMutation, mutationFolder, node } from './install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const outcome = join(root, '.local', 'mutation-report', 'mutation.json');

try {
	await installMutation();
} catch (error) {
	console.error(`\n✗ ${error.message}`);
	process.exit(1);
}

// Nobody waits for it, so it runs at the lowest priority.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
rmSync(outcome, { force: true });
const code = await run([
	join(mutationFolder, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js'),
	'run',
	join('test', 'mutation', 'stryker.config.mjs'),
	...process.argv.slice(2),
]);
try {
	console.log(`\n${table(JSON.parse(readFileSync(outcome, 'utf8')))}`);
} catch {
	console.error('\n✗ The mutation tester wrote no report; see above.');
}
process.exit(code);

function run(args) {
	return new Promise((resolve) => {
		const child = spawn(node, args, {
			cwd: root,
			stdio: ['ignore', 'inherit', 'inherit'],
			env: environment,
		});
		child.on('error', () => resolve(1));
		child.on('close', (status) => resolve(status ?? 1));
	});
}

/** Each file's score as Markdown, lowest first: the table in test/mutation/REPORT.md. */
function table({ files }) {
	const rows = Object.entries(files).map(([file, { mutants }]) => count(file, mutants));
	rows.sort((left, right) => score(left) - score(right));
	rows.push(
		rows.reduce(
			(total, row) => ({
				...total,
				noticed: total.noticed + row.noticed,
				missed: total.missed + row.missed,
			}),
			{ file: '**all**', noticed: 0, missed: 0 },
		),
	);
	return [
		'| file | mutants | noticed | missed | score |',
		'| --- | ---: | ---: | ---: | ---: |',
		...rows.map(
			(row) =>
				`| ${row.file} | ${row.noticed + row.missed} | ${row.noticed} | ${row.missed} | ${score(row).toFixed(1)} % |`,
		),
	].join('\n');
}

function count(file, mutants) {
	const having = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
	return {
		file,
		noticed: having('Killed', 'Timeout'),
		missed: having('Survived', 'NoCoverage'),
	};
}

function score({ noticed, missed }) {
	return noticed + missed === 0 ? 100 : (100 * noticed) / (noticed + missed);
}
