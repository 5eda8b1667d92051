import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { runMemory } from './runMemory';
import { callService, type ServiceRequest, type ServiceResult } from './service';
import type { Failure } from './serviceError';

/** What became of a request that must not go out twice. */
type Posted = { body: unknown } | { unknown: string };

/**
 * Sends a request that costs money or writes to people (a resend, a consent request, a delegation) at
 * most once in a run of the node: *Retry On Fail* starts the whole node again, and then the first
 * answer is given back (design, section 5). When no clear answer came, the request may have been
 * carried out, so a retry fails as well rather than repeat it.
 *
 * @param subject what tells this request from others of the run: its items and its content
 */
export async function postOnce(
	context: IExecuteFunctions,
	request: ServiceRequest,
	subject: unknown,
): Promise<ServiceResult> {
	const memory = runMemory<Posted>(context, 'posted');
	const key = keyOf(request, subject);
	const earlier = memory[key];
	if (earlier !== undefined) {
		return 'body' in earlier
			? { body: earlier.body }
			: { failure: unknownOutcome(earlier.unknown), carried: 'unknown' };
	}
	const result = await callService(context, request);
	if ('body' in result) {
		memory[key] = { body: result.body };
		return result;
	}
	if (result.carried === 'no') return result;
	memory[key] = { unknown: result.failure.message };
	return { failure: unknownOutcome(result.failure.message), carried: 'unknown' };
}

/** Words for a request of which nobody knows whether it was carried out. */
export function unknownOutcome(reason: string): Failure {
	const advice =
		'The request left, and no clear answer came back: look in the dashboard of the service whether it was carried out. A retry of this execution will not repeat it; a new execution will.';
	return {
		message: `Outcome unknown: the request may have been carried out. ${reason}`,
		description: advice,
		advice,
		code: 'outcome-unknown',
		status: null,
	};
}

function keyOf({ path }: ServiceRequest, subject: unknown): string {
	const content = JSON.stringify([path, subject]);
	return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}
