import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { DeliveryCredential } from '../../../credentials/authenticate';
import type { UsedFor } from '../../../webhook-receiver/src/core/used-for';

/** Addresses that an error names. */
const NAMED = 3;

/**
 * What a Send Once Key is used for in a letter: all that must not change under it. Not the content,
 * which may be another at each try.
 */
export function usedForOf(
	context: IExecuteFunctions,
	{ baseUrl: service, apiToken }: DeliveryCredential,
	letter: { type: string; sender?: string; emails: readonly string[] },
): UsedFor {
	const emails = letter.emails.map((email) => email.toLowerCase()).sort();
	const more = emails.length > NAMED ? ` and ${emails.length - NAMED} more` : '';
	// A renewed token keeps the credential; another n8n with the same token has another credential.
	const credentialId = context.getNode().credentials?.registeredDeliveryApi?.id;
	const names = [credentialId && ['credential', credentialId], ['token', service, apiToken]];
	return {
		service,
		accounts: names.flatMap((name) => (name ? [digest(name)] : [])),
		sender: letter.sender ?? null,
		type: letter.type,
		recipients: digest(emails),
		to: (emails.slice(0, NAMED).join(', ') + more).slice(0, 300),
	};
}

function digest(value: unknown): string {
	return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
