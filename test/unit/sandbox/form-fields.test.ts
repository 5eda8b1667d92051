import { formToObject } from '../../../sandbox/src/http/form-fields.ts';

it('[SEND-09][S] indexed fields become lists, in order of their index', () => {
	const object = formToObject(
		[
			['recipients[2].email', 'c'],
			['recipients[0].email', 'a'],
			['recipients[0].company', 'A'],
			['recipients[1][email]', 'b'],
			['type', 'LS'],
		],
		{ jsonFields: ['recipients'] },
	);
	expect(object).toEqual({
		recipients: [{ email: 'a', company: 'A' }, { email: 'b' }, { email: 'c' }],
		type: 'LS',
	});
});

it('[SEND-09][S] a field of JSON text becomes what it says', () => {
	const object = formToObject([['recipients', '[{"email":"a"}]']], {
		jsonFields: ['recipients'],
	});
	expect(object).toEqual({ recipients: [{ email: 'a' }] });
	expect(() => formToObject([['recipients', '[']], { jsonFields: ['recipients'] })).toThrow(
		'not valid JSON',
	);
});

it.each([
	[
		'indexed',
		[
			['ids[1]', '000000000002'],
			['ids[0]', '000000000001'],
		],
	],
	[
		'repeated',
		[
			['ids', '000000000001'],
			['ids', '000000000002'],
		],
	],
	[
		'with empty brackets',
		[
			['ids[]', '000000000001'],
			['ids[]', '000000000002'],
		],
	],
	['one JSON text', [['ids', '["000000000001","000000000002"]']]],
])('[RSND-01][S] ids that are %s become a list of texts', (_title, fields) => {
	const shape = { jsonFields: [], listFields: ['ids'] };
	expect(formToObject(fields as Array<[string, string]>, shape)).toEqual({
		ids: ['000000000001', '000000000002'],
	});
});

it('[RSND-01][S] one id alone is a list too, and never a number', () => {
	const shape = { jsonFields: [], listFields: ['ids'] };
	expect(formToObject([['ids', '123456789012']], shape)).toEqual({ ids: ['123456789012'] });
});

it('[SEND-07][CUST-01][S] flags are true or false, and what is neither stays text', () => {
	const fields: Array<[string, string]> = [
		['includeSenderLogo', '1'],
		['customers[0].isPaying', 'false'],
		['customers[0][name]', 'true'],
		['customers[1].isPaying', 'maybe'],
	];
	expect(
		formToObject(fields, { jsonFields: [], flags: ['includeSenderLogo', 'isPaying'] }),
	).toEqual({
		includeSenderLogo: true,
		customers: [{ isPaying: false, name: 'true' }, { isPaying: 'maybe' }],
	});
});

it('names of Object’s own stay members of the request', () => {
	const object = formToObject(
		[
			['recipients[0].__proto__', 'x'],
			['__proto__', 'y'],
		],
		{ jsonFields: [] },
	);
	expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
	expect(Object.keys(object)).toEqual(['__proto__', 'recipients']);
});
