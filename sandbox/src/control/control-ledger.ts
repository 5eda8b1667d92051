import { z } from 'zod/v4';
import type { Message } from '../state/model.ts';
import { endpoint, json } from './endpoint.ts';
import { named } from '../state/named-schemas.ts';

/** A letter as its sender sees it, and how many copies the service has. */
const ledgerLineSchema = named(
	'LedgerLine',
	z.strictObject({
		fileReference: z.string().nullable(),
		customerReference: z.string().nullable(),
		email: z.string(),
		type: z.string(),
		times: z.number().int().describe('More than one: it was sent more than once'),
		ids: z.array(z.string()),
	}),
);
type LedgerLine = z.infer<typeof ledgerLineSchema>;

/** Control API: what the service really accepted, to compare with its client. */
export const LEDGER_ENDPOINTS = [
	endpoint({
		method: 'get',
		path: '/ledger',
		id: 'getLedger',
		summary: 'Letters the service accepted, to compare with a client’s records',
		answer: json(z.strictObject({ letters: z.array(ledgerLineSchema) })),
		handle: ({ store }) => ({ letters: deliveryLedger([...store.messages.values()]) }),
	}),
];

/** Messages accepted for delivery, by references and recipient; deliberate resends do not count. */
function deliveryLedger(messages: Message[]): LedgerLine[] {
	const sent = messages.filter(({ resendOf }) => resendOf === null);
	const copies = Map.groupBy(sent, ({ type, contact, fileReference, customerReference }) =>
		JSON.stringify([fileReference, customerReference, contact.email, type]),
	);
	return [...copies.values()].map((same) => {
		const { fileReference, customerReference, contact, type } = same[0]!;
		const ids = same.map(({ id }) => id);
		const { email } = contact;
		return { fileReference, customerReference, email, type, times: ids.length, ids };
	});
}
