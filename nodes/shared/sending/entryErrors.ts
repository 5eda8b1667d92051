import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ItemError } from '../items/perItem';
import { rejectionText } from '../transport/rejections';
import { apiError, type ServiceError } from '../transport/serviceError';
import {
	ABOUT_PEOPLE,
	type Entry,
	type EntryResult,
	type Posting,
	type RejectionScope,
	type Verdict,
} from './entry';
import type { Line, ErrorText } from './ledger';
import { locateRejections } from './locateRejections';

type Context = Pick<IExecuteFunctions, 'getNode'>;

/** Why a request was not carried out for its entries, or may not have been. */
export interface NotSent<E extends Entry> {
	verdict: Exclude<Verdict, 'sent'>;
	error: ServiceError;
	/** The service's rejections, by the entry they are about. */
	reasons: Map<E, string[]>;
	/** Rejections that do not say whom they mean. */
	unlocated: string[];
}

/** Traces the service's rejections to their entries, as far as it names them. */
export function notSent<E extends Entry>(
	posting: Posting<E>,
	verdict: NotSent<E>['verdict'],
	error: ServiceError,
	entries: E[],
): NotSent<E> {
	const explained = posting.explain?.(error, entries) ?? error;
	const reasons = new Map<E, string[]>();
	const unlocated: string[] = [];
	const rows = entries.flatMap((entry) =>
		(posting.rows?.(entry) ?? [{ email: null }]).map((row) => ({
			...{ ...row, entry, itemIndex: entry.itemIndex },
		})),
	);
	for (const { rejection, position } of locateRejections(explained.rejections ?? [], rows)) {
		if (position === null) {
			unlocated.push(rejectionText(rejection));
			continue;
		}
		const { entry, recipient } = rows[position];
		// The index is used up by now.
		const text = rejectionText({ ...rejection, index: null });
		const reason = recipient === undefined ? text : `Recipient ${recipient + 1}, ${text}`;
		reasons.set(entry, [...(reasons.get(entry) ?? []), reason]);
	}
	return { verdict, error: explained, reasons, unlocated };
}

/** Whether the other entries of a request could get through without the faulty ones. */
export function isAboutEntries(
	{ status, code }: ServiceError,
	{ statuses, exceptCodes }: RejectionScope = ABOUT_PEOPLE,
): boolean {
	if (status === null || !statuses.includes(status)) return false;
	return code === null || !exceptCodes.includes(code);
}

/** The error of each entry, and the one that ends a run that stops here. */
export interface EntryErrors {
	errors: ItemError[];
	summary: ItemError;
}

/** Errors for independent entries: each gets its own reasons, or all there are. */
export function isolatedErrors<E extends Entry>(
	context: Context,
	entries: E[],
	{ error, reasons }: Pick<NotSent<E>, 'error' | 'reasons'>,
): EntryErrors {
	return withFirst(
		entries.map((entry) => rejectedError(context, error, entry.itemIndex, reasons.get(entry))),
	);
}

/** Errors for entries of a request that may have been carried out. */
export function unknownErrors<E extends Entry>(
	context: Context,
	posting: Posting<E>,
	entries: E[],
	{ message }: ServiceError,
): EntryErrors {
	return withFirst(
		entries.map(({ itemIndex }) => unknownError(context, posting, message, itemIndex)),
	);
}

/**
 * Errors for entries that failed together (rules CUST-02, CONS-05, SEND-11): items at fault get
 * their own reasons, the others learn whose fault it was.
 */
export function sharedErrors<E extends Entry>(
	context: Context,
	posting: Posting<E>,
	entries: E[],
	{ error, reasons, unlocated }: NotSent<E>,
): EntryErrors {
	const byItem = new Map<number, string[]>();
	for (const [{ itemIndex }, lines] of reasons) {
		byItem.set(itemIndex, [...(byItem.get(itemIndex) ?? []), ...lines]);
	}
	const culprits = [...byItem].sort(([a], [b]) => a - b);
	if (culprits.length === 0) return isolatedErrors(context, entries, { error, reasons });
	const indexes = culprits.map(([index]) => index).join(', ');
	const named = culprits.length === 1 ? `item ${indexes}` : `items ${indexes}`;
	const bystander = { ...error, ...posting.bystander?.(named, error) };
	const lines = culprits.flatMap(([index, own]) => own.map((line) => `Item ${index}: ${line}`));
	const all = { ...error, message: `${error.message} [item ${indexes}]` };
	return {
		errors: entries.map(({ itemIndex }) => {
			const own = byItem.get(itemIndex);
			if (own === undefined) return apiError(context, bystander, itemIndex);
			return rejectedError(context, error, itemIndex, own);
		}),
		summary: rejectedError(context, all, culprits[0][0], [...lines, ...unlocated]),
	};
}

function withFirst(errors: ItemError[]): EntryErrors {
	return { errors, summary: errors[0] };
}

function rejectedError(
	context: Context,
	error: ServiceError,
	itemIndex: number,
	reasons: string[] | undefined,
): ItemError {
	if (reasons === undefined) return apiError(context, error, itemIndex);
	const description = [...reasons, error.advice].filter(Boolean).join('\n');
	return apiError(context, { ...error, description }, itemIndex);
}

/** The service may have carried it out; a repeat could do it twice. */
function unknownError(
	context: Context,
	{ unclear }: Pick<Posting<never>, 'unclear'>,
	reason: string,
	itemIndex: number,
): ItemError {
	const text = {
		message: `Outcome unknown: ${unclear.mayBe}. ${reason} [item ${itemIndex}]`,
		description: unclear.advice,
		code: 'outcome-unknown',
		status: null,
	};
	return apiError(context, text, itemIndex);
}

/** The recorded line of an earlier try of this run, as a result of this one. */
export function recalled(
	context: Context,
	posting: Pick<Posting<never>, 'unclear'>,
	line: Line,
	itemIndex: number,
): EntryResult {
	if (line.state === 'sent') return { verdict: 'sent', output: line.output };
	if (line.state === 'leaving') {
		const reason = 'An earlier attempt was interrupted while it was being sent.';
		return { verdict: 'unknown', error: unknownError(context, posting, reason, itemIndex) };
	}
	const { message, description, data } = line.error;
	const error = apiError(context, { message, description, code: null, status: null }, itemIndex);
	error.context.data = data;
	return { verdict: line.state, error };
}

export function errorTextOf({ message, description, context: { data } }: ItemError): ErrorText {
	return { message, description: description ?? '', data: (data ?? {}) as IDataObject };
}
