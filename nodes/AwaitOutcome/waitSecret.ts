import { createHmac } from 'crypto';

/**
 * The secret that the one request of a wait is signed with. Derived from the management token instead of
 * stored, as the trigger does, so that nothing in n8n's database lets anybody resume an execution.
 *
 * @returns `whsec_` and 32 bytes in Base64
 */
export function waitSecret(managementToken: string, waitId: string): string {
	const bytes = createHmac('sha256', managementToken).update(`wait:${waitId}`).digest('base64');
	return `whsec_${bytes}`;
}
