import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { ItemError } from '../shared/perItem';
import { problemText } from '../shared/problems';
import { apiError, type Failure } from '../shared/serviceError';
import type { ItemLetter } from './groupLetters';

const UNKNOWN = 'outcome-unknown';

export function isUnknown({ context }: ItemError): boolean {
	return (context.data as IDataObject | undefined)?.code === UNKNOWN;
}

/** The letter may have left or not; sending again could send it twice. */
export function unknownError(
	context: IExecuteFunctions,
	itemIndex: number,
	reason: string,
): NodeOperationError {
	const error = new NodeOperationError(
		context.getNode(),
		`Outcome unknown: the letter may have been sent. ${reason} [item ${itemIndex}]`,
		{
			itemIndex,
			description:
				'Look in the dashboard of the service whether the letter went out. A retry will not send it again, unless you set the option "If Outcome Is Unknown" to "Send Again".',
		},
	);
	error.context.data = { code: UNKNOWN } as IDataObject;
	return error;
}

/**
 * The service refused the request, so none of its letters was sent. Of several items, each is told
 * which one was the cause, as far as the service says (rule SEND-11).
 */
export function refusedError(
	context: IExecuteFunctions,
	failure: Failure,
	items: ItemLetter[],
	itemIndex: number,
): ItemError {
	if (items.length === 1) return apiError(context, failure, itemIndex);
	const faulty = faultyItems(failure, items);
	if (faulty.size === 0 || faulty.has(itemIndex)) {
		const reasons = faulty.get(itemIndex);
		const description = reasons
			? [...reasons, failure.advice].filter(Boolean).join('\n')
			: failure.description;
		return apiError(context, { ...failure, description }, itemIndex);
	}
	const culprits = [...faulty.keys()].join(', ');
	return apiError(
		context,
		{
			...failure,
			message: `Not sent: it went in one request with item ${culprits}, which the service refused`,
			description: `Correct item ${culprits} and run again, or turn off Group Recipients to send each item by itself. ${failure.message}`,
		},
		itemIndex,
	);
}

// The service counts the recipients of the request; each item has some of them.
function faultyItems({ problems = [] }: Failure, items: ItemLetter[]): Map<number, string[]> {
	const owners = items.flatMap(({ itemIndex, letter }) => letter.recipients.map(() => itemIndex));
	const faulty = new Map<number, string[]>();
	for (const problem of problems) {
		const owner = problem.position === null ? undefined : owners[problem.position];
		if (owner === undefined) continue;
		faulty.set(owner, [...(faulty.get(owner) ?? []), problemText(problem)]);
	}
	return faulty;
}
