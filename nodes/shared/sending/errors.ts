import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	atomicFailure,
	entryError,
	reasonsFor,
	type Reasons,
	type SentEntry,
} from '../atomicFailure';
import type { ItemError } from '../perItem';
import { apiError, type Failure } from '../serviceError';
import type { Entry, EntryResult, Posting, Verdict } from './entry';
import type { Part } from './isolate';
import type { Line, Words } from './ledger';

type Context = Pick<IExecuteFunctions, 'getNode'>;

/** Why a request was not carried out for any of its entries, or may not have been. */
export interface Refusal {
	failure: Failure;
	verdict: Exclude<Verdict, 'sent'>;
	/** What went out, in order. */
	sent: SentEntry[];
	/** What is wrong with the entries at fault, by their position in the request. */
	reasons: Reasons;
}

export function refusalOf<E extends Entry>(
	posting: Posting<E>,
	failure: Failure,
	verdict: Refusal['verdict'],
	entries: E[],
): Refusal {
	const explained = posting.explain?.(failure, entries) ?? failure;
	const named = entries.map((entry) => posting.named(entry));
	const owners = named.flatMap((some, position) => some.map(() => position));
	const sent = named.flat();
	const reasons: Reasons = new Map();
	for (const [at, lines] of reasonsFor(explained, sent)) {
		reasons.set(owners[at], [...(reasons.get(owners[at]) ?? []), ...lines]);
	}
	return { failure: explained, verdict, sent, reasons };
}

/**
 * The error of each entry of a part that did not go out, and the one that ends a run which stops at it.
 * Where bad entries are isolated each stands by itself; else the request stands or falls as a whole, and
 * those that nothing is wrong with are told because of whom they did not go.
 */
export function partErrors<E extends Entry>(
	context: Context,
	posting: Posting<E>,
	part: Exclude<Part<E, unknown, Refusal>, { done: unknown }>,
	{ isIsolating }: { isIsolating: boolean },
): { errors: ItemError[]; summary: ItemError } {
	const { entries } = part;
	const { failure, verdict, sent, reasons } = 'failed' in part ? part.failed : part.refused;
	if (verdict === 'unknown') {
		return summed(
			entries.map(({ itemIndex }) => unknownError(context, posting, failure.message, itemIndex)),
		);
	}
	if (isIsolating) {
		const positions = 'refused' in part ? part.positions : [];
		return summed(
			entries.map(({ itemIndex }, at) =>
				entryError(context, failure, itemIndex, reasons.get(positions[at])),
			),
		);
	}
	const { summary, byItem } = atomicFailure(context, failure, sent, (culprits) =>
		posting.because(culprits, failure),
	);
	return { errors: entries.map(({ itemIndex }) => byItem.get(itemIndex) ?? summary), summary };
}

function summed(errors: ItemError[]): { errors: ItemError[]; summary: ItemError } {
	return { errors, summary: errors[0] };
}

const UNKNOWN = 'outcome-unknown';

/** It may have been carried out or not; doing it again could do it twice. */
export function unknownError(
	context: Context,
	{ unclear }: Pick<Posting<never>, 'unclear'>,
	reason: string,
	itemIndex: number,
): ItemError {
	const words = {
		message: `Outcome unknown: ${unclear.mayBe}. ${reason} [item ${itemIndex}]`,
		description: unclear.advice,
		code: UNKNOWN,
		status: null,
	};
	return apiError(context, words, itemIndex);
}

/** What an earlier try of this run wrote down, as a result of this one. */
export function recalled(
	context: Context,
	posting: Pick<Posting<never>, 'unclear'>,
	line: Line,
	itemIndex: number,
): EntryResult {
	if (line.state === 'sent') return { verdict: 'sent', output: line.output };
	if (line.state === 'leaving') {
		const reason = 'An earlier try was broken off while it was being sent.';
		return { verdict: 'unknown', error: unknownError(context, posting, reason, itemIndex) };
	}
	const { message, description, data } = line.words;
	const error = apiError(context, { message, description, code: null, status: null }, itemIndex);
	error.context.data = data;
	return { verdict: line.state, error };
}

export function wordsOf({ message, description, context: { data } }: ItemError): Words {
	return { message, description: description ?? '', data: (data ?? {}) as IDataObject };
}
