import type { IExecuteFunctions } from 'n8n-workflow';

import { addressKey } from '../../webhook-receiver/src/core/address';
import { requestPosting, termsKey, type ConsentRequest } from '../shared/consents/request';
import type { ErrorText } from '../shared/items/perItem';
import { sharedRequests } from '../shared/sending/isolateField';
import { sendAll } from '../shared/sending/sendAll';
import { callReceiver, CONSUMERS, receiverError } from '../shared/transport/receiver';
import { assertFollowable, isFollowedByN8n } from '../shared/waiting/letN8nFollow';

/** A contact to ask, and the item it is for. */
export type Asking = Pick<ConsentRequest, 'terms' | 'recipient' | 'warnings'> & {
	item: number;
};

/**
 * Asks each contact once, however many items name it, and asks nobody again when this run is retried.
 *
 * @returns the consent's id for each item, or why the contact was not asked
 */
export async function askContacts(
	context: IExecuteFunctions,
	asking: readonly Asking[],
): Promise<Map<number, { id: string } | { error: ErrorText }>> {
	if (asking.length === 0) return new Map();
	if (isFollowedByN8n(context)) await assertFollowable(context, 'Nobody was asked.');
	else await assertReceiver(context);
	const first = new Map<string, Asking>();
	for (const one of asking) if (!first.has(contactOf(one))) first.set(contactOf(one), one);
	const byItem = new Map([...first.values()].map((one) => [one.item, one]));
	const results = await sendAll<ConsentRequest>(
		context,
		{
			posting: requestPosting,
			settings: () => sharedRequests(context.continueOnFail(), termsKey),
			prepare: (_, itemIndex) => {
				const one = byItem.get(itemIndex);
				if (!one) return [];
				const { terms, recipient, warnings } = one;
				return [{ itemIndex, terms, recipient, warnings }];
			},
		},
		byItem.keys(),
	);
	const asked = asking.map((one): [number, { id: string } | { error: ErrorText }] => {
		const leader = first.get(contactOf(one))?.item ?? one.item;
		const [result] = results.get(leader) ?? [];
		if ('error' in result) return [one.item, { error: result.error }];
		return [one.item, { id: String(result.output.id).trim().toLowerCase() }];
	});
	return new Map(asked);
}

/** Names a contact, who is asked once. */
export function contactOf({ terms: { sender }, recipient: { email } }: Asking): string {
	return JSON.stringify([sender, addressKey(email)]);
}

/** Checks that answers can reach the execution, before anybody is asked. */
async function assertReceiver(context: IExecuteFunctions): Promise<void> {
	const result = await callReceiver(context, { method: 'GET', path: '/consumers' }, CONSUMERS);
	if ('body' in result) return;
	const { advice } = result.failure;
	throw receiverError(
		context,
		result.failure,
		`Nobody was asked. ${advice ?? 'Correct the credential or the receiver.'}`,
	);
}
