import type { Outcome } from '../../webhook-receiver/src/core/wait-contract';
import type { Outputs } from '../shared/waiting/outputs';

/** Which output an item goes to. A letter never sent counts like one that never arrived. */
const OUTPUT = {
	accepted: 0,
	refused: 1,
	opened: 2,
	received: 2,
	expired: 3,
	undelivered: 3,
	failed: 3,
	none: 4,
	erased: 4,
} satisfies Record<Outcome, number>;

/** The node's outputs. The names are short enough for the canvas to show in full. */
export const outcomeOutputs: Outputs = {
	names: ['Accepted', 'Refused', 'Opened', 'Expired', 'Pending'],
	of: OUTPUT,
	worstFirst: [OUTPUT.none, OUTPUT.refused, OUTPUT.expired, OUTPUT.opened, OUTPUT.accepted],
	idName: 'messageId',
};
