import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { atomicFailure, reasonsFor, type SentEntry } from '../shared/atomicFailure';
import type { Attempt } from '../shared/isolate';
import type { ItemError } from '../shared/perItem';
import { ABOUT_PEOPLE, isAboutEntries } from '../shared/refusal';
import type { Carried } from '../shared/retryPolicy';
import type { Failure } from '../shared/serviceError';
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

/** A request that sent none of its letters, or nobody knows whether it did. */
export interface SendFailure {
	carried: Carried;
	/** What each item is told. */
	errors: Map<number, ItemError>;
	/** What ends a mailing that stops at it. */
	summary: ItemError;
}

/**
 * Reads the failure of a request for the items whose letters were in it (rule SEND-11): each is told
 * what concerns it, and which one was the cause, as far as the service says.
 */
export function sendFailure(
	context: IExecuteFunctions,
	{ failure, carried }: { failure: Failure; carried: Carried },
	items: ItemLetter[],
): Exclude<Attempt<never, SendFailure>, { done: never }> {
	if (carried === 'unknown') {
		const errors = items.map(
			({ itemIndex }) => [itemIndex, unknownError(context, itemIndex, failure.message)] as const,
		);
		return { failed: { carried, errors: new Map(errors), summary: errors[0][1] } };
	}
	const sent = items.flatMap(sentEntries);
	const { summary, byItem } = atomicFailure(context, failure, sent, (culprits) => ({
		message: `Not sent: it went in one request with ${culprits}, which the service refused`,
		description: `Correct ${culprits} and run again, turn on Isolate Bad Entries, or turn off Group Recipients to send each item by itself. ${failure.message}`,
	}));
	const read = { carried, errors: byItem, summary };
	if (!isAboutEntries(failure, carried, ABOUT_PEOPLE)) return { failed: read };
	const faulty = new Set(
		[...reasonsFor(failure, sent).keys()].map((position) => sent[position].itemIndex),
	);
	const positions = [...items.keys()].filter((at) => faulty.has(items[at].itemIndex));
	return { refused: read, faulty: positions };
}

function sentEntries({ itemIndex, letter: { recipients } }: ItemLetter): SentEntry[] {
	return recipients.map(({ email }, position) => ({
		itemIndex,
		email,
		...(recipients.length > 1 && { ownPosition: position }),
	}));
}
