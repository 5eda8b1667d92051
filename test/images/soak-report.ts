// The figures of a long run, as a table.
import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { format, resolveConfig } from 'prettier';

import { podman } from '../support/podman.ts';

/** Of a container's one process, in MB. */
export interface Memory {
	now: number;
	peak: number;
}

export async function memoryOf(id: string): Promise<Memory> {
	const pid = await podman('inspect', '--format', '{{.State.Pid}}', id);
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	const of = (field: string) =>
		Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
	return { now: of('VmRSS'), peak: of('VmHWM') };
}

/** @param share from 0 to 1 */
export function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export interface Figures {
	minutes: number;
	/** Events a second, asked for and reached. */
	rate: number;
	sent: number;
	acknowledged: number;
	refused: number;
	/** Acknowledged, but not in the log. */
	lost: number;
	ofLetters: number;
	expectedOfLetters: number;
	stored: number;
	deliveredOnce: number;
	deliveredTwice: number;
	/** Milliseconds from the request to its answer. */
	p50: number;
	p99: number;
	most: number;
	/** At the start, halfway and at the end. */
	memory: Array<Record<string, Memory>>;
}

/** A Markdown file; it says first whether everything was delivered once. */
export async function report(figures: Figures): Promise<{ text: string; isWhole: boolean }> {
	const { acknowledged, expectedOfLetters, stored, deliveredOnce, memory } = figures;
	const isWhole =
		acknowledged + expectedOfLetters === stored && stored === deliveredOnce && figures.lost === 0;
	const ms = (value: number) => `${value.toFixed(1)} ms`;
	const rows = [
		['events a second, asked for and reached', `${figures.rate}, ${figures.sent.toFixed(1)}`],
		['acknowledged, refused', `${acknowledged}, ${figures.refused}`],
		['acknowledged but not stored', figures.lost],
		[
			"events of the sandbox's letters, stored of expected",
			`${figures.ofLetters} of ${expectedOfLetters}`,
		],
		['stored', stored],
		['delivered once, more than once', `${deliveredOnce}, ${figures.deliveredTwice}`],
		[
			'acknowledgement p50, p99, longest',
			[figures.p50, figures.p99, figures.most].map(ms).join(', '),
		],
		...Object.keys(memory[0]).map((name) => [
			`memory of the ${name}: start, halfway, end, peak (MB)`,
			[...memory.map(({ [name]: { now } }) => now), memory.at(-1)?.[name].peak ?? NaN]
				.map((value) => value.toFixed(0))
				.join(', '),
		]),
	];
	const text = [
		'# Receiver and sandbox in containers, for a while',
		'',
		`Made by \`npm run soak -- --minutes ${figures.minutes} --rate ${figures.rate}\` with the embedded store, on ${cpus().length} × ${cpus()[0]?.model}, load generator and consumer beside it.`,
		'',
		isWhole
			? '**Everything acknowledged was stored and delivered once.**'
			: '**Not everything acknowledged was stored and delivered once.**',
		'',
		'| figure | value |',
		'| --- | --- |',
		...rows.map(([name, value]) => `| ${name} | ${value} |`),
		'',
	].join('\n');
	const options = { ...(await resolveConfig('RESULTS.md')), parser: 'markdown' };
	return { text: await format(text, options), isWhole };
}
