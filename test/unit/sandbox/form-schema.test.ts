import { formSchema } from '../../../sandbox/src/openapi/form-schema.ts';

const text = { type: 'string' };
const resolve = () => ({ type: 'object', properties: { email: text, company: text } });
const formOf = (properties: object, required: string[] = []) =>
	formSchema({ type: 'object', properties: { ...properties }, required }, resolve);

const matches = (schema: ReturnType<typeof formSchema>, name: string) =>
	Object.keys(schema.patternProperties ?? {}).some((pattern) => new RegExp(pattern).test(name));

it('[SEND-09][S] a list of objects is a field for each member, or one of JSON', () => {
	const list = { type: 'array', items: { $ref: '#/Recipient' } };
	const schema = formOf({ recipients: list, type: text }, ['recipients', 'type']);
	expect(schema.required).toEqual(['type']);
	expect(schema.properties?.recipients).toEqual({
		type: 'string',
		contentMediaType: 'application/json',
		contentSchema: list,
	});
	const names = ['recipients[0].email', 'recipients[12][company]', 'recipients[0].other', 'type'];
	expect(names.map((name) => matches(schema, name))).toEqual([true, true, false, false]);
});

it('[SEND-09][S] a list of texts is a field for each', () => {
	const schema = formOf({ ids: { type: 'array', items: text } }, ['ids']);
	expect(schema).not.toHaveProperty('required');
	expect(['ids[0]', 'ids[]', 'ids[x]'].map((name) => matches(schema, name))).toEqual([
		true,
		true,
		false,
	]);
});

it('what has no lists stays as it is', () => {
	expect(formOf({ type: text }, ['type'])).toEqual({
		type: 'object',
		properties: { type: text },
		required: ['type'],
	});
});
