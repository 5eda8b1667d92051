import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A text in the sources, what is put into it left out as "…". */
export interface SourceText {
	/** File and line. */
	place: string;
	text: string;
}

/**
 * What the sources of a folder may say to a user: every text of several words, be it a field's or an
 * error's. Expressions and imports are left out.
 */
export function sourceTexts(folder: string): SourceText[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
		.flatMap(({ parentPath, name }) => textsIn(join(parentPath, name)));
}

function textsIn(file: string): SourceText[] {
	const source = ts.createSourceFile(
		file,
		readFileSync(file, 'utf8'),
		ts.ScriptTarget.Latest,
		true,
	);
	const texts: SourceText[] = [];
	const visit = (node: ts.Node): void => {
		const text = textOf(node);
		if (text !== null && /\S \S/.test(text) && !text.startsWith('=')) {
			const { line } = source.getLineAndCharacterOfPosition(node.getStart());
			texts.push({ place: `${file}:${line + 1}`, text });
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return texts;
}

function textOf(node: ts.Node): string | null {
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
	if (!ts.isTemplateExpression(node)) return null;
	return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}
