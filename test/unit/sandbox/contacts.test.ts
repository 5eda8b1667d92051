import {
	checkContact,
	judgeContacts,
	recipientSchema,
} from '../../../sandbox/src/http/contacts.ts';

const ada = { email: 'ada@mail.example', firstname: 'Ada', lastname: 'Lovelace' };
const firm = { email: 'firm@mail.example', company: 'Firm' };

const wrong = (sent: unknown, type: 'LS' | 'LRE' = 'LS') => {
	const judged = checkContact(sent, type);
	return 'problems' in judged ? judged.problems.map(({ field, rule }) => `${field} ${rule}`) : [];
};

it.each<[string, object]>([
	['[RCPT-02][S] a natural person', ada],
	['[RCPT-02][S] a legal person', firm],
	['[RCPT-04][S] an identifier alone, read as SIREN', { ...firm, identifier: '123456789' }],
	['[RCPT-01][S] an email with a quoted name', { ...ada, email: '"a b"@c.de' }],
	['[RCPT-01][S] an email beyond ASCII', { ...ada, email: 'josé@müller.de' }],
	['[RCPT-05][S] a SIREN', { ...firm, identifier: '123456789', identifierType: 'SIREN' }],
	['[RCPT-06][S] a BCE from 0', { ...firm, identifier: '0123456749', identifierType: 'BCE' }],
	['[RCPT-06][S] a BCE from 1', { ...firm, identifier: '1123456770', identifierType: 'BCE' }],
	['[RCPT-06][S] a BCE with dots', { ...firm, identifier: '0123.456.749', identifierType: 'BCE' }],
	['[RCPT-07][S] companySiren', { ...firm, companySiren: '123456789' }],
	['blanks from a form', { ...ada, company: '', identifier: '', identifierType: '' }],
])('%s is taken', (_title, sent) => {
	expect(wrong(sent)).toEqual([]);
});

it.each<[string, unknown, string]>([
	['[RCPT-01][S] no email', { ...ada, email: undefined }, 'email required'],
	['[RCPT-01][S] an email of nothing but blanks', { ...ada, email: ' ' }, 'email required'],
	['[RCPT-01][S] an email that is none', { ...ada, email: 'ada' }, 'email email'],
	[
		'[RCPT-01][S] an email at a host without a dot',
		{ ...ada, email: 'a@localhost' },
		'email email',
	],
	['[RCPT-01][S] two emails', { ...ada, email: 'a@b.example,c@d.example' }, 'email email'],
	['[RCPT-02][S] no lastname', { ...ada, lastname: null }, 'lastname required'],
	['[RCPT-02][S] no firstname', { ...ada, firstname: '' }, 'firstname required'],
	['[RCPT-02][S] neither', { email: ada.email }, 'company required'],
	['[RCPT-03][S] type alone', { ...firm, identifierType: 'BCE' }, 'identifier required'],
	[
		'[RCPT-03][S] unknown type',
		{ ...firm, identifier: '1', identifierType: 'X' },
		'identifierType enum',
	],
	[
		'[RCPT-04][S] identifier alone, no SIREN',
		{ ...firm, identifier: '0123456749' },
		'identifier format',
	],
	[
		'[RCPT-05][S] 8 digits',
		{ ...firm, identifier: '12345678', identifierType: 'SIREN' },
		'identifier format',
	],
	[
		'[RCPT-06][S] from 2',
		{ ...firm, identifier: '2123456789', identifierType: 'BCE' },
		'identifier format',
	],
	[
		'[RCPT-06][S] dots elsewhere',
		{ ...firm, identifier: '012.345.6789', identifierType: 'BCE' },
		'identifier format',
	],
	[
		'[RCPT-06][S] one dot',
		{ ...firm, identifier: '0123.456789', identifierType: 'BCE' },
		'identifier format',
	],
	...['90123456749', '01234567490'].map((identifier): [string, unknown, string] => [
		`[RCPT-06][S] ${identifier}, 11 digits`,
		{ ...firm, identifier, identifierType: 'BCE' },
		'identifier format',
	]),
	['[RCPT-07][S] 10 digits', { ...firm, companySiren: '1234567890' }, 'identifier format'],
	[
		'[RCPT-07][S] two that differ',
		{ ...firm, companySiren: '123456789', identifier: '987654321' },
		'companySiren conflict',
	],
])('%s is refused', (_title, sent, expected) => {
	expect(wrong(sent)).toEqual([expected]);
});

it.each<[object, string[]]>([
	[{}, ['email is required', 'firstname and lastname, or company, are required']],
	[{ email: 'ada', lastname: 'L' }, ['email is not an e-mail address', 'firstname is required']],
	[{ ...ada, lastname: '' }, ['lastname is required']],
	[{ ...firm, identifierType: 'X' }, ['identifierType must be SIREN or BCE']],
	[firm, ['identifier is required for LRE to a legal person']],
	[{ ...ada, identifierType: 'BCE' }, ['identifierType needs an identifier']],
	[
		{ ...firm, companySiren: '123456789', identifier: '123456789', identifierType: 'BCE' },
		[
			'identifier of type BCE must be 10 digits starting with 0 or 1, dots optional as in 0123.456.749',
			'companySiren and identifier differ',
		],
	],
])('[SEND-11][S] of %j it says %j', (sent, words) => {
	const judged = checkContact(sent, 'identifier' in sent || sent === firm ? 'LRE' : 'LS');
	expect('problems' in judged && judged.problems.map(({ message }) => message)).toEqual(words);
});

it('[TYPE-03][S] LRE to a legal person needs an identifier, to a natural person none', () => {
	expect(wrong(firm, 'LRE')).toEqual(['identifier required']);
	expect(wrong({ ...firm, identifier: '123456789' }, 'LRE')).toEqual([]);
	expect(wrong(ada, 'LRE')).toEqual([]);
});

it('[RCPT-04][RCPT-07][S] companySiren and a lone identifier are kept as SIREN', () => {
	for (const identified of [{ companySiren: '123456789' }, { identifier: '123456789' }]) {
		expect(checkContact({ ...firm, ...identified }, 'LS')).toEqual({
			contact: {
				...firm,
				firstname: null,
				lastname: null,
				identifier: '123456789',
				identifierType: 'SIREN',
			},
		});
	}
});

it('[RCPT-01][S] a member of another type is named by its path', () => {
	expect(checkContact({ ...ada, lastname: 1 }, 'LS')).toMatchObject({
		problems: [{ field: 'lastname', rule: 'type' }],
	});
});

it('[SEND-11][S] one answer names every wrong recipient, by index and address', () => {
	const { contacts, wrong: found } = judgeContacts(
		[ada, { ...ada, firstname: '', lastname: '', company: '' }, null, { ...ada, email: 5 }, firm],
		'LS',
	);
	expect(contacts.map(({ email }) => email)).toEqual([ada.email, firm.email]);
	expect(found.map(({ index, email, rule }) => [index, email, rule])).toEqual([
		[1, ada.email, 'required'],
		[2, null, 'type'],
		[3, null, 'type'],
	]);
});

it.each<[object, boolean]>([
	[{ email: ada.email }, true],
	[{ email: ada.email, identifierType: 'SIREN' }, true],
	[{ email: ada.email, identifierType: 'BCE' }, true],
	[{ email: ada.email, identifierType: 'X' }, false],
	[{}, false],
])('[RCPT-01][RCPT-03][S] as the description has it, %j is a recipient: %s', (sent, isOne) => {
	expect(recipientSchema.safeParse(sent).success).toBe(isOne);
});
