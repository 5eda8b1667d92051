// npm run bench: measures every row of the table, or the selected ones.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { endRun, keepTemporaryFilesTogether } from './clean-up.ts';
import { cells, judge } from './figures.ts';
import { measure, type Measurement } from './measure.ts';
import { writeResults } from './results.ts';
import type { Row } from './row.ts';
import { ROWS } from './rows.ts';

const names = (rows: readonly Row[]) => rows.map(({ name }) => name).join(', ');

const HELP = `npm run bench -- [options]

  --only NAME    only this row; may be given more than once
  --short        seconds for a row: shows that it runs, not how fast
  --json FILE    [{name, ours, theirs, unit, ratio, goal, must, met, aim, aimMet}]

Rows: ${names(ROWS)}

A whole run writes test/bench/RESULTS.md and results.svg.
Exit code 1 when a row failed; a goal that is missed is only told.`;

const { values: flags } = parseArgs({
	options: {
		only: { type: 'string', multiple: true },
		short: { type: 'boolean', default: false },
		json: { type: 'string' },
		help: { type: 'boolean', default: false },
	},
});

keepTemporaryFilesTogether();
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.once(signal, () => {
		isStopped = true;
		void endRun().finally(() => process.exit(130));
	});
}

process.exitCode = await run();

async function run(): Promise<number> {
	const unknown = flags.only?.filter((name) => !ROWS.some((row) => row.name === name)) ?? [];
	if (unknown.length > 0) console.error(`✗ There is no row "${unknown.join('", "')}".\n`);
	if (flags.help || unknown.length > 0) {
		console.log(HELP);
		return unknown.length > 0 ? 2 : 0;
	}
	const asked = ROWS.filter(({ name }) => flags.only?.includes(name) ?? true);
	const { measured, failed } = await measureAll(asked);
	await endRun();
	await tell(measured, failed);
	return failed.length > 0 ? 1 : 0;
}

/** A row that fails does not stop the others. */
async function measureAll(asked: readonly Row[]) {
	const measured = new Map<Row, Measurement[]>();
	const failed: string[] = [];
	const withoutN8nFirst = asked.toSorted((a, b) => Number(a.n8n ?? 0) - Number(b.n8n ?? 0));
	for (const row of withoutN8nFirst) {
		if (isStopped) break;
		const started = performance.now();
		console.log(`▶ ${row.name}`);
		try {
			const report = (line: string) => console.log(`    ${line}`);
			measured.set(row, await measure(row, { short: flags.short, report }));
		} catch (error) {
			console.error(error);
			failed.push(`${row.name}: ${(error as Error).message}`);
		}
		const seconds = ((performance.now() - started) / 1000).toFixed(1);
		console.log(`${measured.has(row) ? '✓' : '✗'} ${row.name}  ${seconds} s`);
	}
	return { measured, failed };
}

async function tell(measured: Map<Row, Measurement[]>, failed: readonly string[]): Promise<void> {
	const linesOf = (rows: readonly Row[]) => rows.flatMap((row) => measured.get(row) ?? []);
	const all = linesOf(ROWS);
	// Without the columns too wide for a terminal.
	console.table(all.map(cells), ['', 'name', 'ours', 'theirs', 'ratio', 'must', 'aim']);
	for (const { name } of all.filter((one) => !judge(one).met))
		console.log(`✗ ${name} misses what it must reach`);
	for (const failure of failed) console.log(`✗ failed: ${failure}`);
	if (flags.json) writeFileSync(flags.json, `${JSON.stringify(all.map(judge), null, '\t')}\n`);
	if (flags.short || !ROWS.every((row) => measured.has(row))) return;
	await writeResults(all);
	console.log('\nWritten to test/bench/RESULTS.md');
}
