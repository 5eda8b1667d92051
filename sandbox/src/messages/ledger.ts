import type { Message } from '../world/model.ts';

/** A letter as its sender sees it, and how many copies the service has. */
export interface LedgerLine {
	fileReference: string | null;
	customerReference: string | null;
	email: string;
	type: string;
	/** More than one: it was sent more than once. */
	times: number;
	ids: string[];
}

/** Messages accepted for delivery, by references and recipient; deliberate resends do not count. */
export function deliveryLedger(messages: Message[]): LedgerLine[] {
	const lines = new Map<string, LedgerLine>();
	for (const { id, type, contact, fileReference, customerReference, resendOf } of messages) {
		if (resendOf !== null) continue;
		const { email } = contact;
		const key = JSON.stringify([fileReference, customerReference, email, type]);
		const line = lines.get(key) ?? {
			fileReference,
			customerReference,
			email,
			type,
			times: 0,
			ids: [],
		};
		line.times++;
		line.ids.push(id);
		lines.set(key, line);
	}
	return [...lines.values()];
}
