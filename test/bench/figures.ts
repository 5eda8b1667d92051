// Figures in words and tables.
import type { Measurement } from './measure.ts';

type Goal = Pick<Measurement, 'must' | 'aim'>;

/** A measurement with the verdict on its goals, as `--json` writes it. */
export function judge(one: Measurement) {
	const { name, ours, theirs, unit, ratio, goal, must, aim } = one;
	const [met, aimMet] = [reaches(one, 'must'), reaches(one, 'aim')];
	return { name, ours, theirs, unit, ratio, goal, must, met, aim, aimMet };
}

export type Judged = ReturnType<typeof judge>;

function reaches({ ours, theirs, ratio, goal, ...goals }: Measurement, which: keyof Goal): boolean {
	if (goal === 'ratio') return (ratio ?? 0) >= goals[which];
	return ours - (goal === 'excess' ? (theirs ?? 0) : 0) <= goals[which];
}

/** A row of the table, one cell per column. */
export function cells(one: Measurement): Record<string, string> {
	const { met, aimMet } = judge(one);
	return {
		'': met ? (aimMet ? '★' : '✓') : '✗',
		name: one.name,
		what: one.what,
		against: one.peer ?? '–',
		ours: figureText(one.ours, one.unit),
		theirs: figureText(one.theirs, one.unit),
		ratio: ratioText(one.ratio),
		must: goalText(one, 'must'),
		aim: goalText(one, 'aim'),
	};
}

/** `≥ 0.5×`, `≤ 25 ms`, `≤ +64 MB`. */
function goalText({ goal, unit, ...goals }: Measurement, which: keyof Goal): string {
	if (goal === 'ratio') return `≥ ${ratioText(goals[which])}`;
	return `≤ ${goal === 'excess' ? '+' : ''}${figureText(goals[which], unit)}`;
}

/** `11,920 events/s`, `8.4 ms`. */
export function figureText(value: number | null, unit: string): string {
	return value === null ? '–' : `${readable(value)} ${unit}`;
}

export function ratioText(ratio: number | null): string {
	return ratio === null ? '–' : `${readable(ratio)}×`;
}

/** Three significant digits. */
function readable(value: number): string {
	const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
	return Number(value.toFixed(digits)).toLocaleString('en');
}

export function markdownTable(lines: ReadonlyArray<Record<string, string>>): string {
	const columns = Object.keys(lines[0] ?? {});
	return [columns, columns.map(() => '---'), ...lines.map((line) => Object.values(line))]
		.map((all) => `| ${all.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
		.join('\n');
}
