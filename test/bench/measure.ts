import { endRow } from './clean-up.ts';
import { figureText } from './figures.ts';
import type { Line, Row, Side } from './row.ts';

/** A line of the table with its results. */
export interface Measurement extends Line {
	name: string;
	/** What a user would have instead; null for standalone figures. */
	peer: string | null;
	/** Median over the rounds. */
	ours: number;
	theirs: number | null;
	/** Median of the rounds' ratios, oriented so that higher is better for ours. */
	ratio: number | null;
}

interface Round {
	ours: Record<string, number>;
	theirs: Record<string, number> | null;
}

/**
 * Measures ours, theirs, theirs, ours, … Two figures of one round meet the same machine with the
 * same neighbours, so their ratio holds while the figures themselves drift; the median drops a
 * round in which something else ran.
 */
export async function measure(
	row: Row,
	{ short, report }: { short: boolean; report: (line: string) => void },
): Promise<Measurement[]> {
	try {
		const sides = await row.start(short);
		const rounds: Round[] = [];
		const side = async (name: keyof Round) => {
			const [before, began] = [process.cpuUsage(), performance.now()];
			const figures = await sides[name]?.();
			const { user, system } = process.cpuUsage(before);
			const cores = (user + system) / 1_000 / (performance.now() - began);
			const own = `this process took ${cores.toFixed(2)} cores`;
			if (figures) report(`${name.padEnd(6)}  ${figuresText(row, figures)}; ${own}`);
			return figures ?? null;
		};
		const from = row.warmUp && !short ? 0 : 1;
		for (let n = from; n <= (short ? 1 : row.rounds); n++) {
			const first = n % 2 === 0 ? await side('theirs') : null;
			const ours = (await side('ours')) as Round['ours'];
			const theirs = first ?? (await side('theirs'));
			if (n > 0) rounds.push({ ours, theirs });
		}
		return Object.entries(row.lines).map(([name, line]) => conclude(row, name, line, rounds));
	} finally {
		await endRow();
	}
}

function figuresText({ lines }: Row, figures: Awaited<ReturnType<Side<string>>>): string {
	return Object.entries(lines)
		.map(([name, { unit }]) => `${name} ${figureText(figures[name], unit)}`)
		.join(', ');
}

function conclude({ peer }: Row, name: string, line: Line, rounds: readonly Round[]): Measurement {
	const compared = rounds.flatMap(({ ours, theirs }) =>
		theirs === null ? [] : [{ ours: ours[name], theirs: theirs[name] }],
	);
	const isRate = line.unit.endsWith('/s');
	const ratios = compared.map(({ ours, theirs }) => (isRate ? ours / theirs : theirs / ours));
	return {
		...line,
		name,
		peer: compared.length > 0 ? peer : null,
		ours: median(rounds.map(({ ours }) => ours[name])),
		theirs: compared.length > 0 ? median(compared.map(({ theirs }) => theirs)) : null,
		ratio: ratios.length > 0 ? median(ratios) : null,
	};
}

function median(values: readonly number[]): number {
	return quantile(values, 0.5);
}

/** The value that the given share does not exceed; between two values, their mean. */
export function quantile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((left, right) => left - right);
	const place = (sorted.length - 1) * share;
	const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
	return below + (above - below) * (place % 1);
}
