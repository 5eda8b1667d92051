// The examples of the sandbox's README and its pages, as they stand there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../n8n/folders.ts';

export const README = ['README.md', 'docs/control-api.md', 'docs/in-tests.md']
	.map((page) => readFileSync(join(root, 'sandbox', page), 'utf8'))
	.join('\n');

/** The code of the block whose first line is this comment: `rehearse.mjs`. */
export function readmeExample(title: string): string {
	const blocks = [...README.matchAll(/```js\n\/\/ (.+)\n([^]*?)```/g)];
	const code = blocks.find(([, found]) => found === title)?.[2];
	if (code === undefined) throw new Error(`The README of the sandbox has no example ${title}`);
	return code;
}
