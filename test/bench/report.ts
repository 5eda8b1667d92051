import type { Measurement } from './benchmark.ts';
import { figureText, goalText, judge, markdownTable, plainTable, ratioText } from './figures.ts';

/** The table for the console. */
export function consoleReport(all: readonly Measurement[]): string {
	const head = ['', 'name', 'ours', 'theirs', 'ratio', 'must', 'aim'];
	return plainTable([
		head,
		...all.map((one) => [
			verdict(one),
			one.name,
			figureText(one.ours, one.unit),
			figureText(one.theirs, one.unit),
			ratioText(one.ratio),
			goalText(one.must, one.unit),
			goalText(one.aim, one.unit),
		]),
	]);
}

/** The same for RESULTS.md, with what was measured and the notes. */
export function resultsText(all: readonly Measurement[]): string {
	const head = ['', 'name', 'what', 'against', 'ours', 'theirs', 'ratio', 'must', 'aim'];
	const table = markdownTable([
		head,
		...all.map((one) => [
			verdict(one),
			one.name,
			one.what,
			one.against ?? '–',
			figureText(one.ours, one.unit),
			figureText(one.theirs, one.unit),
			ratioText(one.ratio),
			goalText(one.must, one.unit),
			goalText(one.aim, one.unit),
		]),
	]);
	const notes = all
		.filter(({ note }) => note !== undefined)
		.map(({ name, note }) => `- **${name}**: ${note}`);
	return [
		'![ours against n8n’s own nodes](results.svg)',
		'★ reaches its aim, ✓ reaches what it must, ✗ does not. Medians over several rounds, in turns; higher ratios are better for ours.',
		table,
		notes.join('\n'),
	].join('\n\n');
}

function verdict(one: Measurement): string {
	const { met, aimMet } = judge(one);
	if (!met) return '✗';
	return aimMet ? '★' : '✓';
}
