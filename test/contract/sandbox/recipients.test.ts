// Who may be written to, by the rules of each type; what is wrong is named by position, field and rule.
import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { sandboxState } from '../../support/sandbox.ts';
import { letter, send } from './client.ts';

const sandbox = useSandbox({ automatic: false });

const ada = { email: 'ada@mail.example', firstname: 'Ada', lastname: 'Lovelace' };
const firm = { email: 'firm@mail.example', company: 'Firm' };
const siren = (identifier: string) => ({ ...firm, identifier, identifierType: 'SIREN' });
const bce = (identifier: string) => ({ ...firm, identifier, identifierType: 'BCE' });

async function wrong(recipient: object, type = 'LS'): Promise<string[]> {
	const body = letter({ type, recipients: [recipient] });
	const { status, json } = await send(sandbox, body, { certificate: type === 'LRE' });
	if (status === 201) return [];
	expect([status, json.code]).toEqual([422, 'message-bad-contacts']);
	return json.data.map(({ field, rule }: { field: string; rule: string }) => `${field} ${rule}`);
}

it.each<[string, object]>([
	['[RCPT-02][S] a natural person', ada],
	['[RCPT-02][S] a legal person', firm],
	['[RCPT-04][S] an identifier alone, read as SIREN', { ...firm, identifier: '123456789' }],
	['[RCPT-01][S] an email with a quoted name', { ...ada, email: '"a b"@c.de' }],
	['[RCPT-01][S] an email beyond ASCII', { ...ada, email: 'josé@müller.de' }],
	['[RCPT-05][S] a SIREN', siren('123456789')],
	['[RCPT-06][S] a BCE from 0', bce('0123456749')],
	['[RCPT-06][S] a BCE from 1', bce('1123456770')],
	['[RCPT-06][S] a BCE with dots', bce('0123.456.749')],
	['[RCPT-07][S] companySiren', { ...firm, companySiren: '123456789' }],
	['blanks from a form', { ...ada, company: '', identifier: '', identifierType: '' }],
])('%s is taken', async (_title, recipient) => {
	expect(await wrong(recipient)).toEqual([]);
});

it.each<[string, object, string]>([
	['[RCPT-01][S] no email', { ...ada, email: undefined }, 'email required'],
	['[RCPT-01][S] an email of blanks', { ...ada, email: ' ' }, 'email required'],
	['[RCPT-01][S] an email that is none', { ...ada, email: 'ada' }, 'email email'],
	['[RCPT-01][S] a host without a dot', { ...ada, email: 'a@localhost' }, 'email email'],
	['[RCPT-01][S] two emails', { ...ada, email: 'a@b.example,c@d.example' }, 'email email'],
	['[RCPT-01][S] a name that is a number', { ...ada, lastname: 1 }, 'lastname type'],
	['[RCPT-02][S] no lastname', { ...ada, lastname: null }, 'lastname required'],
	['[RCPT-02][S] no firstname', { ...ada, firstname: '' }, 'firstname required'],
	['[RCPT-02][S] neither', { email: ada.email }, 'company required'],
	['[RCPT-03][S] type alone', { ...firm, identifierType: 'BCE' }, 'identifier required'],
	['[RCPT-03][S] unknown type', { ...bce('1'), identifierType: 'X' }, 'identifierType enum'],
	['[RCPT-04][S] no SIREN, alone', { ...firm, identifier: '0123456749' }, 'identifier format'],
	['[RCPT-05][S] 8 digits', siren('12345678'), 'identifier format'],
	['[RCPT-06][S] from 2', bce('2123456789'), 'identifier format'],
	['[RCPT-06][S] dots elsewhere', bce('012.345.6789'), 'identifier format'],
	['[RCPT-06][S] one dot', bce('0123.456789'), 'identifier format'],
	['[RCPT-06][S] 11 digits', bce('01234567490'), 'identifier format'],
	['[RCPT-07][S] 10 digits', { ...firm, companySiren: '1234567890' }, 'identifier format'],
	[
		'[RCPT-07][S] two that differ',
		{ ...firm, companySiren: '123456789', identifier: '987654321' },
		'companySiren conflict',
	],
])('%s is refused', async (_title, recipient, expected) => {
	expect(await wrong(recipient)).toEqual([expected]);
});

it('[TYPE-03][S] LRE to a legal person needs an identifier, to a natural person none', async () => {
	expect(await wrong(firm, 'LRE')).toEqual(['identifier required']);
	expect(await wrong(siren('123456789'), 'LRE')).toEqual([]);
	expect(await wrong(ada, 'LRE')).toEqual([]);
});

it('[RCPT-04][RCPT-07][S] companySiren and a lone identifier are kept as SIREN', async () => {
	for (const identified of [{ companySiren: '123456789' }, { identifier: '123456789' }])
		expect(await wrong({ ...firm, ...identified })).toEqual([]);
	const { messages } = await sandboxState(sandbox);
	for (const { contact } of messages) expect(contact).toMatchObject(siren('123456789'));
});
