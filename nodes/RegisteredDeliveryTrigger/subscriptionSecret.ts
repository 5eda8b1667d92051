import { signingSecret } from '../shared/signature';

/**
 * The secret a subscription is signed with. Test and production runs and restarts agree on it without
 * n8n's static data.
 */
export function subscriptionSecret(managementToken: string, key: string): string {
	return signingSecret(managementToken, `subscription:${key}`);
}
