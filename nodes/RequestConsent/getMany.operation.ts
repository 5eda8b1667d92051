import { readSender, senderField } from '../shared/fields/customerPicker';
import { listFields, readLimit } from '../shared/fields/listFields';
import { Options } from '../shared/fields/options';
import { optionsField, type NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';
import { readList } from '../shared/transport/paging';
import { requestService } from '../shared/transport/service';

/** Lists the newest consent of each contact (interface, GET /consents; rule CONS-07). */
export const getMany: NodeOperation = {
	name: 'Get Many',
	value: 'getMany',
	description: 'List the newest consent of each contact',
	action: 'Get many consents',
	fields: [
		...listFields,
		optionsField([senderField('only consents requested for this customer', 'searchCustomers')]),
	],
	execute: perItem({
		prepare(context, itemIndex) {
			const sender = readSender(Options.of(context, itemIndex));
			return { limit: readLimit(context, itemIndex), sender };
		},

		async perform(context, { limit, sender }) {
			const consents = await readList(limit, async (paging) => {
				const query = { ...(sender !== undefined && { sender }), ...paging };
				return (await requestService(context, { method: 'GET', path: '/consents', query })).body;
			});
			return consents.map((json) => ({ json }));
		},
	}),
};
