import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { messageTypeSchema } from '../../webhook-receiver/src/core/event-contract';
import { MOST_MESSAGES, type WaitMessage } from '../../webhook-receiver/src/core/wait-contract';
import { readMessageId } from '../shared/fields/messageId';
import { invalidItem } from '../shared/items/invalidItem';
import { errorJson, prepareAll } from '../shared/items/perItem';
import type { Sleeping } from './sleeping';

/** What the input items ask to wait for. */
export interface Awaited extends Pick<Sleeping, 'messageIds' | 'faults'> {
	/** Each message once, in item order. */
	messages: WaitMessage[];
}

/**
 * Reads all items before anything is registered. An invalid message id stops the node, or with
 * *Continue On Fail* goes to the last output.
 */
export async function readAwaited(context: IExecuteFunctions): Promise<Awaited> {
	const read = await prepareAll(context, async (item) => readItem(context, item));
	const faults: Record<string, IDataObject> = {};
	const messages = new Map<string, WaitMessage>();
	const messageIds = read.map((outcome, item) => {
		if ('error' in outcome) {
			faults[item] = errorJson(outcome.error);
			return null;
		}
		const { messageId, messageType } = outcome.value;
		const known = messages.get(messageId)?.messageType ?? null;
		messages.set(messageId, { messageId, messageType: known ?? messageType });
		return messageId;
	});
	if (messages.size > MOST_MESSAGES) {
		throw new NodeOperationError(
			context.getNode(),
			`There are ${messages.size} letters to wait for, but one node can wait for at most ${MOST_MESSAGES}`,
			{
				description:
					'Nothing was registered. Split the letters with a Loop Over Items node, or start several executions.',
			},
		);
	}
	return { messageIds, faults, messages: [...messages.values()] };
}

function readItem(context: IExecuteFunctions, item: number): WaitMessage {
	const result = readMessageId(context.getNodeParameter('messageId', item, ''));
	if ('problem' in result) throw invalidItem('Message ID', result.problem);
	const type = context.getNodeParameter('messageType', item, '');
	// A hint for what events do not say, so an unknown word does no harm.
	const known = messageTypeSchema.safeParse(
		String(type ?? '')
			.trim()
			.toUpperCase(),
	);
	return { messageId: result.value, messageType: known.success ? known.data : null };
}
