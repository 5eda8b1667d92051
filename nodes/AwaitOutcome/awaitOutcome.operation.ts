import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Outcome, WaitMessage } from '../../webhook-receiver/src/core/wait-contract';
import { readFields, readOptions } from '../shared/fields/field';
import { namesNoMessage } from '../shared/fields/messageId';
import { errorJson, failureOf } from '../shared/items/itemError';
import { prepareAll } from '../shared/items/perItem';
import { rememberLetters } from '../shared/items/rememberLetters';
import {
	assertOneWait,
	type AwaitOperation,
	type WaitRequest,
} from '../shared/waiting/awaitOperation';
import type { Outputs } from '../shared/waiting/outputs';
import { goalOptions, routeItems, lettersField, messageTypeField } from './awaitOutcomeFields';

/** Which output an item goes to. A letter never sent counts like one that never arrived. */
const OUTPUT = {
	accepted: 0,
	refused: 1,
	opened: 2,
	received: 2,
	expired: 3,
	undelivered: 3,
	failed: 3,
	none: 4,
	erased: 4,
} satisfies Record<Outcome, number>;

/** The node's outputs. The names are short enough for the canvas to show in full. */
const outcomeOutputs: Outputs = {
	names: ['Accepted', 'Refused', 'Opened', 'Expired', 'Pending'],
	of: OUTPUT,
	worstFirst: [OUTPUT.none, OUTPUT.refused, OUTPUT.expired, OUTPUT.opened, OUTPUT.accepted],
	idName: 'messageId',
};

/** Waits for the outcomes of letters that earlier nodes sent. */
export const awaitOutcome: AwaitOperation = {
	name: 'Await Outcome',
	outputs: outcomeOutputs,
	routeItems,
	prepare: prepareLetters,

	/** The service has webhooks for tracked mail, and for a registered letter only where it failed. */
	unwatched(context, subjects) {
		const messages = 'messages' in subjects ? subjects.messages : [];
		if (messages.every(({ messageType }) => messageType === 'AES' || messageType === 'MT')) return;
		context.addExecutionHints({
			type: 'warning',
			location: 'outputPane',
			message:
				'The webhook receiver does not watch letters, and the delivery service reports only tracked mail to it. Registered and simple letters will leave through \'Pending\'. Give the receiver access to the service: see "Watching letters" in its README.',
		});
	},
};

/**
 * Reads all items before anything is registered. An invalid message id stops the node, or with
 * *Continue On Fail* goes to the last output. An item that failed before leaves there as it came.
 */
async function prepareLetters(context: IExecuteFunctions): Promise<WaitRequest> {
	const { trackedMailGoal = 'opened' } = readOptions(context, 0, goalOptions);
	const fields = { messageIds: lettersField, messageType: messageTypeField };
	const read = await prepareAll(context, async (item) =>
		isFailed(context, item) ? null : readFields(context, item, fields),
	);
	const faults: Record<string, IDataObject> = {};
	const byId = new Map<string, WaitMessage>();
	const ids = [...read].map(([item, result]) => {
		if ('error' in result) {
			faults[item] = errorJson(failureOf(result.error));
			return null;
		}
		if (result.value === null) return null;
		const { messageIds, messageType } = result.value;
		for (const messageId of messageIds) {
			const known = byId.get(messageId)?.messageType ?? null;
			byId.set(messageId, { messageId, messageType: known ?? messageType });
		}
		return messageIds;
	});
	assertOneWait(context, byId.size, 'letters');
	rememberLetters(context, [...byId.keys()]);
	const messages = [...byId.values()];
	const subjects = messages.length === 0 ? null : { messages, trackedMailGoal };
	return { ids, faults, known: [], subjects };
}

/** Whether an earlier node gave an error instead of a letter, as Send Letter does of one that was not sent. */
function isFailed(context: IExecuteFunctions, item: number): boolean {
	const { json, error } = context.getInputData()[item];
	if ((json.error ?? error ?? null) === null) return false;
	return namesNoMessage(context.getNodeParameter(lettersField.name, item));
}
