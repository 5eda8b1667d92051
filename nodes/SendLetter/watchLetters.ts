import type { IDataObject, IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';

import { MOST_WATCHES_AT_ONCE, type Watches } from '../../webhook-receiver/src/contract';
import type { Outcome } from '../shared/perItem';
import { describeNetworkFailure } from '../shared/serviceError';
import type { ItemLetter } from './groupLetters';
import type { MailingOutcomes } from './mailing';

export const RECEIVER_CREDENTIAL = 'registeredDeliveryReceiverApi';

type Watched = NonNullable<Watches['messages']>[number];

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
	const advice =
		'The letter was sent; do not send it again. To have it watched after all, correct this and PUT /watches/<message ID> at the receiver, or use Await Outcome.';
	try {
		const { receiverUrl } = await context.getCredentials<{ receiverUrl: string }>(
			RECEIVER_CREDENTIAL,
		);
		const body: Watches = { messages };
		const answer = (await context.helpers.httpRequestWithAuthentication.call(
			context,
			RECEIVER_CREDENTIAL,
			{
				method: 'POST',
				url: `${receiverUrl.trim().replace(/\/+$/, '')}/watches`,
				body: body as IDataObject,
				json: true,
				disableFollowRedirect: true,
				ignoreHttpStatusErrors: true,
				returnFullResponse: true,
				timeout: 30_000,
			},
		)) as IN8nHttpFullResponse;
		const { statusCode } = answer;
		return statusCode === 200 ? null : `${refusal(statusCode, answer.body)} ${advice}`;
	} catch (error) {
		// The error itself holds the request with the management token, so only its words go on.
		const { message, description } = describeNetworkFailure(error);
		return `The webhook receiver cannot be reached: ${message} ${description ?? ''} ${advice}`;
	}
}

function refusal(statusCode: number, body: unknown): string {
	if (statusCode === 401) {
		return 'The webhook receiver does not accept the Management Token of the credential.';
	}
	if (statusCode === 404) {
		return 'The webhook receiver does not know how to watch letters: check the Receiver URL of the credential, and that the receiver has the version of this node.';
	}
	const { message } = (body ?? {}) as { message?: unknown };
	return typeof message === 'string'
		? `The webhook receiver does not watch it: ${message}`
		: `The webhook receiver answered ${statusCode}.`;
}
