import type { Goal, Measurement } from './benchmark.ts';

/** A measurement with what became of its goals, as `--json` writes it. */
export interface Judged {
	name: string;
	ours: number;
	theirs: number | null;
	unit: string;
	ratio: number | null;
	must: Goal;
	met: boolean;
	aim: Goal;
	aimMet: boolean;
}

export function judge({ name, ours, theirs, unit, ratio, must, aim }: Measurement): Judged {
	const reaches = ({ kind, value, of }: Goal) => {
		const figure = of === 'ours' ? ours : ratio;
		if (figure === null) return false;
		return kind === 'min' ? figure >= value : figure <= value;
	};
	return { name, ours, theirs, unit, ratio, must, met: reaches(must), aim, aimMet: reaches(aim) };
}

/** `≥ 0.5×` or `≤ 25 ms`. */
export function goalText({ kind, value, of }: Goal, unit: string): string {
	const sign = kind === 'min' ? '≥' : '≤';
	return `${sign} ${of === 'ratio' ? `${readable(value)}×` : `${readable(value)} ${unit}`}`;
}

/** `11,920 events/s`, `8.4 ms`. */
export function figureText(value: number | null, unit: string): string {
	return value === null ? '–' : `${readable(value)} ${unit}`;
}

export function ratioText(ratio: number | null): string {
	return ratio === null ? '–' : `${readable(ratio)}×`;
}

/** Three digits that count, no more. */
export function readable(value: number): string {
	const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
	return Number(value.toFixed(digits)).toLocaleString('en');
}

/** A Markdown table; the first line is its head. */
export function markdownTable(lines: ReadonlyArray<readonly string[]>): string {
	const [head = [], ...body] = lines;
	return [head, head.map(() => '---'), ...body]
		.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
		.join('\n');
}

/** A table for the console. */
export function plainTable(lines: ReadonlyArray<readonly string[]>): string {
	const widths = (lines[0] ?? []).map((_, column) =>
		Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
	);
	return lines
		.map((cells) =>
			cells
				.map((cell, column) => cell.padEnd(widths[column] ?? 0))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}
