// npm run sabotage                   every break of the table
// npm run sabotage -- ledger poll    those whose name, place or test has one of these words
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import type { Break } from './break.ts';
import { copyRepository, noticedBy } from './run.ts';
import { TABLE } from './table.ts';

const words = process.argv.slice(2);
const chosen = TABLE.filter(({ name, file, test }) => {
	const text = `${name} ${file} ${test}`.toLowerCase();
	return words.length === 0 || words.some((word) => text.includes(word.toLowerCase()));
});
const copies = await Promise.all(Array.from({ length: availableParallelism() }, copyRepository));
process.on('exit', () => {
	for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
if (chosen.length === 0) console.error(`✗ No break has ${words.join(' or ')} in it.`);
const left = chosen.values();
let noticed = 0;
// Each copy has one break at a time.
await Promise.all(
	copies.map(async (copy) => {
		for (const one of left) if (await tryOut(one, copy)) noticed++;
	}),
);
console.log(`\n${noticed} noticed, ${chosen.length - noticed} not`);
process.exitCode = noticed === 0 || noticed < chosen.length ? 1 : 0;

async function tryOut(one: Break, copy: string): Promise<boolean> {
	const began = Date.now();
	const titles = await noticedBy(one, copy).catch((error: Error) => {
		console.error(error.message);
		return [];
	});
	const seconds = Math.round((Date.now() - began) / 1000);
	console.log(`${titles.length > 0 ? '✓' : '✗'} ${one.name}  (${one.test}, ${seconds} s)`);
	for (const title of titles.slice(0, 3)) console.log(`    ${title}`);
	return titles.length > 0;
}
