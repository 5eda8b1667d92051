import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	MOST_WATCHES_AT_ONCE,
	type LetterToWatch,
} from '../../webhook-receiver/src/core/event-contract';
import {
	callReceiver,
	hasReceiver,
	type ReceiverFailure,
	type FailureMessages,
} from '../shared/transport/receiver';
import { uncancelled } from '../shared/transport/uncancelled';
import type { Verdicts } from '../shared/sending/entry';

const FAILURE_MESSAGES: FailureMessages = {
	refused: (reason) => `The webhook receiver does not watch it: ${reason}`,
	unknown: 'The webhook receiver does not support watching letters',
	member: 'created',
};

/** It has no access to the service. */
const WATCHES_NONE = 'watching-not-configured';

const SENT_ADVICE =
	'The letter was sent; do not send it again. To have it watched, correct this and send PUT /watches/<message ID> to the receiver, or use Await Outcome.';

/**
 * Has the receiver watch the sent letters, if it can. Never fails an item, since its letters are sent: if they are
 * not watched, the output says so in `watch`.
 */
export async function watchLetters(context: IExecuteFunctions, verdicts: Verdicts): Promise<void> {
	if (!(await hasReceiver(context))) return;
	const all = [...verdicts.values()].flatMap((verdict) => {
		if (verdict.state !== 'sent') return [];
		return verdict.outputs.flatMap((output, at) =>
			watchedOf(output).map((message) => ({ message, verdict, at })),
		);
	});
	let failed = 0;
	for (let first = 0; first < all.length; first += MOST_WATCHES_AT_ONCE) {
		const step = all.slice(first, first + MOST_WATCHES_AT_ONCE);
		const messages = step.map(({ message }) => message);
		// Also of an execution that was stopped: they are on their way.
		const problem = await watch(uncancelled(context), messages);
		if (problem === null) continue;
		failed += step.length;
		for (const { verdict, at } of step) {
			verdict.outputs[at] = { ...verdict.outputs[at], watch: { error: problem } };
		}
	}
	if (failed > 0) {
		context.addExecutionHints({
			message: `The letters were sent, but ${failed} of them are not watched: see "watch" of the items.`,
			type: 'warning',
			location: 'outputPane',
		});
	}
}

function watchedOf(output: IDataObject): LetterToWatch[] {
	const messages = Array.isArray(output.messages) ? (output.messages as IDataObject[]) : [];
	const { type, fileReference, customerReference } = output;
	return messages.map(({ id }) => ({
		messageId: String(id),
		messageType: type as LetterToWatch['messageType'],
		...(typeof fileReference === 'string' && { fileReference }),
		...(typeof customerReference === 'string' && { customerReference }),
	}));
}

/** What went wrong and what to do, or null when the receiver watches them. */
async function watch(
	context: IExecuteFunctions,
	messages: LetterToWatch[],
): Promise<string | null> {
	try {
		const result = await callReceiver(
			context,
			{ method: 'POST', path: '/watches', body: { messages } },
			FAILURE_MESSAGES,
		);
		if ('body' in result || result.failure.code === WATCHES_NONE) return null;
		return describe(result.failure);
	} catch (error) {
		// n8n cannot read the credential, and the letters were sent all the same.
		return `${sentence((error as Error).message)} ${SENT_ADVICE}`;
	}
}

function describe({ status, message, reason, advice }: ReceiverFailure): string {
	return [sentence(message), status === null && reason, advice, SENT_ADVICE]
		.filter(Boolean)
		.join(' ');
}

function sentence(text: string): string {
	return text.endsWith('.') ? text : `${text}.`;
}
