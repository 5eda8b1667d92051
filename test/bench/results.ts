// RESULTS.md: a part for each kind of run, and each run replaces its own.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { machine } from './machine.ts';

const FILE = new URL('./RESULTS.md', import.meta.url);

export type Part = 'table' | 'limits' | 'soak';

const HEADINGS: Record<Part, string> = {
	table: 'Against what a user would pick instead',
	limits: 'What this machine can do at best',
	soak: 'A mailing into n8n',
};

const INTRODUCTION = `# Results

Written by \`npm run bench\`; what was found, and which limits stand in the way, is told in
[NOTES.md](NOTES.md).`;

/** Replaces one part, dates it, and says what it was measured on. */
export async function writePart(part: Part, text: string): Promise<void> {
	const parts = readParts();
	const date = new Date().toISOString().slice(0, 10);
	parts.set(part, `${text.trim()}\n\nMeasured ${date}: ${machine().join('; ')}.`);
	const written = (Object.keys(HEADINGS) as Part[])
		.filter((name) => parts.has(name))
		.map((name) => `## ${HEADINGS[name]}\n\n${mark(name)}\n\n${parts.get(name)}`);
	const config = await resolveConfig(FILE.pathname);
	const all = [INTRODUCTION, ...written].join('\n\n');
	writeFileSync(FILE, await format(all, { ...config, parser: 'markdown' }));
}

export function writePicture(name: string, svg: string): void {
	writeFileSync(new URL(`./${name}`, import.meta.url), svg);
}

function readParts(): Map<Part, string> {
	const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
	const parts = new Map<Part, string>();
	for (const section of text.split(/^## .*$/m).slice(1)) {
		const part = (Object.keys(HEADINGS) as Part[]).find((name) => section.includes(mark(name)));
		if (part) parts.set(part, section.replace(mark(part), '').trim());
	}
	return parts;
}

function mark(part: Part): string {
	return `<!-- ${part} -->`;
}
