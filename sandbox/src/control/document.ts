import { z } from 'zod/v4';
import { named } from '../state/schemas.ts';
import { describe } from '../endpoint/describe.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';

/** The OpenAPI 3.1 description of the control API. */
export const controlDocument = (endpoints: readonly Endpoint[]) =>
	describe(endpoints, {
		base: '/_sandbox',
		title: 'Registered delivery sandbox: control API',
		description:
			'Steers a sandbox of a registered electronic delivery service: stands in for people, the network ' +
			'and time, and shows what clients really did. Not part of the service. It asks for no token.',
		server: {
			url: 'http://{host}',
			description: 'The address of the page or of the service',
			variables: { host: { default: 'localhost:8025' } },
		},
		security: [],
		tags: (names) => names.map((name) => ({ name })),
		error: named('Error', z.looseObject({ message: z.string(), code: z.string().optional() })),
		takesForms: false,
		implied: ({ params, query, body }) => ({
			...(body && { 400: ['The body cannot be read'], 413: ['The body is too large'] }),
			403: ['Requested by another web site'],
			...(params && { 404: ['Not found'] }),
			...((body ?? query) && { 422: ['Invalid input; `data.errors` names each field'] }),
		}),
	});
