// RESULTS.md, with a part for each kind of run, and its picture.
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { cells, markdownTable } from './figures.ts';
import { machine } from './machine.ts';
import type { Measurement } from './measure.ts';
import { picture } from './picture.ts';

const FILE = new URL('./RESULTS.md', import.meta.url);
const PICTURE = new URL('./results.svg', import.meta.url);

const HEADINGS = { table: 'Against what a user would pick instead', soak: 'A mailing into n8n' };

export type Part = keyof typeof HEADINGS;

const INTRODUCTION = `# Results

Written by \`npm run bench\`; how it is measured, what was found, and which limits stand in the way, is
told in [NOTES.md](NOTES.md).

★ reaches its aim, ✓ reaches what it must, ✗ does not. Medians over several rounds, in turns; higher
ratios are better for ours.`;

/** Replaces one part, dates it, and says what it was measured on. */
export async function writeResults(part: Part, all: readonly Measurement[]): Promise<void> {
	const notes = all.filter(({ note }) => note).map(({ name, note }) => `- **${name}**: ${note}`);
	const date = new Date().toISOString().slice(0, 10);
	const written = [
		...(part === 'table' ? ['![ours against n8n’s own nodes](results.svg)'] : []),
		markdownTable(all.map(cells)),
		notes.join('\n'),
		`Measured ${date}: ${machine()}.`,
	].join('\n\n');
	const parts = { ...readParts(), [part]: written };
	const sections = (Object.keys(HEADINGS) as Part[])
		.filter((name) => parts[name] !== undefined)
		.map((name) => `## ${HEADINGS[name]}\n\n${parts[name]}`);
	const config = await resolveConfig(FILE.pathname);
	const text = [INTRODUCTION, ...sections].join('\n\n');
	writeFileSync(FILE, await format(text, { ...config, parser: 'markdown' }));
	if (part === 'table') writeFileSync(PICTURE, picture(all));
}

function readParts(): Partial<Record<Part, string>> {
	const parts: Partial<Record<Part, string>> = {};
	for (const section of readFileSync(FILE, 'utf8').split(/^## /m).slice(1)) {
		const part = (Object.keys(HEADINGS) as Part[]).find((name) =>
			section.startsWith(HEADINGS[name]),
		);
		if (part) parts[part] = section.slice(HEADINGS[part].length).trim();
	}
	return parts;
}
