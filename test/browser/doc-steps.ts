import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../n8n/folders.ts';

/**
 * One step of a numbered list in a document, for whoever carries it out. Bold is what a person sees on
 * the screen, code what they type; whatever is used has to stand in the step, and all that is bold has
 * to be used.
 */
export class DocStep {
	readonly text: string;
	private readonly bold: string[];
	private readonly used = new Set<string>();

	constructor(text: string) {
		this.text = text;
		this.bold = [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, word]) => word);
	}

	/** A name on the screen. @throws Error if the step does not have it in bold */
	named(word: string): string {
		if (!this.bold.includes(word)) throw new Error(`The step has no **${word}**: ${this.text}`);
		this.used.add(word);
		return word;
	}

	/** What is typed. @throws Error if the step does not have it as code */
	typed(text: string): string {
		if (!this.text.includes(`\`${text}\``)) {
			throw new Error(`The step has no \`${text}\`: ${this.text}`);
		}
		return text;
	}

	/** The fields to fill in, each a point of its own: `- **Email**: accept@example.com`. */
	fields(): Array<{ label: string; value: string }> {
		const points = this.text.matchAll(/^\s*- \*\*(.+?)\*\*: (.+)$/gm);
		return [...points].map(([, label, value]) => ({
			label: this.named(label),
			value: value.replaceAll('`', ''),
		}));
	}

	/** What is bold and was not used. */
	get unused(): string[] {
		return this.bold.filter((word) => !this.used.has(word));
	}
}

/** The steps of the first numbered list under the heading. */
export function docSteps(file: string, heading: string): DocStep[] {
	const [, section] = readFileSync(join(root, file), 'utf8').split(`\n## ${heading}\n`);
	if (section === undefined) throw new Error(`${file} has no section "${heading}".`);
	const [own] = section.split('\n## ');
	const list = /^1\. [^]*?\n\n(?! )/m.exec(`${own}\n`)?.[0] ?? '';
	return list
		.split(/^\d+\. /m)
		.slice(1)
		.map((text) => new DocStep(text.trim()));
}

/** The sections of a document, each of which is a task. */
export function docHeadings(file: string): [string, ...string[]] {
	const [first, ...others] = [...readFileSync(join(root, file), 'utf8').matchAll(/^## (.+)$/gm)];
	return [first[1], ...others.map(([, heading]) => heading)];
}
