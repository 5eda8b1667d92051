// The documents of the repository, as a reader on GitHub gets them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../n8n/folders.ts';

export const read = (file: string): string => readFileSync(join(root, file), 'utf8');
export const json = (file: string) => JSON.parse(read(file));

/** Files below a folder of the repository, by their ending; installed and built ones left out. */
export function filesIn(folder: string, ending: RegExp): string[] {
	return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (/^(node_modules|dist|\.local|\.git|coverage)$/.test(entry.name)) return [];
		if (entry.isDirectory()) return filesIn(path, ending);
		return ending.test(entry.name) ? [path] : [];
	});
}

const withoutBlocks = (text: string) => text.replace(/^( *)```[\s\S]*?^\1```/gm, '');

/** Code apart: what stands in it is no link and no name. */
export const prose = (text: string): string => withoutBlocks(text).replace(/(`+)[^`\n]+\1/g, '`');

/** The anchor of a heading. */
export const slug = (heading: string): string =>
	heading
		.trim()
		.toLowerCase()
		.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replace(/[^\p{L}\p{N}\s_-]/gu, '')
		.replace(/\s/g, '-');

/** The anchors GitHub gives the headings of a document. */
export function anchors(file: string): Set<string> {
	const seen = new Map<string, number>();
	const slugs = [...withoutBlocks(read(file)).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading]) => {
		const name = slug(heading);
		const count = seen.get(name) ?? 0;
		seen.set(name, count + 1);
		return count === 0 ? name : `${name}-${count}`;
	});
	return new Set(slugs);
}

/** Where the links and pictures of a document lead. */
export function links(file: string): string[] {
	const text = prose(read(file));
	return [
		...[...text.matchAll(/\]\(([^()\s]+)(?: "[^"]*")?\)/g)].map(([, link]) => link),
		...[...text.matchAll(/(?:src|srcset|href)="([^"]+)"/g)].map(([, link]) => link),
	];
}

/** The text under each heading of a level, by heading. */
export function sections(text: string, level: number): Map<string, string> {
	const marks = '#'.repeat(level);
	const [, ...parts] = text.split(new RegExp(`^${marks} +`, 'm'));
	return new Map(
		parts.map((part) => {
			const [heading, ...lines] = part.split('\n');
			const end = lines.findIndex((line) => new RegExp(`^#{1,${level}} `).test(line));
			return [heading.trim(), lines.slice(0, end < 0 ? undefined : end).join('\n')];
		}),
	);
}

/** A row of a table, by the names of its columns. */
export type Row = Record<string, string>;

/** The rows of all tables whose first column has this name. */
export function rows(text: string, first: string): Row[] {
	const lines = text.split('\n');
	return lines.flatMap((line, at) => {
		const columns = cells(line);
		if (columns[0] !== first || !/^\| -/.test(lines[at + 1] ?? '')) return [];
		const end = lines.findIndex((other, index) => index > at && !other.startsWith('|'));
		return lines
			.slice(at + 2, end < 0 ? undefined : end)
			.map((row) => Object.fromEntries(cells(row).map((cell, index) => [columns[index], cell])));
	});
}

const cells = (line: string): string[] =>
	line.startsWith('|')
		? line
				.split(/(?<!\\)\|/)
				.slice(1, -1)
				.map((cell) => cell.trim())
		: [];
