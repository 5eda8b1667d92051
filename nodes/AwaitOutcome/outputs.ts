import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type {
	MessageOutcome,
	Outcome,
	Resume,
} from '../../webhook-receiver/src/core/wait-contract';
import type { Sleeping } from './sleeping';

/** The node's outputs, in canvas order; short enough for the canvas to show in full. */
export const OUTPUT_NAMES = ['Accepted', 'Refused', 'Opened', 'Expired', 'Pending'];

/** Which output an item goes to. A letter never sent counts like one that never arrived. */
const OUTPUT: Record<Outcome, number> = {
	accepted: 0,
	refused: 1,
	opened: 2,
	received: 2,
	expired: 3,
	undelivered: 3,
	failed: 3,
	none: 4,
	erased: 4,
};

/** For items without an outcome: the deadline has passed, or the item was invalid. */
export const PENDING = OUTPUT.none;

/** Worst first: to stay together, all items go to the worst of their outputs. */
const BY_BADNESS = [PENDING, OUTPUT.refused, OUTPUT.expired, OUTPUT.opened, OUTPUT.accepted];

/** An input item on its way out. */
export interface Leaving {
	item: number;
	output: number;
	/** Data added to the item's own. */
	added: IDataObject;
}

/** What becomes of the input items; null if an outcome is missing. */
export function leaving(
	{ messageIds, faults, together }: Pick<Sleeping, 'messageIds' | 'faults' | 'together'>,
	{ outcomes, reason }: Pick<Resume, 'outcomes' | 'reason'>,
): Leaving[] | null {
	const byMessage = new Map(outcomes.map((outcome) => [outcome.messageId, outcome]));
	if (messageIds.some((id) => id !== null && !byMessage.has(id))) return null;
	const all = messageIds.map((messageId, item): Leaving => {
		const outcome = messageId === null ? undefined : byMessage.get(messageId);
		if (!outcome) return { item, output: PENDING, added: faults[item] ?? {} };
		return { item, output: outputOf(outcome), added: { outcome: { ...outcome, reason } } };
	});
	if (!together) return all;
	const isAwaited = ({ item }: Leaving) => messageIds[item] !== null;
	const worst = BY_BADNESS.find((output) =>
		all.some((one) => isAwaited(one) && one.output === output),
	);
	return all.map((one) => (isAwaited(one) ? { ...one, output: worst ?? one.output } : one));
}

/** What becomes of them if the deadline passes without any news. */
export function leavingUntold(
	waiting: Pick<Sleeping, 'messageIds' | 'faults' | 'together'>,
): Leaving[] {
	const outcomes = waiting.messageIds.flatMap((messageId): MessageOutcome[] => {
		if (messageId === null) return [];
		const nothing = { status: null, occurredAt: null, event: null, eventId: null };
		return [{ messageId, outcome: 'none', ...nothing }];
	});
	return leaving(waiting, { outcomes, reason: 'deadline' }) ?? [];
}

/** The items on their outputs, each paired with its input item. */
export function toOutputs(
	all: readonly Leaving[],
	input: readonly INodeExecutionData[],
): INodeExecutionData[][] {
	return OUTPUT_NAMES.map((_, output) =>
		all
			.filter((one) => one.output === output)
			.map(({ item, added }) => ({
				// n8n recognises an error item by its having nothing else in it.
				json: 'error' in added ? added : { ...input[item]?.json, ...added },
				...(input[item]?.binary && { binary: input[item].binary }),
				pairedItem: { item },
			})),
	);
}

/** An outcome only a newer receiver knows is shown, but nothing is concluded from it. */
function outputOf({ outcome }: MessageOutcome): number {
	return Object.hasOwn(OUTPUT, outcome) ? OUTPUT[outcome as Outcome] : PENDING;
}
