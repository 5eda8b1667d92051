import fc from 'fast-check';
import { z } from '../../support/sandbox-zod.ts';
import { ServiceError } from '../../../sandbox/src/http/errors.ts';
import { refuseUnknownMembers, unknownMembers } from '../../../sandbox/src/http/unknown-members.ts';

const schema = z.object({
	fileReference: z.string().nullish(),
	recipients: z.array(z.object({ email: z.string(), lastname: z.string().optional() })).optional(),
	anything: z.unknown(),
});

const messages = (sent: unknown) => unknownMembers(schema, sent).map(({ message }) => message);

it.each<[string, unknown, string[]]>([
	['what is known', { fileReference: 'x', recipients: [{ email: 'a' }] }, []],
	['another case', { filereference: 1 }, ['filereference is unknown; did you mean fileReference?']],
	[
		'another case throughout',
		{ FILEREFERENCE: 1 },
		['FILEREFERENCE is unknown; did you mean fileReference?'],
	],
	['two slips', { recipien: [] }, ['recipien is unknown; did you mean recipients?']],
	['a list of nothing', { recipients: [null] }, []],
	['a slip', { recipient: [] }, ['recipient is unknown; did you mean recipients?']],
	[
		'in a list',
		{ recipients: [{ email: 'a' }, { mail: 'a' }] },
		['recipients.1.mail is unknown; did you mean email?'],
	],
	[
		'nothing like it',
		{ xyz: 1 },
		['xyz is unknown; known are fileReference, recipients, anything'],
	],
	['below a member that takes anything', { anything: { xyz: 1 } }, []],
	['a list below one', { anything: [{ xyz: 1 }] }, []],
	['another type than expected', { recipients: { email: 1 } }, []],
	['no object', 'text', []],
])('%s', (_title, sent, expected) => {
	expect(messages(sent)).toEqual(expected);
});

it('where there is none to know, none is named', () => {
	const [{ message } = {}] = unknownMembers(z.object({}), { x: 1 });
	expect(message).toBe('x is unknown');
});

it('names like those of Object are unknown too', () => {
	const sent = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3}') as object;
	expect(unknownMembers(schema, sent).map(({ field }) => field)).toEqual([
		'__proto__',
		'constructor',
		'toString',
	]);
});

it('every unknown member is named once, whatever is sent', () => {
	fc.assert(
		fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (sent) => {
			const known = Object.keys(schema.shape);
			const expected = Object.keys(sent).filter((name) => !known.includes(name));
			expect(unknownMembers(schema, sent).map(({ field }) => field)).toEqual(expected);
		}),
	);
});

it('refuses them by the rule `unknown`, and lets pass what is known', () => {
	expect(() => refuseUnknownMembers(schema, { fileReference: 'x' })).not.toThrow();
	expect(() => refuseUnknownMembers(schema, { xyz: 1 })).toThrow(ServiceError);
	expect(unknownMembers(schema, { xyz: 1 })).toMatchObject([{ field: 'xyz', rule: 'unknown' }]);
});
