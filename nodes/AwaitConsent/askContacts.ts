import type { IExecuteFunctions } from 'n8n-workflow';

import { addressKey } from '../../webhook-receiver/src/core/address';
import { sha256Hex } from '../../webhook-receiver/src/core/fingerprint';
import { consentOf } from '../shared/consents/newest';
import { requestPosting, type ConsentRequest } from '../shared/consents/request';
import type { Failure } from '../shared/transport/serviceError';
import type { Recipient } from '../shared/recipients/recipients';
import { ownKey } from '../shared/sending/claims';
import type { Verdict } from '../shared/sending/entry';
import { sendItems } from '../shared/sending/send';
import type { ConsentToAwait } from './decideForContact';

/** A contact to ask, and the item it is for. */
export type Asking = Pick<ConsentRequest, 'terms' | 'warnings'> & {
	recipient: Recipient;
	item: number;
	/** The contact's newest consent so far, or null. */
	after: string | null;
};

const posting: typeof requestPosting = {
	...requestPosting,
	unclear: {
		...requestPosting.unclear,
		advice:
			'The request was sent, but no clear response came back. Check in the dashboard of the service whether the contact was asked. If so, run again: the node then waits for the answer. If not, run again tomorrow: until then nothing is sent to this contact.',
	},
};

/**
 * Asks each contact once, however many items name it, and asks nobody again when this run is retried, nor
 * who is being asked by another execution: a claim on the contact sees to that. Without a receiver it holds within
 * the workflow.
 *
 * @param now milliseconds since 1970
 * @returns the consent for each item, or why the contact was not asked
 */
export async function askContacts(
	context: IExecuteFunctions,
	asking: readonly Asking[],
	now: number,
): Promise<Map<number, ConsentToAwait | { error: Failure }>> {
	if (asking.length === 0) return new Map();
	const first = new Map<string, Asking>();
	for (const one of asking) if (!first.has(contactKey(one))) first.set(contactKey(one), one);
	const byItem = new Map([...first.values()].map((one) => [one.item, one]));
	const prepare = (_: unknown, itemIndex: number): ConsentRequest => {
		const { recipient, ...one } = byItem.get(itemIndex) as Asking;
		const once = ownKey(claimOn({ recipient, ...one }, now));
		return { itemIndex, terms: one.terms, warnings: one.warnings, recipients: [recipient], once };
	};
	const operation = { posting, prepare };
	const verdicts = await sendItems<ConsentRequest>(context, operation, byItem.keys());
	const asked = asking.map((one): [number, ConsentToAwait | { error: Failure }] => {
		const leader = first.get(contactKey(one))?.item ?? one.item;
		const verdict = verdicts.get(leader) as Verdict;
		if ('error' in verdict) return [one.item, { error: verdict.error }];
		const { id: consentId, contact } = consentOf(verdict.outputs[0]);
		return [one.item, { consentId, contact }];
	});
	return new Map(asked);
}

/** Names a contact, who is asked once. */
export function contactKey({ terms: { sender }, recipient: { email } }: Asking): string {
	return JSON.stringify([sender, addressKey(email)]);
}

/**
 * The key that a contact is asked under: the same for all who know of no newer consent. The day lets a contact
 * be asked again whose consents the service no longer lists.
 */
function claimOn(one: Asking, now: number): string {
	const contact = sha256Hex(contactKey(one)).slice(0, 32);
	const day = new Date(now).toISOString().slice(0, 10);
	return `consent request ${contact} after ${one.after ?? 'none'} on ${day}`;
}
