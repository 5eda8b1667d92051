// npm run sabotage                   every break of the table
// npm run sabotage -- ledger poll    those whose name, place or test has one of these words
import { rmSync } from 'node:fs';

import { copyRepository, noticedBy } from './run.ts';
import { TABLE } from './table.ts';

const words = process.argv.slice(2);
const chosen = TABLE.filter(({ name, file, test }) => {
	const text = `${name} ${file} ${test}`.toLowerCase();
	return words.length === 0 || words.some((word) => text.includes(word.toLowerCase()));
});
const copy = await copyRepository();
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
let missed = chosen.length === 0 ? 1 : 0;
if (chosen.length === 0) console.error(`✗ No break has ${words.join(' or ')} in it.`);
for (const one of chosen) {
	const began = Date.now();
	const titles = await noticedBy(one, copy).catch((error: Error) => {
		console.error(error.message);
		return [];
	});
	if (titles.length === 0) missed++;
	const seconds = Math.round((Date.now() - began) / 1000);
	console.log(`${titles.length > 0 ? '✓' : '✗'} ${one.name}  (${one.test}, ${seconds} s)`);
	for (const title of titles.slice(0, 3)) console.log(`    ${title}`);
}
console.log(`\n${chosen.length - missed} noticed, ${missed} not`);
process.exitCode = missed > 0 ? 1 : 0;
