import type { IExecuteFunctions } from 'n8n-workflow';

import { addAdvice } from '../shared/advice';
import { callService, type ServiceAnswer, type ServiceRequest } from '../shared/service';
import { apiError, type Failure } from '../shared/serviceError';

/**
 * Sends a request to an endpoint for resellers (rule CUST-08).
 *
 * @throws NodeApiError that says so, when the service refuses the account.
 */
export async function requestAsReseller(
	context: IExecuteFunctions,
	request: ServiceRequest,
	itemIndex: number,
): Promise<ServiceAnswer> {
	const result = await callService(context, request);
	if ('failure' in result) throw apiError(context, forResellers(result.failure), itemIndex);
	return result;
}

/** The interface lists 401 alone for these endpoints, so it may mean either. */
export function forResellers(failure: Failure): Failure {
	if (failure.status !== 401 && failure.status !== 403) return failure;
	return addAdvice(
		failure,
		'Customers are managed by resellers only: the credential must belong to the account of a reseller.',
	);
}
