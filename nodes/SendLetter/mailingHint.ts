import type { NodeExecutionHint } from 'n8n-workflow';

import type { Results } from '../shared/sending/entry';

/** What became of the letters, for the output pane; null for a single one, whose item says so. */
export function mailingHint(results: Results): NodeExecutionHint | null {
	if (results.size < 2) return null;
	const all = [...results.values()].flat();
	const having = (verdict: string) => all.filter((one) => one.verdict === verdict).length;
	const [sent, notSent, unknown] = [having('sent'), having('not sent'), having('unknown')];
	const parts = [
		`${sent} of ${all.length} letters sent`,
		...(notSent > 0 ? [`${notSent} not sent`] : []),
		...(unknown > 0 ? [`${unknown} of unknown outcome`] : []),
	];
	return {
		message: `${parts.join(', ')}.`,
		type: sent === all.length ? 'info' : 'warning',
		location: 'outputPane',
	};
}
