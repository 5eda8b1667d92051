// The examples of the sandbox's README, as they stand there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../n8n/folders.ts';

/** The code of the block whose first line is this comment: `rehearse.mjs`. */
export function readmeExample(title: string): string {
	const readme = readFileSync(join(root, 'sandbox/README.md'), 'utf8');
	const blocks = [...readme.matchAll(/```js\n\/\/ (.+)\n([^]*?)```/g)];
	const code = blocks.find(([, found]) => found === title)?.[2];
	if (code === undefined) throw new Error(`The README of the sandbox has no example ${title}`);
	return code;
}
