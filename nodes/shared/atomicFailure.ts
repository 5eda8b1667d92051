import type { IExecuteFunctions } from 'n8n-workflow';

import type { GroupFailure } from './perGroup';
import { problemText, type Problem } from './problems';
import { apiError, type Failure } from './serviceError';

/** An entry of the list that was sent: the input item it came from, and how to recognise it. */
export interface SentEntry {
	itemIndex: number;
	email: string;
	/** Position among the item's own entries, from 0, when it can have several. */
	ownPosition?: number;
}

/**
 * Leads the failure of an all-or-nothing request back to the input items (rules CUST-02, CONS-05): those
 * at fault get their own reasons, the others are told that nothing was done because of them.
 *
 * @param sent the entries in the order they went out, which is what the service's positions count
 */
export function atomicFailure(
	context: Pick<IExecuteFunctions, 'getNode'>,
	failure: Failure,
	sent: SentEntry[],
): GroupFailure {
	const items = [...new Set(sent.map(({ itemIndex }) => itemIndex))];
	const reasons = reasonsByItem(failure.problems ?? [], sent);
	if (reasons.size === 0) {
		const byItem = new Map(items.map((index) => [index, apiError(context, failure, index)]));
		return { summary: apiError(context, failure, items[0]), byItem };
	}
	const culprits = [...reasons.keys()].sort((a, b) => a - b);
	const describe = (lines: string[]) => [...lines, failure.advice].filter(Boolean).join('\n');
	const unplaced = (failure.problems ?? []).filter((one) => owner(one, sent) === undefined);
	const all = culprits.flatMap((index) =>
		(reasons.get(index) ?? []).map((reason) => `Item ${index}: ${reason}`),
	);
	const summary = apiError(
		context,
		{
			...failure,
			message: `${failure.message} [item ${culprits.join(', ')}]`,
			description: describe([...all, ...unplaced.map(problemText)]),
		},
		culprits[0],
	);
	const named = culprits.length === 1 ? `item ${culprits[0]}` : `items ${culprits.join(', ')}`;
	const byItem = new Map(
		items.map((index) => {
			const own = reasons.get(index);
			const words = own
				? { message: failure.message, description: describe(own) }
				: {
						message: `Nothing was created because of ${named}: ${failure.message}`,
						description: `All items go in one request, which the service carries out as a whole or not at all. Nothing is wrong with this item. Correct ${named}, then run again.`,
					};
			return [index, apiError(context, { ...failure, ...words }, index)];
		}),
	);
	return { summary, byItem };
}

function reasonsByItem(problems: Problem[], sent: SentEntry[]): Map<number, string[]> {
	const reasons = new Map<number, string[]>();
	for (const problem of problems) {
		const entry = owner(problem, sent);
		if (entry === undefined) continue;
		const text = problemText(problem);
		const line =
			entry.ownPosition === undefined ? text : `Recipient ${entry.ownPosition + 1}, ${text}`;
		reasons.set(entry.itemIndex, [...(reasons.get(entry.itemIndex) ?? []), line]);
	}
	return reasons;
}

// Some answers may name the address alone: it tells whose entry it is when it was sent once.
function owner({ position, email }: Problem, sent: SentEntry[]): SentEntry | undefined {
	if (position !== null) return sent[position];
	const matches = email === null ? [] : sent.filter((entry) => entry.email === email);
	return matches.length === 1 ? matches[0] : undefined;
}
