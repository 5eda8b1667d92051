// npm run mutation: makes one small change at a time to the pure files and reports the changes that
// no unit test notices. The first run takes an hour or two; later ones only try what has changed.
//   npm run mutation -- --mutate nodes/SendLetter/schedule.ts   tries only this file
//   npm run mutation -- --force                                    tries everything again
//   npm run mutation -- --ignoreStatic                             leaves out what runs as a file loads
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { environment, installMutation, mutationFolder, node, orExit, root } from './install.mjs';

await orExit(installMutation());

// It is in no hurry, so it runs at the lowest priority.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const { mutate } = parseArgs({ strict: false, options: { mutate: { type: 'string' } } }).values;
let code = 0;
const files = {};
for (const part of mutate === undefined ? ['receiver', 'pack'] : [partOf(mutate)]) {
	console.log(`\n▶ ${part}`);
	const outcome = join(root, '.local', 'mutation-report', part, 'mutation.json');
	rmSync(outcome, { force: true });
	code = Math.max(code, await run(part));
	if (existsSync(outcome)) Object.assign(files, JSON.parse(readFileSync(outcome, 'utf8')).files);
	else console.error('\n✗ The mutation tester wrote no report; see above.');
}
console.log(`\n${table(files)}`);
process.exit(code);

function partOf(file) {
	return file.startsWith('webhook-receiver/') ? 'receiver' : 'pack';
}

/** Tries the pure files of one part against its own unit tests. */
function run(part) {
	const stryker = join(mutationFolder, 'node_modules', '@stryker-mutator', 'core', 'bin');
	const config = join('test', 'mutation', 'stryker.config.mjs');
	const args = [join(stryker, 'stryker.js'), 'run', config, ...process.argv.slice(2)];
	return new Promise((resolve) => {
		const child = spawn(node, args, {
			cwd: root,
			stdio: ['ignore', 'inherit', 'inherit'],
			env: { ...environment, MUTATION_PART: part },
		});
		child.on('error', () => resolve(1));
		child.on('close', (status) => resolve(status ?? 1));
	});
}

/** Each file's score as Markdown, lowest first: the table in test/mutation/REPORT.md. */
function table(files) {
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
