import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { showUnseen } from '../../../webhook-receiver/src/core/unseen';

/** What the user can correct in an item: in a parameter, named as in the editor, or in the credential. */
export interface ItemProblem {
	parameter: string;
	message: string;
}

/** The `parameter` of problems with the credential. */
export const CREDENTIAL_LABEL = 'Credential';

/** The `parameter` of problems with the item itself, whose fields their messages name. */
export const ITEM_LABEL = 'Item';

/** Problems an error lists beside the first; the operation Check lists all of them. */
const MOST_LISTED = 20;

/** Values that the message quotes may have characters that nobody sees; it shows them. */
export function itemProblem(parameter: string, message: string): ItemProblem {
	return { parameter, message: showUnseen(message) };
}

/** Thrown while an item is read, before anything is sent; the runner adds node and item. */
export class InvalidItem extends Error {
	readonly problems: ItemProblem[];

	constructor(problems: ItemProblem[]) {
		super(problems.map(problemLine).join('\n'));
		this.problems = problems;
	}
}

export function invalidItem(parameter: string, ...messages: string[]): InvalidItem {
	return new InvalidItem(messages.map((message) => itemProblem(parameter, message)));
}

/** Lists of the editor are loaded without input. */
export type ErrorContext = Pick<IExecuteFunctions, 'getNode'> &
	Partial<Pick<IExecuteFunctions, 'getInputData'>>;

/** The error n8n shows: the first problem in its message, the others below. */
export function invalidItemError(
	context: ErrorContext,
	itemIndex: number,
	[first, ...others]: ItemProblem[],
): NodeOperationError {
	const alsoWrong = listed(others.map(problemLine), MOST_LISTED);
	const rows = context.getInputData?.().length ?? 1;
	const row = rows > 1 ? `${capital(rowName(itemIndex))} of ${rows}: ` : '';
	return new NodeOperationError(context.getNode(), `${row}${problemLine(first)}`, {
		description: [
			...(alsoWrong.length > 0 ? ['Also wrong:', ...alsoWrong] : []),
			[whatToDo([first, ...others], itemIndex), notDone(context)].filter(Boolean).join(' '),
		].join('\n'),
	});
}

/** A problem in one line; one with the credential or the item names what it is about itself. */
export function problemLine({ parameter, message }: ItemProblem): string {
	return isNamed(parameter) ? `${parameter}: ${message}` : message;
}

/** The same of one of several items. */
export function itemLine(itemIndex: number, problem: ItemProblem): string {
	return `${capital(rowName(itemIndex))}: ${problemLine(problem)}`;
}

function isNamed(parameter: string): boolean {
	return parameter !== CREDENTIAL_LABEL && parameter !== ITEM_LABEL;
}

function whatToDo(problems: ItemProblem[], itemIndex: number): string {
	const names = [...new Set(problems.map(({ parameter }) => parameter))];
	const parameters = names.filter(isNamed).map((name) => `"${name}"`);
	const what = [
		names.includes(ITEM_LABEL) && `the data of ${rowName(itemIndex)}`,
		parameters.length > 0 &&
			`the ${parameters.length === 1 ? 'parameter' : 'parameters'} ${parameters.join(', ')} of ${rowName(itemIndex)}`,
		names.includes(CREDENTIAL_LABEL) && 'the credential of this node',
	];
	return `Correct ${what.filter(Boolean).join(', and ')}.`;
}

/** What an operation certainly did not do for an invalid item; operations that only read are not listed. */
const NOT_DONE: Record<string, string> = {
	send: 'Nothing was sent for it.',
	resend: 'Nothing was sent for it.',
	resendTo: 'Nothing was sent for it.',
	remind: 'Nothing was sent for it.',
	create: 'Nothing was created for it.',
	reschedule: 'Nothing was changed for it.',
	cancel: 'Nothing was cancelled for it.',
	setLogo: 'The logo was not changed.',
	deleteLogo: 'The logo was not deleted.',
};

function notDone(context: Pick<IExecuteFunctions, 'getNode'>): string {
	const operation = String(context.getNode().parameters?.operation);
	return Object.hasOwn(NOT_DONE, operation) ? NOT_DONE[operation] : '';
}

/** An item as its user counts it; n8n counts from 0. */
export function rowName(itemIndex: number): string {
	return `row ${itemIndex + 1}`;
}

export function capital(text: string): string {
	return `${text[0].toUpperCase()}${text.slice(1)}`;
}

/** The first of these lines, and how many more there are. */
export function listed(lines: string[], most: number): string[] {
	const left = lines.length - most;
	return left > 0 ? [...lines.slice(0, most), `… and ${left} more.`] : lines;
}
