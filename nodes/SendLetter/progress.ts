import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import type { MailingOutcomes } from './mailing';
import { isUnknown } from './sendErrors';

/** How often a mailing tells where it stands: at every twentieth of it. */
const STEPS = 20;

/**
 * Tells where a mailing stands while it runs. n8n has one place for that: the browser's console, when
 * the workflow is run from the editor.
 */
export function reporter(context: IExecuteFunctions, total: number): (settled: number) => void {
	const step = Math.ceil(total / STEPS);
	let reported = 0;
	return (settled) => {
		if (total === 1 || settled - reported < step) return;
		reported = settled;
		context.sendMessageToUI(`${context.getNode().name}: ${settled} of ${total} letters`);
	};
}

/** What became of the letters, for the output pane; null for a single one, which speaks for itself. */
export function mailingHint(outcomes: MailingOutcomes): NodeExecutionHint | null {
	if (outcomes.size < 2) return null;
	const all = [...outcomes.values()];
	const sent = all.filter((outcome) => 'value' in outcome).length;
	const unknown = all.filter((outcome) => 'error' in outcome && isUnknown(outcome.error)).length;
	const refused = all.length - sent - unknown;
	const parts = [
		`${sent} of ${all.length} letters sent`,
		...(refused > 0 ? [`${refused} not sent`] : []),
		...(unknown > 0 ? [`${unknown} of unknown outcome`] : []),
	];
	return {
		message: `${parts.join(', ')}.`,
		type: sent === all.length ? 'info' : 'warning',
		location: 'outputPane',
	};
}
