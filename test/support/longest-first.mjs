// The order in which Jest starts files. It knows how long each took the last time; a fresh clone has no
// last time, and the largest files are not those that wait for restarts of n8n: one begun last would
// keep one worker busy while the others idle.
import TestSequencer from '@jest/test-sequencer';

/** Those of half a minute or more, the longest first. */
const LONGEST = [
	'real-n8n/queue-mode',
	'faults/receiver',
	'storm/sqlite',
	'real-n8n/at-the-limit',
	'real-n8n/sleepers',
	'browser/every-choice',
	'real-n8n/pulling',
	'real-n8n/never-twice',
	'real-n8n/pulling-kills',
	'real-n8n/await-consent',
	'browser/editor',
	'in-process/await-consent',
	'contract/sandbox/readme-examples',
];

export default class LongestFirst extends TestSequencer {
	sort(tests) {
		const rank = ({ path }) => {
			const at = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
			return at < 0 ? LONGEST.length : at;
		};
		return super.sort(tests).sort((one, other) => rank(one) - rank(other));
	}
}
