// RESULTS.md and its picture.
import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { cells, markdownTable } from './figures.ts';
import { machine } from './machine.ts';
import type { Measurement } from './measure.ts';
import { picture } from './picture.ts';

const FILE = new URL('./RESULTS.md', import.meta.url);
const PICTURE = new URL('./results.svg', import.meta.url);

const INTRODUCTION = `# Results

Written by \`npm run bench\`; how it is measured, what was found, and which limits stand in the way, is
told in [NOTES.md](NOTES.md).

★ reaches its aim, ✓ reaches what it must, ✗ does not. Medians over several rounds, in turns; higher
ratios are better for ours.`;

/** Writes all of it, dates it, and says what it was measured on. */
export async function writeResults(all: readonly Measurement[]): Promise<void> {
	const notes = all.filter(({ note }) => note).map(({ name, note }) => `- **${name}**: ${note}`);
	const date = new Date().toISOString().slice(0, 10);
	const text = [
		INTRODUCTION,
		'![ours against n8n’s own nodes](results.svg)',
		markdownTable(all.map(cells)),
		notes.join('\n'),
		`Measured ${date}: ${machine()}.`,
	].join('\n\n');
	const config = await resolveConfig(FILE.pathname);
	writeFileSync(FILE, await format(text, { ...config, parser: 'markdown' }));
	writeFileSync(PICTURE, picture(all));
}
