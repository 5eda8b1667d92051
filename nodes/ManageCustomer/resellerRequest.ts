import type { IExecuteFunctions } from 'n8n-workflow';

import { callService, type ServiceAnswer, type ServiceRequest } from '../shared/transport/service';
import { ServiceFailed, withAdvice, type RequestFailure } from '../shared/transport/serviceError';

/**
 * Sends a request to an endpoint for resellers (rule CUST-08).
 *
 * @throws ServiceFailed; if the service rejects the account, it names that condition
 */
export async function requestAsReseller(
	context: IExecuteFunctions,
	request: ServiceRequest,
): Promise<ServiceAnswer> {
	const result = await callService(context, request);
	if ('error' in result) throw new ServiceFailed(forResellers(result.error));
	return result;
}

/**
 * The interface lists only 401 for these endpoints, so it may mean a bad token or an account that is not a
 * reseller's.
 */
export function forResellers(error: RequestFailure): RequestFailure {
	if (error.status !== 401 && error.status !== 403) return error;
	return withAdvice(
		error,
		'Only resellers can manage customers: the credential must belong to a reseller account.',
	);
}
