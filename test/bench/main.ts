// npm run bench: measures every row of the table, or what is asked for.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Measurement } from './benchmark.ts';
import { judge } from './figures.ts';
import { limits } from './limits.ts';
import { endAll } from './processes.ts';
import { resultsPicture } from './picture.ts';
import { writePart, writePicture } from './results.ts';
import { NEEDS_N8N, ROW_NAMES, RUN_ORDER, loadRow } from './rows.ts';
import { soak } from './soak.ts';
import { consoleReport, resultsText } from './report.ts';

const HELP = `npm run bench -- [options]

  --only NAME    only this row; may be given more than once
  --short        seconds for a row: shows that it runs, not how fast
  --json FILE    [{name, ours, theirs, unit, ratio, must, met, aim, aimMet}]
  --limits       instead: what this machine can do at best, such as commits a second
  --soak LETTERS instead: a mailing of so many letters into n8n, such as 20000

Rows: ${ROW_NAMES.join(', ')}

A whole run writes test/bench/RESULTS.md and results.svg.
Exit code 1 when a row failed; a goal that is missed is only told.`;

const { values: flags } = parseArgs({
	options: {
		only: { type: 'string', multiple: true },
		short: { type: 'boolean', default: false },
		json: { type: 'string' },
		limits: { type: 'boolean', default: false },
		soak: { type: 'string' },
		help: { type: 'boolean', default: false },
	},
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.once(signal, () => void closeN8n().finally(() => process.exit(130)));
}

let usesN8n = false;

const say = (line: string) => console.log(line);
const round = { short: flags.short, report: (line: string) => say(`    ${line}`) };

process.exitCode = await run().catch((error: Error) => {
	console.error(`✗ ${error.stack ?? error.message}`);
	return 1;
});
endAll();

async function run(): Promise<number> {
	if (flags.help) {
		say(HELP);
		return 0;
	}
	if (flags.limits) {
		await limits(round);
		return 0;
	}
	if (flags.soak !== undefined) {
		usesN8n = true;
		await soak(Number(flags.soak), round);
		await closeN8n();
		return 0;
	}
	return await table();
}

async function table(): Promise<number> {
	const unknown = flags.only?.filter((name) => !ROW_NAMES.includes(name)) ?? [];
	if (unknown.length > 0) {
		console.error(`✗ There is no row "${unknown.join('", "')}".\n\n${HELP}`);
		return 2;
	}
	const { measured, failed } = await measure(RUN_ORDER.filter((name) => isAsked(name)));
	const all = ROW_NAMES.flatMap((name) => measured.get(name) ?? []);

	say(`\n${consoleReport(all)}`);
	for (const [name, error] of failed) say(`✗ ${name} failed: ${error.message}`);
	if (flags.json !== undefined) {
		writeFileSync(flags.json, `${JSON.stringify(all.map(judge), null, '\t')}\n`);
	}
	const isWhole = !flags.short && flags.only === undefined && failed.size === 0;
	if (isWhole) {
		await writePart('table', resultsText(all));
		writePicture('results.svg', resultsPicture(all));
		say('\nWritten to test/bench/RESULTS.md and results.svg');
	}
	return failed.size === 0 ? 0 : 1;
}

function isAsked(name: string): boolean {
	return flags.only === undefined || flags.only.includes(name);
}

/** A row that fails leaves the others to go on. */
async function measure(names: readonly string[]) {
	const measured = new Map<string, Measurement[]>();
	const failed = new Map<string, Error>();
	for (const name of names) {
		const started = performance.now();
		say(`▶ ${name}`);
		try {
			usesN8n ||= NEEDS_N8N.has(name);
			const row = await loadRow(name);
			measured.set(name, await row.measure(round));
		} catch (error) {
			console.error(error);
			failed.set(name, error as Error);
		}
		const seconds = ((performance.now() - started) / 1000).toFixed(1);
		say(`${failed.has(name) ? '✗' : '✓'} ${name}  ${seconds} s`);
	}
	await closeN8n();
	return { measured, failed };
}

/** The n8n that rows share, if one of them was run. */
async function closeN8n(): Promise<void> {
	if (!usesN8n) return;
	const { closeStack } = await import('./n8n-stack.ts');
	await closeStack();
}
