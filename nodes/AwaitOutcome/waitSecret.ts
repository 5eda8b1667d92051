import { signingSecret } from '../shared/signature';

/** The secret that the one request of a wait is signed with; without it nobody resumes an execution. */
export function waitSecret(managementToken: string, waitId: string): string {
	return signingSecret(managementToken, `wait:${waitId}`);
}
