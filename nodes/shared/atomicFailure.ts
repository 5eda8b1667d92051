import type { IExecuteFunctions, NodeApiError } from 'n8n-workflow';

import { placed, type SentEntry } from './blame';
import { problemText } from './problems';
import { apiError, type Failure } from './serviceError';

export type { SentEntry } from './blame';

type Context = Pick<IExecuteFunctions, 'getNode'>;

/** What is wrong with the entries that are at fault, by their position in the list that was sent. */
export type Reasons = Map<number, string[]>;

/** A request for several items that was carried out for none of them. */
export interface AtomicFailure {
	/** Tells everything at once, for an execution that stops here. */
	summary: NodeApiError;
	/** Tells each item what concerns it, for one that goes on. */
	byItem: Map<number, NodeApiError>;
}

/** What an item is told that nothing is wrong with. */
export interface Blameless {
	message: string;
	description: string;
}

/** Words for an item that was not created because of others. */
export function nothingCreated(culprits: string, { message }: Failure): Blameless {
	return {
		message: `Nothing was created because of ${culprits}: ${message}`,
		description: `All items go in one request, which the service carries out as a whole or not at all. Nothing is wrong with this item. Correct ${culprits}, then run again, or turn on Isolate Bad Entries.`,
	};
}

/** Leads what the service found wrong back to the entries that were sent, as far as it says which. */
export function reasonsFor({ problems = [] }: Failure, sent: SentEntry[]): Reasons {
	const reasons: Reasons = new Map();
	for (const { problem, position } of placed(problems, sent)) {
		if (position === null) continue;
		const { ownPosition } = sent[position];
		// Whose number it was is known now.
		const text = problemText({ ...problem, index: null });
		const line = ownPosition === undefined ? text : `Recipient ${ownPosition + 1}, ${text}`;
		reasons.set(position, [...(reasons.get(position) ?? []), line]);
	}
	return reasons;
}

/** The error of an item for its part in a failure: its own reasons where it has any, else all there is. */
export function entryError(
	context: Context,
	failure: Failure,
	itemIndex: number,
	reasons: string[] = [],
): NodeApiError {
	if (reasons.length === 0) return apiError(context, failure, itemIndex);
	return apiError(context, { ...failure, description: described(reasons, failure) }, itemIndex);
}

/**
 * Leads the failure of an all-or-nothing request back to the input items (rules CUST-02, CONS-05,
 * SEND-11): those at fault get their own reasons, the others are told that it was because of them.
 *
 * @param sent the entries in the order they went out, which is what the service's positions count
 * @param blameless words for the others, given the items at fault
 */
export function atomicFailure(
	context: Context,
	failure: Failure,
	sent: SentEntry[],
	blameless: (culprits: string) => Blameless,
): AtomicFailure {
	const items = [...new Set(sent.map(({ itemIndex }) => itemIndex))];
	const reasons = byItem(reasonsFor(failure, sent), sent);
	if (reasons.size === 0) {
		const errors = items.map((index) => [index, apiError(context, failure, index)] as const);
		return { summary: apiError(context, failure, items[0]), byItem: new Map(errors) };
	}
	const culprits = [...reasons.keys()].sort((a, b) => a - b);
	const named = culprits.length === 1 ? `item ${culprits[0]}` : `items ${culprits.join(', ')}`;
	const words = { ...failure, ...blameless(named) };
	const errors = items.map((index) => {
		const own = reasons.get(index);
		return [
			index,
			own ? entryError(context, failure, index, own) : apiError(context, words, index),
		] as const;
	});
	const unplaced = placed(failure.problems ?? [], sent).filter(({ position }) => position === null);
	const all = culprits.flatMap((index) =>
		(reasons.get(index) ?? []).map((reason) => `Item ${index}: ${reason}`),
	);
	const summary = apiError(
		context,
		{
			...failure,
			message: `${failure.message} [item ${culprits.join(', ')}]`,
			description: described(
				[...all, ...unplaced.map(({ problem }) => problemText(problem))],
				failure,
			),
		},
		culprits[0],
	);
	return { summary, byItem: new Map(errors) };
}

function byItem(reasons: Reasons, sent: SentEntry[]): Map<number, string[]> {
	const grouped = new Map<number, string[]>();
	for (const [position, lines] of reasons) {
		const { itemIndex } = sent[position];
		grouped.set(itemIndex, [...(grouped.get(itemIndex) ?? []), ...lines]);
	}
	return grouped;
}

function described(lines: string[], { advice }: Failure): string {
	return [...lines, advice].filter(Boolean).join('\n');
}
