import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { MOST_WATCHES_AT_ONCE, type Watches } from '../../webhook-receiver/src/contract';
import type { Outcome } from '../shared/perItem';
import { callReceiver, type ReceiverFailure, type ReceiverWords } from '../shared/receiver';
import type { ItemLetter } from './groupLetters';
import type { MailingOutcomes } from './mailing';

type Watched = NonNullable<Watches['messages']>[number];

const WORDS: ReceiverWords = {
	refused: (reason) => `The webhook receiver does not watch it: ${reason}`,
	unknown: 'The webhook receiver does not know how to watch letters',
};

const SENT_ADVICE =
	'The letter was sent; do not send it again. To have it watched after all, correct this and PUT /watches/<message ID> at the receiver, or use Await Outcome.';

/**
 * Has the receiver watch the letters that were sent (design § 10). They are sent whatever comes of
 * this: an item whose letters are not watched stays what it is, and says so in `watch`.
 */
export async function watchLetters(
	context: IExecuteFunctions,
	letters: readonly ItemLetter[],
	sent: MailingOutcomes,
): Promise<MailingOutcomes> {
	const asked = letters.filter(({ itemIndex }) => {
		const { watch } = context.getNodeParameter('options', itemIndex, {});
		return watch === true && sentBody(sent.get(itemIndex)) !== null;
	});
	const all = asked.flatMap((letter) => {
		const watched = watchedOf(letter, sentBody(sent.get(letter.itemIndex)) ?? {});
		return watched.map((message) => ({ itemIndex: letter.itemIndex, message }));
	});
	const outcomes: MailingOutcomes = new Map(sent);
	let failed = 0;
	for (let first = 0; first < all.length; first += MOST_WATCHES_AT_ONCE) {
		const step = all.slice(first, first + MOST_WATCHES_AT_ONCE);
		const problem = await watch(
			context,
			step.map(({ message }) => message),
		);
		if (problem === null) continue;
		failed += step.length;
		for (const { itemIndex } of step) {
			const body = sentBody(outcomes.get(itemIndex));
			if (body !== null) outcomes.set(itemIndex, { value: { ...body, watch: { error: problem } } });
		}
	}
	if (failed > 0) {
		context.addExecutionHints({
			message: `The letters were sent, but ${failed} of them are not watched: see "watch" of the items.`,
			type: 'warning',
			location: 'outputPane',
		});
	}
	return outcomes;
}

function sentBody(outcome: Outcome<IDataObject> | undefined): IDataObject | null {
	return outcome !== undefined && 'value' in outcome ? outcome.value : null;
}

function watchedOf({ letter }: ItemLetter, body: IDataObject): Watched[] {
	const messages = Array.isArray(body.messages) ? (body.messages as IDataObject[]) : [];
	const { type, fileReference, customerReference } = letter.fields;
	return messages
		.map(({ id }) => String(id))
		.filter((id) => /^\d{12}$/.test(id))
		.map((messageId) => ({
			messageId,
			messageType: type as Watched['messageType'],
			...(fileReference !== undefined && { fileReference }),
			...(customerReference !== undefined && { customerReference }),
		}));
}

/** Null when the receiver watches them now, else what went wrong and what to do. */
async function watch(context: IExecuteFunctions, messages: Watched[]): Promise<string | null> {
	const body: Watches = { messages };
	try {
		const result = await callReceiver(context, { method: 'POST', path: '/watches', body }, WORDS);
		return 'body' in result ? null : describe(result.failure);
	} catch (error) {
		// The node has no such credential, and the letters were sent all the same.
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
