// What `npm test` can run, and when.

/** Looked at rather than run: side by side, beside the first tests. */
export const CHECKS = ['format', 'lint', 'types'];

/**
 * Jest projects: groups in turn, the lanes of a group side by side, each with workers of its own. What has an
 * n8n of its own mostly waits for it, and leaves the processors to what computes.
 */
export const GROUPS = [
	[['unit']],
	[
		['contract', 'in-process', 'faults', 'storm'],
		['real-n8n', 'browser'],
	],
	[['oldest-n8n', 'in-process-oldest']],
	[['bench']],
	[['upgrade']],
	[['images']],
	[['sabotage']],
];

/** The other engine, other versions, what takes a system, and what asks about the tests themselves. */
const ONLY_NIGHTLY = ['oldest-n8n', 'in-process-oldest', 'bench', 'upgrade', 'images', 'sabotage'];
/** Files of other suites that belong to them. */
export const NIGHTLY_FILES = '\\.nightly\\.test\\.ts$';

/** Of the nodes' tests a file for each node that does not wait, and what all of them share. */
export const QUICK_FILES =
	'/test/(unit/|in-process/(credential|download-evidence|get-status|ledger|manage-customer|request-consent|resend|send-letter|trigger)\\.test)';

export const RINGS = ['quick', 'nightly'];
export const NAMES = [...CHECKS, ...GROUPS.flat(2)];

/** What belongs to a ring; without a name, to `npm test`. */
export function isOfRing(name, ring) {
	if (ring === 'quick') return [...CHECKS, 'unit', 'in-process'].includes(name);
	return ring === 'nightly' || !ONLY_NIGHTLY.includes(name);
}

/** Whether it runs a real n8n, or a program from elsewhere: what takes minutes and 2 GB to install. */
export function needsN8n(name, ring) {
	return ring !== 'quick' && ![...CHECKS, 'unit'].includes(name);
}
