import { z } from 'zod/v4';
import { Components } from '../openapi/components.ts';
import { OF_PROJECT } from '../openapi/openapi.ts';
import type { Endpoint } from './endpoint.ts';
import { named, namedSchemas } from '../state/named-schemas.ts';

/** What every refusal looks like. */
export const controlErrorSchema = named(
	'Error',
	z.looseObject({ message: z.string(), code: z.string().optional() }),
);

const DESCRIPTION =
	'Steers a sandbox of a registered electronic delivery service: stands in for people, the network ' +
	'and time, and shows what clients really did. Not part of the service. It asks for no token.';

/** The OpenAPI 3.1 description of these endpoints. */
export function controlDocument(endpoints: Endpoint[]) {
	const schemas = new Components(namedSchemas);
	const paths: Record<string, Record<string, object>> = {};
	for (const endpoint of endpoints)
		(paths[`/_sandbox${endpoint.path}`] ??= {})[endpoint.method] = described(endpoint, schemas);
	return {
		openapi: '3.1.0',
		info: {
			title: 'Registered delivery sandbox: control API',
			version: '1.0.0',
			description: DESCRIPTION,
			...OF_PROJECT,
		},
		servers: [
			{
				url: 'http://{host}',
				description: 'The address of the page or of the service',
				variables: { host: { default: 'localhost:8025' } },
			},
		],
		tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name })),
		security: [],
		paths,
		components: { schemas: schemas.all() },
	};
}

const tagOf = ({ path }: Endpoint): string => path.split('/')[1]?.replace(/\..*$/, '') ?? '';

function described(endpoint: Endpoint, schemas: Components): object {
	const { id, summary, params, query, body, answer } = endpoint;
	const parameters = [
		...parametersOf(params, 'path', schemas),
		...parametersOf(query, 'query', schemas),
	];
	return {
		operationId: id,
		summary,
		tags: [tagOf(endpoint)],
		...(parameters.length > 0 ? { parameters } : {}),
		...(body
			? {
					requestBody: {
						required: !body.safeParse({}).success,
						content: { 'application/json': { schema: schemas.add(body, 'input') } },
					},
				}
			: {}),
		responses: {
			[answer.status]: {
				description: 'Done',
				content: { [answer.contentType]: { schema: schemas.add(answer.schema, 'output') } },
			},
			...failures(endpoint, schemas),
		},
	};
}

function parametersOf(
	schema: z.ZodObject | undefined,
	where: 'path' | 'query',
	schemas: Components,
): object[] {
	return Object.entries(schema?.shape ?? {}).map(([name, part]) => {
		const value = part as z.ZodType;
		const required = where === 'path' || !value.safeParse(undefined).success;
		const { description, ...shape } = schemas.add(value, 'input') as { description?: string };
		return { name, in: where, required, ...(description ? { description } : {}), schema: shape };
	});
}

function failures({ params, query, body, errors = {} }: Endpoint, schemas: Components) {
	const reasons = {
		...(body ? { 400: 'The body cannot be read', 413: 'The body is too large' } : {}),
		403: 'Requested by another web site',
		...(params ? { 404: 'Not found' } : {}),
		...(body || query ? { 422: 'Invalid input; `data.errors` names each field' } : {}),
		...errors,
	};
	const content = { 'application/json': { schema: schemas.add(controlErrorSchema, 'output') } };
	return Object.fromEntries(
		Object.entries(reasons).map(([status, description]) => [status, { description, content }]),
	);
}
