import { checkConcurrency } from '../shared/concurrencyField';
import { checkedCredential } from '../shared/credentialCheck';
import type { ItemOperation } from '../shared/perItem';
import { readFields } from './fields';
import { readLink } from './links';

/** Gives the signed link to a piece of evidence, which expires (rules EVID-01, EVID-02, AES-07). */
export const getLink: ItemOperation<{ id: string; eventType: string }> = {
	async prepare(context, itemIndex) {
		await checkedCredential(context, itemIndex);
		checkConcurrency(context, itemIndex);
		return readFields(context, itemIndex);
	},

	async perform(context, { id, eventType }, itemIndex) {
		const url = await readLink(context, id, eventType, itemIndex);
		return { messageId: id, eventType, url };
	},
};
