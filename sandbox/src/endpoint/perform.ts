import type { Request } from 'express';
import { callerOf } from '../http/authentication.ts';
import { notFound, serviceError, ServiceError } from '../http/errors.ts';
import { checked, fieldErrors } from '../http/field-errors.ts';
import { readBody } from '../http/request-body.ts';
import { requireSameWorld } from '../http/same-world.ts';
import { refuseUnknownMembers } from '../http/unknown-members.ts';
import { discard } from '../http/upload.ts';
import type { Endpoint } from './endpoint.ts';
import type { Perform } from './routes.ts';

/**
 * Asks an endpoint of the service. The files that came along are gone if it fails.
 *
 * @param strict whether members that the interface does not know are refused
 */
export const performOfService =
	({ strict }: { strict: boolean }): Perform =>
	async (world, endpoint, request, response) => {
		const { query, body, files: accepted, permit } = endpoint;
		const caller = callerOf(response);
		// Rule CUST-08; the interface shows no code for this.
		if (endpoint.isForResellers && caller.account.role !== 'reseller')
			throw serviceError(403, 'forbidden', 'Customers are managed by resellers only');
		// Rule READ-01.
		const params = inPath(endpoint, request, (errors) => new ServiceError(422, { errors }));
		const { sent, files } =
			body === undefined
				? { sent: {}, files: [] }
				: await readBody(request, response, body, { folder: world.uploads, files: accepted });
		try {
			requireSameWorld(world, response);
			if (strict && body) refuseUnknownMembers(body, sent);
			if (strict && query) refuseUnknownMembers(query, request.query);
			const asked = { caller, params, files };
			permit?.(world, { ...asked, sent } as never);
			return await endpoint.handle(world, {
				...asked,
				query: query ? checked(query, request.query) : {},
				body: body ? checked(body, sent) : {},
			} as never);
		} catch (error) {
			await discard(files);
			throw error;
		}
	};

/** Asks an endpoint of the control API. */
export const performOfControl: Perform = async (world, endpoint, request, response) => {
	const { query, body } = endpoint;
	const gone = new AbortController();
	response.once('close', () => gone.abort());
	return await endpoint.handle(world, {
		// What no path can name is not there.
		params: inPath(endpoint, request, (errors) =>
			notFound(errors.map(({ message }) => message).join('; ')),
		),
		query: query ? checked(query, request.query) : {},
		body: body ? checked(body, request.body ?? {}) : {},
		signal: gone.signal,
	} as never);
};

function inPath(
	{ params }: Endpoint,
	request: Request,
	refusal: (errors: ReturnType<typeof fieldErrors>) => Error,
): unknown {
	const parsed = params?.safeParse(request.params);
	if (parsed && !parsed.success) throw refusal(fieldErrors(parsed.error, request.params));
	return parsed?.data ?? {};
}
