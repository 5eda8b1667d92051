import { z } from '../../support/sandbox-zod.ts';
import { fieldErrors } from '../../../sandbox/src/http/field-errors.ts';
import { ruleSchema } from '../../../sandbox/src/http/faults.ts';

const told = (schema: z.ZodType, sent: unknown) => {
	const { error } = schema.safeParse(sent);
	return fieldErrors(error!, sent).map(({ field, rule, message }) => [field, rule, message]);
};

const at = (schema: z.ZodType, value: unknown) => told(z.object({ a: schema }), { a: value });

it.each([
	['a number too small', z.number().min(1), 0, 'min', 'must be at least 1'],
	['a number too large', z.number().max(9), 10, 'max', 'must be at most 9'],
	['a text too short', z.string().min(2), 'x', 'minLength', 'must have at least 2 characters'],
	[
		'a list too long',
		z.array(z.string()).max(1),
		['x', 'y'],
		'maxLength',
		'must have at most 1 entries',
	],
	['half a number', z.number().int(), 0.5, 'type', 'must be a whole number'],
	['a number in words', z.coerce.number(), 'ten', 'type', 'must be a number'],
	['a text for a list', z.array(z.string()), 'x', 'type', 'must be a list'],
	['a list for an object', z.object({}), [], 'type', 'must be an object'],
	['a text for a flag', z.boolean(), 'true', 'type', 'must be true or false'],
	['another value', z.enum(['LS', 'AS']), 'FAX', 'enum', 'must be one of LS, AS'],
	['no UUID', z.uuid(), 'lune', 'format', 'must be a UUID'],
	['no URL', z.url(), 'lune', 'format', 'must be a URL'],
	[
		'a form of our own',
		z.string().regex(/^a/, 'begins with an a'),
		'b',
		'format',
		'begins with an a',
	],
	['a rule of our own', z.string().refine(() => false, 'is too blue'), 'b', 'type', 'is too blue'],
])('%s is told by its rule, in our words', (_title, schema, value, rule, words) => {
	expect(at(schema, value)).toEqual([['a', rule, `a: ${words}`]]);
});

it('what is missing, and what is unknown, is named by its place', () => {
	expect(told(z.strictObject({ a: z.string() }), { b: 1, c: 2 })).toEqual([
		['a', 'required', 'a is required'],
		['b', 'unknown', 'b is unknown'],
		['c', 'unknown', 'c is unknown'],
	]);
	expect(told(z.strictObject({}), [])).toEqual([['', 'type', 'must be an object']]);
});

it.each([
	[{ fault: { kind: 'status', status: 99 } }, 'fault.status', 'fault.status: must be at least 400'],
	[{ fault: { kind: 'fire' } }, 'fault.kind', expect.stringMatching(/^fault\.kind: /)],
	[{ fault: { kind: 'delay', ms: 1 }, times: 'x' }, 'times', 'times: must be a number'],
	[{ seed: 1, rates: { fire: 1 } }, 'rates.fire', 'rates.fire is unknown'],
	[{ path: 'messages', fault: { kind: 'cutAfter' } }, 'path', 'path: must start with /'],
])('of the shapes of a fault, the one meant is told about: %j', (rule, field, message) => {
	expect(told(ruleSchema, rule)).toEqual([[field, expect.any(String), message]]);
});
