import type { DeliveryEvent } from './event-contract.ts';

/**
 * What the service lists: the newest consent of each contact, and a reseller's customers (rules
 * CONS-07, CUST-03).
 */
export const LISTS = ['consents', 'customers'] as const;
export type ListName = (typeof LISTS)[number];

/** The first part of the types of a list's events. */
export const SUBJECTS = { consents: 'consent', customers: 'customer' } as const;

/** Whether events of this type are about entries of the list. */
export function isTypeOf(list: ListName, type: string): boolean {
	return type.startsWith(`${SUBJECTS[list]}.`);
}

/** What an event is about, or null: its message, consent or customer. */
export function subjectOf({
	messageId,
	consentId,
	customerId,
}: Pick<DeliveryEvent, 'messageId' | 'consentId' | 'customerId'>): string | null {
	return messageId ?? consentId ?? customerId ?? null;
}

/** The list that an event is about, if it is about one, whether or not its type is known. */
export function listOf({
	consentId,
	customerId,
}: Pick<DeliveryEvent, 'consentId' | 'customerId'>): ListName | null {
	if (consentId !== undefined) return 'consents';
	return customerId === undefined ? null : 'customers';
}
