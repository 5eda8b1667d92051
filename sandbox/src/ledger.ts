import type { Message } from './model.ts';

/** One letter as its sender thinks of it, and how often the service has it. */
export interface LedgerLine {
	fileReference: string | null;
	customerReference: string | null;
	email: string;
	type: string;
	/** More than one: it was sent twice. */
	times: number;
	ids: string[];
}

/** What was taken over for delivery, by references and recipient; resends on purpose do not count. */
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
