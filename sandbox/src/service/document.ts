import { z } from 'zod/v4';
import { named } from '../state/schemas.ts';
import { describe } from '../endpoint/describe.ts';
import { SERVICE_ENDPOINTS } from './endpoints.ts';

const fieldError = z.object({ field: z.string(), rule: z.string(), message: z.string() });

const contactErrors = z.array(
	fieldError.extend({ index: z.number().int(), email: z.string().nullable() }),
);

/** Section Errors: `{message, code}`, with one more member for some codes. */
const error = named(
	'Error',
	z.object({
		message: z.string(),
		code: z.string(),
		data: z.union([contactErrors, z.object({ errors: z.array(fieldError) })]).optional(),
		invalidRecipients: contactErrors.optional(),
	}),
);

/** Malformed path parameters. */
const pathErrors = named('PathErrors', z.object({ errors: z.array(fieldError).min(1) }));

const TAGS: Record<string, string> = {
	messages: 'Sending, resending, scheduling and reading letters',
	customers: 'Customers a reseller sends for, and their logos',
	consents: 'Consent requests and reminders',
};

/** The OpenAPI 3.1 description of the service. */
export const serviceDocument = () =>
	describe(SERVICE_ENDPOINTS, {
		base: '',
		title: 'Registered electronic delivery',
		description:
			'Sends electronic letters by e-mail and keeps proof of delivery. ' +
			'LRE also needs a client certificate (mutual TLS).',
		server: { url: 'https://{host}', variables: { host: { default: 'api.delivery.example' } } },
		security: [{ apiToken: [] }],
		securitySchemes: { apiToken: { type: 'apiKey', in: 'header', name: 'X-API-TOKEN' } },
		tags: (names) => names.map((name) => ({ name, description: TAGS[name] })),
		error,
		pathError: pathErrors,
		takesForms: true,
		implied: ({ params, query, body, isForResellers }) => ({
			401: ['unauthorized'],
			429: ['too-many-requests'],
			// A path that cannot be decoded, or a body that cannot be read.
			...((body ?? params) && { 400: ['bad-request'] }),
			...(body && { 413: ['bad-request'], 415: ['unsupported-media-type'] }),
			...((body ?? query) && { 422: ['E_VALIDATION_ERROR'] }),
			...(isForResellers && { 403: ['forbidden'] }),
			...(params && !body && !query && { 422: ['malformed path'] }),
		}),
	});
