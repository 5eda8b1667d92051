import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** Something wrong with an item, and what to mend: a parameter as the editor names it, or the credential. */
export interface ItemProblem {
	parameter: string;
	message: string;
}

/** What a problem of the credential is listed under. */
export const CREDENTIAL = 'Credential';

/** Problems an error lists beside the first; the operation Check lists every one. */
const MOST_LISTED = 20;

/**
 * What is wrong with an item, gathered while it is read: reading goes on after a problem, so that a
 * user hears of all of them at once.
 */
export class Findings {
	readonly problems: ItemProblem[] = [];

	add(parameter: string, ...messages: Array<string | null>): void {
		for (const message of messages) {
			if (message !== null) this.problems.push({ parameter, message });
		}
	}

	/** Reads a parameter; that n8n cannot evaluate its expression is a problem like any other. */
	read<T>(parameter: string, otherwise: T, read: () => T): T {
		try {
			return read();
		} catch (error) {
			this.add(parameter, (error as Error).message);
			return otherwise;
		}
	}
}

/** The error for an item with at least one problem: the first in its message, the others below. */
export function problemsError(
	context: Pick<IExecuteFunctions, 'getNode'>,
	itemIndex: number,
	[first, ...others]: ItemProblem[],
): NodeOperationError {
	const listed = others.slice(0, MOST_LISTED).map(problemLine);
	const left = others.length - listed.length;
	return new NodeOperationError(context.getNode(), `${problemLine(first)} [item ${itemIndex}]`, {
		itemIndex,
		description: [
			...(listed.length > 0 ? ['Also wrong:', ...listed] : []),
			...(left > 0 ? [`… and ${left} more.`] : []),
			[whatToDo([first, ...others], itemIndex), notDone(context)].filter(Boolean).join(' '),
		].join('\n'),
	});
}

/** A problem in one line. What is wrong with the credential speaks for itself. */
export function problemLine({ parameter, message }: ItemProblem): string {
	return parameter === CREDENTIAL ? message : `${parameter}: ${message}`;
}

function whatToDo(problems: ItemProblem[], itemIndex: number): string {
	const names = [...new Set(problems.map(({ parameter }) => parameter))];
	const parameters = names.filter((name) => name !== CREDENTIAL).map((name) => `"${name}"`);
	const isCredential = names.includes(CREDENTIAL);
	if (parameters.length === 0) {
		return 'Correct the credential "Registered Delivery API" of this node.';
	}
	const what = `${parameters.length === 1 ? 'parameter' : 'parameters'} ${parameters.join(', ')} of item ${itemIndex}`;
	const also = isCredential ? ', and the credential "Registered Delivery API"' : '';
	return `Correct the ${what}${also}.`;
}

/** What an operation has surely not done for an item that was wrong. Of one that only reads: nothing. */
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
