import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import type { Results } from '../shared/sending/entry';

/** How often a mailing tells where it stands: at every twentieth of it. */
const STEPS = 20;

/**
 * Tells where a mailing stands while it runs. n8n has one place for that: the browser's console, when
 * the workflow is run from the editor.
 */
export function reporter(context: IExecuteFunctions): (done: number, total: number) => void {
	let reported = 0;
	return (done, total) => {
		if (total === 1 || done - reported < Math.ceil(total / STEPS)) return;
		reported = done;
		context.sendMessageToUI(`${context.getNode().name}: ${done} of ${total} letters`);
	};
}

/** What became of the letters, for the output pane; null for a single one, which speaks for itself. */
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
