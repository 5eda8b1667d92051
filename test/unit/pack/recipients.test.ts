import fc from 'fast-check';

import { readRecipients, type Recipient } from '../../../nodes/shared/recipients/recipients.ts';
import { CHARACTERS } from '../../support/characters.ts';

const ada = { email: 'ada@mail.example', firstname: 'Ada', lastname: 'Martin' };
const firm = { email: 'firm@mail.example', company: 'Martin SARL' };
const siren = { ...firm, identifier: '732829320', identifierType: 'SIREN' };

/** A recipient that a node with these parameters reads, or what it complains of. */
function readFrom(
	values: object,
	raws: object,
	needsIdentifier: boolean,
): { recipient: Recipient } | { problems: string[] } {
	const context = {
		getNodeParameter: (name: string, _: number, byDefault: unknown, options?: object) =>
			(({ ...(options ? raws : values) }) as Record<string, unknown>)[name] ?? byDefault,
		getTimezone: () => 'Europe/Paris',
	};
	try {
		const { recipients } = readRecipients(context as never, 0, needsIdentifier);
		return { recipient: recipients[0] };
	} catch (error) {
		const { problems } = error as { problems: Array<{ message: string }> };
		return { problems: problems.map(({ message }) => message) };
	}
}

const read = (value: unknown, needsIdentifier = false) =>
	readFrom({ recipientsFrom: 'json', recipientsJson: [value] }, {}, needsIdentifier);

const inForm = (row: object, raw: object = row) =>
	readFrom(
		{ recipients: { recipient: [{ recipientKind: 'person', ...row }] } },
		{ recipients: { recipient: [raw] } },
		false,
	);

it.each<[string, object, object]>([
	['[RCPT-02][N] a person', ada, ada],
	['[RCPT-02][N] an organization', firm, firm],
	['[RCPT-02][N] a person at an organization', { ...ada, ...firm }, { ...ada, ...firm }],
	['[RCPT-04][N] an identifier alone is a SIREN', { ...firm, identifier: '732829320' }, siren],
	['[RCPT-05][N] a SIREN', siren, siren],
	['[RCPT-05][N] a SIREN that is a number', { ...siren, identifier: 732829320 }, siren],
	[
		'[RCPT-06][N] a BCE from 0',
		{ ...firm, identifier: '0123456749', identifierType: 'BCE' },
		{ ...firm, identifier: '0123456749', identifierType: 'BCE' },
	],
	[
		'[RCPT-06][N] a BCE from 1, with dots',
		{ ...firm, identifier: '1123.456.770', identifierType: 'BCE' },
		{ ...firm, identifier: '1123.456.770', identifierType: 'BCE' },
	],
	['[RCPT-05][N] a SIREN in groups', { ...siren, identifier: '732 829 320' }, siren],
	['[RCPT-05][N] a SIREN in wide digits', { ...siren, identifier: '７３２８２９３２０' }, siren],
	['[RCPT-03][N] a type in small letters', { ...siren, identifierType: 'siren' }, siren],
	[
		'[RCPT-06][N] a BCE as the register writes it',
		{ ...firm, identifier: 'BE 0123.456.749', identifierType: 'bce' },
		{ ...firm, identifier: '0123.456.749', identifierType: 'BCE' },
	],
	['[RCPT-07][N] companySiren', { ...firm, companySiren: '732829320' }, siren],
	[
		'[RCPT-01][N] an address beyond ASCII',
		{ ...ada, email: 'josé@müller.de' },
		{ ...ada, email: 'josé@müller.de' },
	],
	[
		'[RCPT-01][N] a quoted address',
		{ ...ada, email: '"a b"@mail.example' },
		{ ...ada, email: '"a b"@mail.example' },
	],
	['[RCPT-07][N] companySiren beside empty fields', { ...siren, companySiren: '' }, siren],
	[
		'white space around values',
		{ email: ' ada@mail.example ', firstname: 'Ada\t', lastname: '\nMartin' },
		ada,
	],
	['columns it does not know', { ...ada, id: 7, city: 'Lyon' }, ada],
	[
		'empty columns of a spreadsheet',
		{ ...ada, company: '', identifier: null, identifierType: '  ' },
		ada,
	],
])('%s is taken', (_title, raw, recipient) => {
	expect(read(raw)).toEqual({ recipient });
});

it.each<[string, unknown, string]>([
	['nothing', undefined, 'not an object'],
	['null', null, 'not an object'],
	['a text', 'ada@mail.example', 'not an object'],
	['a list', [ada], 'not an object'],
	['[RCPT-01][N] no email', { ...ada, email: undefined }, '"email": It is missing'],
	['[RCPT-01][N] a blank email', { ...ada, email: ' ' }, '"email": It is missing'],
	[
		'[RCPT-01][N] an email that is an object',
		{ ...ada, email: {} },
		'"email": It is an object, {};',
	],
	['[RCPT-02][N] a company that is a list', { ...ada, company: ['x'] }, '"company": It is a list'],
	['[RCPT-03][N] an identifier that is none', { ...firm, identifier: {} }, '"identifier": It is'],
	[
		'[RCPT-01][N] an email without @',
		{ ...ada, email: 'ada' },
		'"email": It is "ada", which is not an email',
	],
	['[RCPT-01][N] two emails', { ...ada, email: 'a@b.example,c@d.example' }, 'not an email'],
	['[RCPT-01][N] an email with a space', { ...ada, email: 'a b@c.example' }, 'not an email'],
	...[
		'ada@mail.example,',
		'<ada@mail.example>',
		'mailto:ada@mail.example',
		'a..b@mail.example',
		'a.@mail.example',
		'a@-mail.example',
		'a@mail.1',
		'a@mail.example.',
		'Ada <ada@mail.example>',
		`${'a'.repeat(65)}@x.example`,
		'ada＠mail.example',
		'😀@mail.example',
	].map((email): [string, unknown, string] => [
		`[RCPT-01][N] ${email}`,
		{ ...ada, email },
		`"email": It is "${email}", which is not an email address.`,
	]),
	[
		'[RCPT-02][N] a name of nothing that is seen',
		{ ...ada, firstname: '\u200b' },
		'"firstname": It is "[U+200B]", which shows nothing.',
	],
	['[RCPT-02][N] a name of NUL', { ...ada, lastname: '\0' }, 'broken character in it (U+0000)'],
	[
		'[RCPT-02][N] neither person nor organization',
		{ email: ada.email },
		'either "firstname" and "lastname"',
	],
	['[RCPT-02][N] no lastname', { ...ada, lastname: '' }, '"lastname": It is missing'],
	['[RCPT-02][N] no firstname', { ...ada, firstname: null }, '"firstname": It is missing'],
	[
		'[RCPT-03][N] type alone',
		{ ...firm, identifierType: 'BCE' },
		'"identifierType" BCE, but "identifier" is missing',
	],
	[
		'[RCPT-03][N] unknown type',
		{ ...siren, identifierType: 'VAT' },
		'"identifierType" must be SIREN or BCE',
	],
	[
		'[RCPT-03][N] a type every object has',
		{ ...siren, identifierType: 'toString' },
		'SIREN or BCE',
	],
	['[RCPT-04][N] a BCE without its type', { ...firm, identifier: '0123456749' }, 'not a SIREN'],
	['[RCPT-05][N] 8 digits', { ...siren, identifier: '73282932' }, 'exactly 9 digits'],
	['[RCPT-05][N] 10 digits', { ...siren, identifier: '7328293201' }, 'exactly 9 digits'],
	['[RCPT-05][N] a letter', { ...siren, identifier: '73282932O' }, 'exactly 9 digits'],
	[
		'[RCPT-06][N] from 2',
		{ ...firm, identifier: '2123456789', identifierType: 'BCE' },
		'not a BCE',
	],
	[
		'[RCPT-06][N] 11 digits',
		{ ...firm, identifier: '01234567890', identifierType: 'BCE' },
		'10 digits that start with 0 or 1',
	],
	[
		'[RCPT-06][N] one dot',
		{ ...firm, identifier: '0123.456789', identifierType: 'BCE' },
		'not a BCE',
	],
	['[RCPT-07][N] 10 digits', { ...firm, companySiren: '7328293200' }, 'exactly 9 digits'],
	[
		'[RCPT-07][N] both',
		{ ...siren, companySiren: '732829320' },
		'both "companySiren" and "identifier"; use one of them',
	],
	[
		'[RCPT-07][N] companySiren and identifier',
		{ ...firm, companySiren: '732829320', identifier: '732829320' },
		'use one of them',
	],
])('%s is refused', (_title, raw, words) => {
	expect(read(raw)).toEqual({ problems: [expect.stringContaining(words)] });
});

it('in the form, fields have the names that stand there', () => {
	expect(inForm({ firstname: 'Ada' })).toEqual({
		problems: ['Email: It is missing.', 'Last Name: It is missing.'],
	});
	expect(inForm({ email: ada.email })).toEqual({
		problems: ['It needs either First Name and Last Name of a person, or Company.'],
	});
});

it('in the form, what its kind does not show is left out', () => {
	expect(inForm({ ...ada, company: 'left over', identifier: '1' })).toEqual({ recipient: ada });
	const untouched = { firstname: 'left over', identifier: '', identifierType: 'SIREN' };
	expect(inForm({ ...firm, ...untouched, recipientKind: 'organization' })).toEqual({
		recipient: firm,
	});
});

it('an expression that n8n did not evaluate stops it; braces in data do not', () => {
	const braces = { ...ada, firstname: '{{ $json.firstname }}' };
	expect(inForm(braces)).toEqual({
		problems: [expect.stringMatching(/^First Name: It has \{\{ \$json\.firstname \}\} in it/)],
	});
	const raw = { ...ada, firstname: '={{ $json.firstname }}' };
	expect(inForm(braces, raw)).toEqual({ recipient: braces });
	expect(read(braces)).toEqual({ recipient: braces });
});

it('tells of everything that is wrong, not of the first thing alone', () => {
	expect(read({ email: 'ada', lastname: 'Martin', identifier: '1' })).toEqual({
		problems: [
			expect.stringContaining('"ada", which is not an email'),
			expect.stringContaining('"firstname": It is missing'),
			expect.stringContaining('not a SIREN'),
		],
	});
});

it('[TYPE-03][N] a registered letter to an organization needs an identifier, to a person none', () => {
	expect(read(firm, true)).toEqual({ problems: [expect.stringContaining('LRE')] });
	expect(read({ ...ada, ...firm }, true)).toEqual({ problems: [expect.stringContaining('LRE')] });
	expect(read(siren, true)).toEqual({ recipient: siren });
	expect(read(ada, true)).toEqual({ recipient: ada });
});

it.each([
	...CHARACTERS.invisible,
	...CHARACTERS.bidirectional,
	...CHARACTERS.control.filter((one) => one.trim() !== ''),
])('[RCPT-01][N] an address with %j in it is refused, and the character is named', (character) => {
	const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
	const inside = [`a${character}da@mail.example`, `ada@ma${character}il.example`];
	// A byte order mark at an end is white space, and goes.
	const outside =
		character.trim() === '' ? [] : [`${character}${ada.email}`, ada.email + character];
	for (const email of [...inside, ...outside]) {
		expect(read({ ...ada, email })).toEqual({ problems: [expect.stringContaining(code)] });
	}
});

it('never throws, whatever JSON it is given, and what it takes is whole', () => {
	const odd = fc.oneof(
		fc.jsonValue(),
		fc.constantFrom(
			'',
			'SIREN',
			'BCE',
			'constructor',
			'__proto__',
			'toString',
			'732829320',
			'0123456749',
			'a@b.example',
		),
	);
	const fields = [
		'email',
		'firstname',
		'lastname',
		'company',
		'identifier',
		'identifierType',
		'companySiren',
	];
	const row = fc.dictionary(fc.constantFrom(...fields), odd);
	fc.assert(
		fc.property(fc.oneof(row, fc.jsonValue()), fc.boolean(), (raw, needsIdentifier) => {
			const result = read(raw, needsIdentifier);
			if ('problems' in result) return expect(result.problems.join()).not.toBe('');
			const { email: to, firstname, lastname, company, identifierType } = result.recipient;
			expect(to).toMatch(/^.+@.+$/);
			expect(company ?? (firstname && lastname)).toMatch(/\S/);
			expect([undefined, 'SIREN', 'BCE']).toContain(identifierType);
		}),
		{ numRuns: 500 },
	);
});
