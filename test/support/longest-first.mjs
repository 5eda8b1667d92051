// The order in which Jest starts files. It knows how long each took the last time; a fresh clone has no
// last time, and the largest files are not those that wait for restarts of n8n: one begun last would
// keep one worker busy while the others idle.
import { existsSync } from 'node:fs';
import TestSequencer from '@jest/test-sequencer';

/** Those of half a minute or more, the longest first. */
const LONGEST = [
	'real-n8n/queue-mode',
	'faults/receiver',
	'storm/sqlite',
	'faults/database',
	'real-n8n/examples',
	'browser/npm-start',
	'real-n8n/at-the-limit',
	'real-n8n/sleepers',
	'real-n8n/pulling',
	'real-n8n/never-twice',
	'real-n8n/pulling-kills',
	'real-n8n/await-consent',
	'browser/editor',
	'in-process/await-consent',
	'contract/sandbox/readme-examples',
];

for (const name of LONGEST) {
	const file = new URL(`../${name}.test.ts`, import.meta.url);
	if (!existsSync(file)) throw new Error(`There is no test "${name}" any more to begin with.`);
}

export default class LongestFirst extends TestSequencer {
	sort(tests) {
		const rank = ({ path }) => {
			const at = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
			return at < 0 ? LONGEST.length : at;
		};
		return super.sort(tests).sort((one, other) => rank(one) - rank(other));
	}
}
