import { z } from 'zod/v4';
import {
	consentSchema,
	customerSchema,
	errorSchema,
	messageSchema,
	pathErrorSchema,
	sentSchema,
} from './response-schemas.ts';
import { recipientSchema } from '../world/contacts.ts';
import { formSchema, type Schema } from './form-schema.ts';
import { OPERATIONS, pathParameter, type Operation } from './openapi-operations.ts';

/** Schemas with a name of their own in the description. */
const NAMED = {
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
	{ properties: { company: text }, required: ['company'] },
	{ properties: { firstname: text, lastname: text }, required: ['firstname', 'lastname'] },
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

const toUri = (name: string) => `#/components/schemas/${name}`;

/** The OpenAPI 3.1 description, generated from the schemas that validate requests. */
export function openapiDocument() {
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
		paths: paths(),
		components: {
			schemas: named(),
			securitySchemes: { apiToken: { type: 'apiKey', in: 'header', name: 'X-API-TOKEN' } },
		},
	};
}

function named(): Record<string, object> {
	const entries = Object.entries(NAMED).map(([name, schema]) => [name, jsonSchema(schema, name)]);
	return Object.fromEntries(entries) as Record<string, object>;
}

/** JSON Schema of a request or response; named parts are referenced, not repeated. */
function jsonSchema(schema: z.ZodType, self?: string): Schema {
	const registry = z.registry<{ id: string }>();
	for (const [id, part] of Object.entries(NAMED)) if (id !== self) registry.add(part, { id });
	const own = Object.entries(NAMED).find(([id, part]) => part === schema && id !== self);
	if (own) return { $ref: toUri(own[0]) };
	const converted = z.toJSONSchema(schema, {
		io: 'input',
		metadata: registry,
		unrepresentable: 'any',
		override: ({ zodSchema, jsonSchema }) => simplify(zodSchema, jsonSchema),
	});
	delete converted.$schema;
	// Named parts arrive as local definitions; here they are components.
	delete converted.$defs;
	const text = JSON.stringify(converted).replaceAll('#/$defs/', toUri(''));
	return JSON.parse(text, withoutId) as Schema;
}

/** What a schema can't say by itself. */
const BEYOND = new Map<z.core.$ZodType, object>([[recipientSchema, { anyOf: PERSON_OR_COMPANY }]]);

/** Beside the schema, not in it: generators of clients would take the `anyOf` for the whole type. */
function addBeyond(zodSchema: z.core.$ZodType, schema: z.core.JSONSchema.BaseSchema): void {
	const beyond = BEYOND.get(zodSchema);
	if (!beyond) return;
	const { id, ...own } = schema;
	for (const key of Object.keys(own)) delete schema[key];
	Object.assign(schema, id === undefined ? {} : { id }, { allOf: [own, beyond] });
}

/** A named format implies its pattern, and no number here comes near the maximum. */
function simplify(zodSchema: z.core.$ZodType, schema: z.core.JSONSchema.BaseSchema): void {
	addBeyond(zodSchema, schema);
	if (schema.format) delete schema.pattern;
	if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

const withoutId = (key: string, value: unknown): unknown =>
	key === 'id' && typeof value === 'string' && value in NAMED ? undefined : value;

function paths(): Record<string, Record<string, object>> {
	const found: Record<string, Record<string, object>> = {};
	for (const operation of OPERATIONS)
		(found[operation.path] ??= {})[operation.method] = described(operation);
	return found;
}

function described(operation: Operation): object {
	const { path, id, summary, query, body, success } = operation;
	const parameters = [...pathParameters(path), ...queryParameters(query)];
	return {
		operationId: id,
		summary,
		tags: [path.split('/')[1]],
		...(parameters.length > 0 ? { parameters } : {}),
		...(body ? { requestBody: requestBody(body) } : {}),
		responses: {
			[success.status]: success.schema
				? { description: 'Success', content: json(jsonSchema(success.schema)) }
				: { description: 'Success, with no body' },
			...failures(operation),
		},
	};
}

const json = (schema: object) => ({ 'application/json': { schema } });

const pathParameters = (path: string) =>
	[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
		name,
		in: 'path',
		required: true,
		schema: jsonSchema(pathParameter(path, name)),
	}));

const queryParameters = (query: z.ZodObject | undefined) =>
	Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
		name,
		in: 'query',
		schema: jsonSchema(schema as z.ZodType),
	}));

function requestBody({
	schema,
	files,
	encodings,
	required = true,
}: NonNullable<Operation['body']>) {
	const fields = jsonSchema(schema);
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

const resolve = (ref: string) => {
	const name = ref.slice(toUri('').length) as keyof typeof NAMED;
	return jsonSchema(NAMED[name], name);
};

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
function failures({ path, body, query, errors }: Operation): Record<string, object> {
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
			failure(listed, status === '422' && isMessagePath),
		]),
	);
}

function failure(codes: string[], orPath: boolean): object {
	const error = { $ref: toUri('Error') };
	const schema = orPath ? { anyOf: [error, { $ref: toUri('PathErrors') }] } : error;
	return { description: codes.join(', ') || 'Malformed path', content: json(schema) };
}
