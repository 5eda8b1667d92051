import type { z } from 'zod/v4';
import { Components } from './components.ts';
import type { Answer, Endpoint } from './endpoint.ts';
import { formSchema, type Schema } from './form-schema.ts';
import { isOptional } from '../http/request-body.ts';

/** The OpenAPI 3.1 description of some endpoints, without what they take and answer. */
interface Description {
	/** Before the paths. */
	base: string;
	title: string;
	description: string;
	server: object;
	security: object[];
	tags: (names: string[]) => object[];
	securitySchemes?: object;
	/** What a refusal looks like. */
	error: z.ZodType;
	/** Likewise, for a path that no endpoint can take: a 422. */
	pathError?: z.ZodType;
	/** The refusals that need no word in a declaration: their codes, or when they come. */
	implied: (endpoint: Endpoint) => Record<number, string[] | undefined>;
	/** Whether a body may be a form, too. */
	takesForms: boolean;
}

const OF_PROJECT = {
	contact: {
		name: 'n8n-nodes-registered-delivery',
		url: 'https://github.com/n8n-nodes-registered-delivery/n8n-nodes-registered-delivery/issues',
	},
	license: { name: 'MIT', identifier: 'MIT' },
};

export function describe(endpoints: readonly Endpoint[], about: Description) {
	const schemas = new Components();
	const paths: Record<string, Record<string, object>> = {};
	for (const endpoint of endpoints)
		(paths[about.base + endpoint.path] ??= {})[endpoint.method] = operation(
			endpoint,
			about,
			schemas,
		);
	const { title, description, server, tags, security, securitySchemes } = about;
	return {
		openapi: '3.1.0',
		info: { title, version: '1.0.0', description, ...OF_PROJECT },
		servers: [server],
		tags: tags([...new Set(endpoints.map(tagOf))]),
		security,
		paths,
		components: { schemas: schemas.all(), ...(securitySchemes && { securitySchemes }) },
	};
}

const tagOf = ({ path }: Endpoint): string => path.split('/')[1]?.replace(/\..*$/, '') ?? '';

function operation(endpoint: Endpoint, about: Description, schemas: Components): object {
	const { id, summary, params, query, body, answer } = endpoint;
	const parameters = [
		...parametersOf(params, 'path', schemas),
		...parametersOf(query, 'query', schemas),
	];
	return {
		operationId: id,
		summary,
		tags: [tagOf(endpoint)],
		...(parameters.length > 0 && { parameters }),
		...(body && { requestBody: requestBody(endpoint, body, about, schemas) }),
		responses: { [answer.status]: success(answer, schemas), ...refusals(endpoint, about, schemas) },
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
		return { name, in: where, required, ...(description && { description }), schema: shape };
	});
}

function requestBody(
	{ files }: Endpoint,
	body: z.ZodObject,
	{ takesForms }: Description,
	schemas: Components,
): object {
	const fields = schemas.add(body, 'input') as Schema;
	const form = formSchema(fields, (ref) => schemas.resolve(ref) as Schema, files);
	const isFormAlone = files?.described === 'one';
	return {
		required: isFormAlone || !isOptional(body),
		content: {
			...(!isFormAlone && { 'application/json': { schema: fields } }),
			...(takesForms && { 'multipart/form-data': { schema: form } }),
		},
	};
}

const success = ({ schema, contentType }: Answer, schemas: Components): object =>
	schema === null
		? { description: 'Done, with no body' }
		: {
				description: 'Done',
				content: { [contentType]: { schema: schemas.add(schema, 'output') } },
			};

function refusals(endpoint: Endpoint, about: Description, schemas: Components): object {
	const { error, pathError, implied } = about;
	const reasons = { ...implied(endpoint) };
	for (const [status, more] of Object.entries(endpoint.errors ?? {}))
		reasons[Number(status)] = [...(reasons[Number(status)] ?? []), ...more];
	const own = schemas.add(error, 'output');
	const withPath = pathError && { anyOf: [own, schemas.add(pathError, 'output')] };
	return Object.fromEntries(
		Object.entries(reasons).map(([status, listed = []]) => [
			status,
			{
				description: listed.join(', '),
				content: {
					'application/json': {
						schema: status === '422' && endpoint.params && withPath ? withPath : own,
					},
				},
			},
		]),
	);
}
