import { listConsents } from '../shared/consents/newest';
import { readSender, senderField } from '../shared/fields/customerPicker';
import { listFields, readLimit } from '../shared/fields/listFields';
import { Options } from '../shared/fields/options';
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

/** Lists the newest consent of each contact (interface, GET /consents; rule CONS-07). */
export const getMany: NodeOperation = {
	name: 'Get Many Consents',
	value: 'getMany',
	description: 'List the newest consent of each contact',
	action: 'Get many consents',
	fields: [
		...listFields,
		...outputFields(CONSENT),
		optionsField([senderField('only consents requested for this customer', 'searchCustomers')]),
	],
	execute: perItem({
		prepare(context, itemIndex) {
			const sender = readSender(Options.of(context, itemIndex));
			const shown = readOutput(context, itemIndex, CONSENT);
			return { limit: readLimit(context, itemIndex), sender, shown };
		},

		async perform(context, { limit, sender, shown }) {
			const consents = await listConsents(context, limit, sender);
			return consents.map((consent) => ({ json: shown(consent) }));
		},
	}),
};
