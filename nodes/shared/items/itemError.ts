import type { IDataObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	capital,
	InvalidItem,
	invalidItemError,
	rowName,
	type ErrorContext,
} from '../fields/invalidItem';
import { apiError, ServiceFailed, type Failure } from '../transport/serviceError';

export type ItemError = NodeApiError | NodeOperationError;

/**
 * Turns whatever was thrown into n8n's error; n8n's own errors keep their text.
 *
 * @param itemIndex left out for an error of the whole run
 */
export function itemError(context: ErrorContext, error: unknown, itemIndex?: number): ItemError {
	if (error instanceof InvalidItem)
		return invalidItemError(context, itemIndex ?? 0, error.problems);
	if (error instanceof ServiceFailed) return apiError(context, error.error, itemIndex);
	const own =
		error instanceof NodeApiError || error instanceof NodeOperationError
			? error
			: new NodeOperationError(context.getNode(), (error as Error).message);
	own.context.itemIndex ??= itemIndex;
	return own;
}

/**
 * The failure that ends a run, with what became of its rows. n8n would add an `itemIndex` to the message,
 * counted from 0: "… [item 2]" of row 3.
 */
export function endOfRun(
	error: ItemError,
	{ rows, done, unknown }: { rows: number; done: number; unknown?: number },
): ItemError {
	const { itemIndex, ...context } = error.context;
	const became = tally(rows, done, unknown, itemIndex as number | undefined);
	error.description = [error.description, became].filter(Boolean).join('\n');
	error.context = context;
	return error;
}

/**
 * What became of the rows of a run that a failure ended; empty if there is only one.
 *
 * @param itemIndex the item that ended it, if it was one
 */
function tally(rows: number, done: number, unknown = 0, itemIndex?: number): string {
	if (rows < 2) return '';
	const of = itemIndex === undefined ? 'Of' : `${capital(rowName(itemIndex))} ended the run: of`;
	const carriedOut = done === 0 ? 'none was' : done === 1 ? '1 was' : `${done} were`;
	const maybe = unknown > 0 ? `, ${unknown} may have been` : '';
	return `${of} ${rows} rows, ${carriedOut} carried out${maybe}.`;
}

export function failureOf({ message, description, context }: ItemError): Failure {
	const { code, status, ...data } = (context.data ?? {}) as Pick<Failure, 'code' | 'status'>;
	return { message, description: description ?? '', code, status, data };
}

// n8n recognises an error item by having only these two members, and routes it to the error output.
export function errorJson({ message, description, code, status, data }: Failure): IDataObject {
	const known = { ...(code !== undefined && { code }), ...(status !== undefined && { status }) };
	return { error: message, details: { description, ...known, ...data } };
}
