import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { addressKey } from '../../../webhook-receiver/src/core/address';
import { readEntry } from '../../../webhook-receiver/src/core/listed';
import { oncePerRun } from '../transport/credential';
import { readList } from '../transport/paging';
import { requestService } from '../transport/service';

/** What the service lists of a consent (interface, Consent). */
export interface Consent {
	/** In lower case. */
	id: string;
	type: string;
	/** PENDING, ACCEPTED, or another: the interface does not show all of them. */
	state: string;
	/** Digest of who was asked by whom, as a receiver makes it; the id where there is no address. */
	contact: string;
}

/** The newest consent of each contact, as the service lists them (rule CONS-07). */
export class NewestConsents {
	private readonly byEmail = new Map<string, IDataObject>();
	private readonly byId = new Map<string, Consent>();

	/**
	 * @param listed the entries of GET /consents
	 * @param sender counts only consents requested for this customer; without it, only those for no
	 * customer
	 */
	constructor(listed: readonly IDataObject[], sender?: string) {
		for (const entry of listed) {
			const consent = consentOf(entry);
			this.byId.set(consent.id, consent);
			// The service may ignore the filter, whose name the interface does not show.
			if (trimmed(entry.sender).toLowerCase() !== trimmed(sender).toLowerCase()) continue;
			const email = addressKey(trimmed(entry.email));
			const known = this.byEmail.get(email);
			if (known === undefined || createdAt(entry) >= createdAt(known)) {
				this.byEmail.set(email, entry);
			}
		}
	}

	of(email: string): Consent | null {
		const found = this.byEmail.get(addressKey(email));
		return found === undefined ? null : consentOf(found);
	}

	withId(id: string): Consent | null {
		return this.byId.get(id.toLowerCase()) ?? null;
	}
}

export function consentOf(consent: IDataObject): Consent {
	const { id, type, state } = consent;
	return {
		id: trimmed(id).toLowerCase(),
		type: trimmed(type).toUpperCase(),
		state: trimmed(state).toUpperCase(),
		contact: readEntry(consent)?.contact ?? trimmed(id).toLowerCase(),
	};
}

function trimmed(value: unknown): string {
	return String(value ?? '').trim();
}

function createdAt({ createdAt: at }: IDataObject): number {
	return Date.parse(String(at)) || 0;
}

/**
 * Lists the consents, once for a run of the node, whatever the number of items.
 *
 * @param sender for a reseller: the customer they were asked for
 * @throws ServiceFailed
 */
export const newestConsents = oncePerRun(
	async (context, sender) => new NewestConsents(await listConsents(context, null, sender), sender),
);

/**
 * The consents as the service lists them.
 *
 * @param limit how many, or null for all
 * @throws ServiceFailed
 */
export async function listConsents(
	context: IExecuteFunctions,
	limit: number | null,
	sender: string | undefined,
): Promise<IDataObject[]> {
	return await readList(limit, async (paging) => {
		const query = { ...(sender !== undefined && { sender }), ...paging };
		return (await requestService(context, { method: 'GET', path: '/consents', query })).body;
	});
}
