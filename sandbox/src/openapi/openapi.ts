import { z } from 'zod/v4';
import {
	consentSchema,
	customerSchema,
	errorSchema,
	messageSchema,
	pathErrorSchema,
	sentSchema,
} from './response-schemas.ts';
import { recipientSchema } from '../http/contacts.ts';
import { Components, type SchemaNames } from './components.ts';
import { formSchema, type Schema } from './form-schema.ts';
import { OPERATIONS, pathParameter, type Operation } from './openapi-operations.ts';

/** Schemas with a name of their own in the description. */
const NAMED: Record<string, z.ZodType> = {
	Recipient: recipientSchema,
	SentBatch: sentSchema,
	Message: messageSchema,
	Customer: customerSchema,
	Consent: consentSchema,
	Error: errorSchema,
	PathErrors: pathErrorSchema,
};

const text = { type: 'string', minLength: 1 };

/** Rule RCPT-02. */
const PERSON_OR_COMPANY = [
	{ type: 'object', properties: { company: text }, required: ['company'] },
	{
		type: 'object',
		properties: { firstname: text, lastname: text },
		required: ['firstname', 'lastname'],
	},
];

const TAGS = [
	{ name: 'messages', description: 'Sending, resending, scheduling and reading letters' },
	{ name: 'customers', description: 'Customers a reseller sends for, and their logos' },
	{ name: 'consents', description: 'Consent requests and reminders' },
];

/** The same in each description of the sandbox. */
export const OF_PROJECT = {
	contact: {
		name: 'n8n-nodes-registered-delivery',
		url: 'https://github.com/n8n-nodes-registered-delivery/n8n-nodes-registered-delivery/issues',
	},
	license: { name: 'MIT', identifier: 'MIT' },
};

const names: SchemaNames = z.registry();
for (const [id, schema] of Object.entries(NAMED)) names.add(schema, { id });

/** The OpenAPI 3.1 description, generated from the schemas that validate requests. */
export function openapiDocument() {
	const schemas = new Components(names, addPersonOrCompany);
	return {
		openapi: '3.1.0',
		info: {
			title: 'Registered electronic delivery',
			version: '1.0.0',
			description:
				'Sends electronic letters by e-mail and keeps proof of delivery. ' +
				'LRE also needs a client certificate (mutual TLS).',
			...OF_PROJECT,
		},
		servers: [{ url: 'https://{host}', variables: { host: { default: 'api.delivery.example' } } }],
		tags: TAGS,
		security: [{ apiToken: [] }],
		paths: paths(schemas),
		components: {
			schemas: schemas.all(),
			securitySchemes: { apiToken: { type: 'apiKey', in: 'header', name: 'X-API-TOKEN' } },
		},
	};
}

/** Beside the schema, not in it: generators of clients would take the `anyOf` for the whole type. */
function addPersonOrCompany(
	zodSchema: z.core.$ZodType,
	schema: z.core.JSONSchema.BaseSchema,
): void {
	if (zodSchema !== recipientSchema) return;
	const own = { ...schema };
	for (const key of Object.keys(own)) delete schema[key];
	Object.assign(schema, { allOf: [own, { anyOf: PERSON_OR_COMPANY }] });
}

function paths(schemas: Components): Record<string, Record<string, object>> {
	const found: Record<string, Record<string, object>> = {};
	for (const operation of OPERATIONS)
		(found[operation.path] ??= {})[operation.method] = described(operation, schemas);
	return found;
}

function described(operation: Operation, schemas: Components): object {
	const { path, id, summary, query, body, success } = operation;
	const parameters = [...pathParameters(path, schemas), ...queryParameters(query, schemas)];
	return {
		operationId: id,
		summary,
		tags: [path.split('/')[1]],
		...(parameters.length > 0 ? { parameters } : {}),
		...(body ? { requestBody: requestBody(body, schemas) } : {}),
		responses: {
			[success.status]: success.schema
				? { description: 'Success', content: json(schemas.add(success.schema, 'input')) }
				: { description: 'Success, with no body' },
			...failures(operation, schemas),
		},
	};
}

const json = (schema: object) => ({ 'application/json': { schema } });

const pathParameters = (path: string, schemas: Components) =>
	[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
		name,
		in: 'path',
		required: true,
		schema: schemas.add(pathParameter(path, name), 'input'),
	}));

const queryParameters = (query: z.ZodObject | undefined, schemas: Components) =>
	Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
		name,
		in: 'query',
		schema: schemas.add(schema as z.ZodType, 'input'),
	}));

function requestBody(
	{ schema, files, encodings, required = true }: NonNullable<Operation['body']>,
	schemas: Components,
) {
	const fields = schemas.add(schema, 'input') as Schema;
	const resolve = (ref: string) => schemas.resolve(ref) as Schema;
	return {
		required,
		content: {
			...(encodings.includes('json') ? json(fields) : {}),
			...(encodings.includes('multipart')
				? { 'multipart/form-data': { schema: withFiles(formSchema(fields, resolve), files) } }
				: {}),
		},
	};
}

function withFiles(
	fields: { properties?: object; required?: string[] },
	files: NonNullable<Operation['body']>['files'],
): object {
	if (!files) return fields;
	const file = { type: 'string', contentMediaType: 'application/octet-stream' };
	const value = files.several ? { type: 'array', items: file } : file;
	const required = [...(fields.required ?? []), ...(files.several ? [] : [files.field])];
	return { ...fields, properties: { ...fields.properties, [files.field]: value }, required };
}

/** Statuses of every operation, plus those of operations with a body to read or a path. */
function failures(
	{ path, body, query, errors }: Operation,
	schemas: Components,
): Record<string, object> {
	const codes: Record<number, string[]> = { 401: ['unauthorized'], 429: ['too-many-requests'] };
	// A path that cannot be decoded, or a body that cannot be read.
	if (body || path.includes('{')) codes[400] = ['bad-request'];
	if (body) Object.assign(codes, { 413: ['bad-request'], 415: ['unsupported-media-type'] });
	if (body ?? query) codes[422] = ['E_VALIDATION_ERROR'];
	for (const [status, more] of Object.entries(errors))
		codes[Number(status)] = [...(codes[Number(status)] ?? []), ...more];
	const isMessagePath = path.startsWith('/messages/{id}');
	if (isMessagePath) codes[422] ??= [];
	return Object.fromEntries(
		Object.entries(codes).map(([status, listed]) => [
			status,
			failure(listed, status === '422' && isMessagePath, schemas),
		]),
	);
}

function failure(codes: string[], orPath: boolean, schemas: Components): object {
	const error = schemas.add(errorSchema, 'input');
	const schema = orPath ? { anyOf: [error, schemas.add(pathErrorSchema, 'input')] } : error;
	return { description: codes.join(', ') || 'Malformed path', content: json(schema) };
}
