import { listConsents } from '../shared/consents/newest';
import { senderField } from '../shared/fields/customerPicker';
import { readOptions } from '../shared/fields/field';
import { listFields, readLimit } from '../shared/fields/listFields';
import { outputFields, readOutput } from '../shared/fields/outputField';
import { optionsField, type NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';

/** Interface, Consent. */
const CONSENT = {
	simplified: [
		...['id', 'state', 'email', 'firstName', 'lastName', 'company'],
		...['type', 'consentUrl', 'sender', 'createdAt'],
	],
	others: ['delayInDays', 'identifier', 'identifierType'],
};

const options = {
	sender: senderField('only consents requested for this customer', 'searchCustomers'),
};

/** Lists the newest consent of each contact (interface, GET /consents; rule CONS-07). */
export const getMany: NodeOperation = {
	name: 'Get Many Consents',
	value: 'getMany',
	description: 'List the newest consent of each contact',
	action: 'Get many consents',
	fields: [...listFields, ...outputFields(CONSENT), optionsField(options)],
	execute: perItem({
		prepare(context, itemIndex) {
			const { sender } = readOptions(context, itemIndex, options);
			const shown = readOutput(context, itemIndex, CONSENT);
			return { limit: readLimit(context, itemIndex), sender, shown };
		},

		async perform(context, { limit, sender, shown }) {
			const consents = await listConsents(context, limit, sender);
			return consents.map((consent) => ({ json: shown(consent) }));
		},
	}),
};
