import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { showUnseen } from '../../../webhook-receiver/src/core/unseen';
import { differences, type UsedFor } from '../../../webhook-receiver/src/core/used-for';
import type { ErrorText, ItemError } from '../items/perItem';
import { rowName, rowNames } from '../items/rows';
import { rejectionText } from '../transport/rejections';
import { apiError, type ServiceError } from '../transport/serviceError';
import { ABOUT_PEOPLE, type Entry, type Posting, type RejectionScope } from './entry';
import type { Ended } from './fate';
import { locateRejections } from './locateRejections';

type Context = Pick<IExecuteFunctions, 'getNode'>;

const OUTCOME_UNKNOWN = 'outcome-unknown';

/** Why a request was not carried out for its entries. */
export interface Refusal<E extends Entry> {
	/** Entries that the service named. */
	faulty: E[];
	errorOf(entry: E): ErrorText;
	/** All that was rejected, with its rows; left out where the service names none. */
	summary?: ErrorText;
}

/**
 * Traces the service's rejections to their entries, as far as it names them (rules CUST-02, CONS-05,
 * SEND-11): those at fault get their own reasons. Where all failed together, an item gets the reasons of all
 * its entries, and the others learn whose fault it was; independent ones get all there are.
 */
export function refusalOf<E extends Entry>(
	posting: Posting<E>,
	refused: ServiceError,
	entries: E[],
	isIsolating: boolean,
): Refusal<E> {
	const error = posting.explain?.(refused, entries) ?? refused;
	const { located, unlocated } = locate(posting, error, entries);
	const culprits = [...new Set(located.map(({ entry: { itemIndex } }) => itemIndex))];
	const groupOf = (entry: E) => (isIsolating ? entry : entry.itemIndex);
	const reasons = new Map<E | number, string[]>();
	for (const { entry, reason } of located) {
		const group = groupOf(entry);
		reasons.set(group, [...(reasons.get(group) ?? []), reason]);
	}
	const isAlone = isIsolating || culprits.length === 0;
	const bystander = isAlone ? {} : posting.bystander?.(rowNames(culprits), error);
	const others = { ...error, ...bystander };
	const errorOf = (entry: E) => {
		const own = reasons.get(groupOf(entry));
		return own === undefined ? textOf(others) : withReasons(error, own);
	};
	const faulty = located.map(({ entry }) => entry);
	if (culprits.length === 0) return { faulty, errorOf };
	const lines = located.map(({ entry, reason }) => `Row ${entry.itemIndex + 1}: ${reason}`);
	const all = { ...error, message: `${error.message} [${rowNames(culprits)}]` };
	return { faulty, errorOf, summary: withReasons(all, [...lines, ...unlocated]) };
}

/** What the service rejected, in words: by entry in the order of the items, and what names none. */
function locate<E extends Entry>(posting: Posting<E>, { rejections }: ServiceError, entries: E[]) {
	const rows = entries.flatMap((entry) =>
		(posting.rows?.(entry) ?? [{ email: null }]).map((row) => ({
			recipient: undefined,
			...row,
			entry,
		})),
	);
	const located: Array<{ entry: E; reason: string }> = [];
	const unlocated: string[] = [];
	for (const { rejection, position } of locateRejections(rejections ?? [], rows)) {
		if (position === null) {
			unlocated.push(rejectionText(rejection));
			continue;
		}
		const { entry, recipient } = rows[position];
		const text = rejectionText(rejection);
		const reason = recipient === undefined ? text : `Recipient ${recipient + 1}, ${text}`;
		located.push({ entry, reason });
	}
	located.sort((one, other) => one.entry.itemIndex - other.entry.itemIndex);
	return { located, unlocated };
}

function withReasons(error: ServiceError, reasons: string[]): ErrorText {
	return textOf({ ...error, description: [...reasons, error.advice].filter(Boolean).join('\n') });
}

function textOf({ message, description, code, status }: ServiceError): ErrorText {
	return { message, description, data: { code, status } };
}

/** Whether the other entries of a request could get through without the faulty ones. */
export function isAboutEntries(
	{ status, code }: ServiceError,
	{ statuses, exceptCodes }: RejectionScope = ABOUT_PEOPLE,
): boolean {
	return statuses.some((one) => one === status) && !exceptCodes.some((one) => one === code);
}

/** The service may have carried it out; a repeat could do it twice. */
export function unknownOutcome(
	{ unclear }: Pick<Posting<never>, 'unclear'>,
	reason: string,
	itemIndex: number,
): ErrorText {
	return {
		message: `Outcome unknown: ${unclear.mayBe}. ${reason} [${rowName(itemIndex)}]`,
		description: unclear.advice,
		data: { code: OUTCOME_UNKNOWN, status: null },
	};
}

/** A key means one letter: it was used for another. `on` is null for one of this run. */
export function keyUsedError(
	{ itemIndex, once }: Entry,
	{ usedFor, on }: { usedFor: UsedFor | null; on: string | null },
): ErrorText {
	const own = once?.usedFor ?? null;
	const differs = own && usedFor ? differences(usedFor, own) : [];
	const when = on === null ? 'by an earlier row' : `on ${on.slice(0, 10)}`;
	const what = usedFor?.to ? `a letter to ${usedFor.to}` : 'another letter';
	return {
		message: `This key was used for ${what} ${when}. Nothing was sent for it. [${rowName(itemIndex)}]`,
		description: `The 'Send Once Key' "${showUnseen(once?.text ?? '')}" stands for one letter, and this one differs in its ${differs.join(' and ')}. Give each letter a key of its own: add what tells them apart, such as the recipient or the customer.`,
		data: { code: 'key-used', status: null, differs },
	};
}

/** Whether an item is an error of this pack about a letter that may have been sent. */
export function isUnknown(item: INodeExecutionData | null | undefined): boolean {
	return (item?.json.details as IDataObject | null | undefined)?.code === OUTCOME_UNKNOWN;
}

/** What comes back of such an item is refused in the words it had. */
export function asBefore({ json }: INodeExecutionData): ErrorText {
	const { description, ...data } = json.details as IDataObject;
	return { message: String(json.error), description: String(description ?? ''), data };
}

/** The end of an entry that is still leaving: an earlier try, or this one, was interrupted. */
export function interrupted(posting: Pick<Posting<never>, 'unclear'>, itemIndex: number): Ended {
	const reason = 'An earlier attempt was interrupted while it was being sent.';
	return { state: 'unknown', error: unknownOutcome(posting, reason, itemIndex) };
}

/** @param itemIndex left out for an error of the whole run */
export function itemErrorOf(
	context: Context,
	{ message, description, data }: ErrorText,
	itemIndex?: number,
): ItemError {
	const status = typeof data.status === 'number' ? data.status : null;
	const error = apiError(context, { message, description, code: null, status }, itemIndex);
	error.context.data = data;
	return error;
}
