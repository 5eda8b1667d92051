import type { IExecuteFunctions } from 'n8n-workflow';

import { itemLine } from '../items/invalidItem';
import { listed } from '../items/listed';
import type { Entry } from './entry';

/** Warnings a hint lists; a mailing may have one for each of its letters. */
const MOST_LISTED = 10;

/** Shows in the output pane what the user should look at in what is about to go out. */
export function hintAtWarnings(context: IExecuteFunctions, entries: readonly Entry[]): void {
	const lines = entries.flatMap(({ itemIndex, warnings = [] }) =>
		warnings.map((warning) => itemLine(itemIndex, warning)),
	);
	if (lines.length === 0) return;
	const message = ['Warnings, which do not stop the node:', ...listed(lines, MOST_LISTED)].join(
		'\n',
	);
	context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
}
