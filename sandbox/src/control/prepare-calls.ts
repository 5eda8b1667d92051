import { ServiceError } from '../http/errors.ts';
import { checkSent, sentFrom, type Sent } from './calls.ts';
import type { Endpoint } from './endpoint.ts';
import type { Scenario } from './scenario-schemas.ts';

export interface PreparedCall {
	endpoint: Endpoint;
	sent: Sent;
}

/**
 * Validates all calls of a scenario before the first is made.
 *
 * @throws Error that names the first invalid step, and why
 */
export function prepareCalls({ steps }: Scenario, endpoints: Endpoint[]): PreparedCall[] {
	const callable = endpoints.filter(({ answer }) => answer.contentType === 'application/json');
	return steps.map((step, index) => {
		const endpoint = callable.find(({ id }) => id === step.call);
		const where = `step ${index + 1} (${step.call})`;
		if (!endpoint)
			throw new Error(`${where}: use one of ${callable.map(({ id }) => id).join(', ')}`);
		try {
			return { endpoint, sent: checkSent(endpoint, sentFrom(endpoint, step.with)) };
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			throw new Error(`${where}: ${error.message}`);
		}
	});
}
