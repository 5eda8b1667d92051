// How strict the sandbox is; the rows of its README on where the interface is silent.
import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { accountOf, call, control, form, letter, send } from './client.ts';

const lenient = useSandbox({ automatic: false });
const strict = useSandbox({ automatic: false, strict: true });

const POST = { method: 'POST' };

it.each([
	['GET', '/Messages/000000000001'],
	['GET', '/messages/000000000001/'],
	['POST', '/messages/Bulk_Send'],
	['POST', '/messages/bulk_send/'],
	['GET', '/consents/'],
	['GET', '/CUSTOMERS'],
])('%s %s is another path: 404 not-found', async (method, path) => {
	const { status, json } = await call(lenient, path, { method, as: 'reseller' });
	expect([status, json.code]).toEqual([404, 'not-found']);
});

it.each([
	['a@c..de', 422],
	['.a@c.de', 422],
	['a@localhost', 422],
	['"a b"@c.de', 201],
	["o'neil+x@sub.c.de", 201],
	['josé@müller.de', 201],
])('[RCPT-01][S] e-mail address %s: %i', async (email, status) => {
	const recipients = [{ email, firstname: 'A', lastname: 'B' }];
	const body = letter({ recipients });
	expect((await call(lenient, '/messages/bulk_send', { ...POST, body })).status).toBe(status);
});

describe('--strict', () => {
	const misspelt: Array<[string, string, unknown, string[]]> = [
		['JSON', '/messages/bulk_send', letter({ filereference: 'x' }), ['filereference']],
		[
			'a recipient',
			'/messages/bulk_send',
			letter({ recipients: [{ email: 'a@b.de', firstName: 'A', firstname: 'A', lastname: 'B' }] }),
			['recipients.0.firstName'],
		],
		['resending', '/messages/resend', { ids: ['1'], id: '1' }, ['id']],
		['rescheduling', '/messages/bulk_reschedule', { ids: ['1'], scheduledat: '' }, ['scheduledat']],
		['cancelling', '/messages/bulk_cancel', { ids: ['1'], reason: '' }, ['reason']],
		[
			'customers',
			'/customers/bulk_store',
			{ customers: [{ name: 'A', email: 'a@b.de', isPaying: true, willSendLre: true, siren: '' }] },
			['customers.0.siren'],
		],
		[
			'consents',
			'/consents/bulkStore',
			{ type: 'LINK', delay: 1, recipients: [{ email: 'a@b.de', company: 'B' }] },
			['delay'],
		],
	];

	it.each(misspelt)('%s: names what it does not know', async (_title, path, body, fields) => {
		const { status, json } = await call(strict, path, { ...POST, body, as: 'reseller' });
		expect([status, json.code]).toEqual([422, 'E_VALIDATION_ERROR']);
		const { errors } = json.data as { errors: Array<{ field: string; rule: string }> };
		expect(errors.map(({ field, rule }) => [field, rule])).toEqual(
			fields.map((field) => [field, 'unknown']),
		);
	});

	it('multipart: names it, and keeps no file of the request', async () => {
		const body = form(
			['type', 'LS'],
			['body', 'x'],
			['recipients[0].email', 'a@b.de'],
			['recipients[0].Company', 'B'],
			['attachments', new File(['x'], 'x.txt')],
		);
		const { status, json } = await call(strict, '/messages/bulk_send', { ...POST, body });
		expect([status, json.message]).toEqual([
			422,
			'recipients.0.Company is unknown; did you mean company?',
		]);
	});

	it.each(['/consents?perpage=5', '/customers?sort=name'])('%s: names it', async (path) => {
		const { status, json } = await call(strict, path, { as: 'reseller' });
		expect([status, json.data.errors[0].rule]).toEqual([422, 'unknown']);
	});

	it('takes what the interface knows', async () => {
		const body = letter({ fileReference: 'x', customerReference: 'y' });
		expect((await call(strict, '/messages/bulk_send', { ...POST, body })).status).toBe(201);
		const [{ id }] = (await call(strict, '/customers', { as: 'reseller' })).json.data;
		const list = `/consents?page=1&perPage=5&sender=${id}`;
		expect((await call(strict, list, { as: 'reseller' })).status).toBe(200);
	});
});

it('without it, what is unknown is dropped', async () => {
	const body = letter({ filereference: 'x' });
	expect((await call(lenient, '/messages/bulk_send', { ...POST, body })).status).toBe(201);
});

describe('where the interface is silent', () => {
	it("a reseller's letter without a sender is sent for the reseller itself", async () => {
		const { status } = await send(lenient, letter(), { as: 'reseller' });
		expect(status).toBe(201);
		const state = (await control(lenient, '/state', { method: 'GET' })).json;
		expect(state.messages.at(-1).sender).toBeNull();
	});

	it('[AUTH-01][S] a certificate replaces no token, for reading either', async () => {
		const [{ id }] = (await send(lenient, letter())).json.messages;
		const { certificate, key } = accountOf(lenient, 'direct');
		if (!certificate || !key) throw new Error('The account has no certificate.');
		const shown = { as: null, certificate: { certificate, key } };
		const answer = await call(lenient, `/messages/${id}`, shown);
		expect([answer.status, answer.json.code]).toEqual([401, 'unauthorized']);
	});

	const file = (field: string): [string, File] => [field, new File(['x'], 'x.png')];
	const recipients = JSON.stringify(letter().recipients);
	it.each<[string, string, Array<[string, string | File]>]>([
		['a letter', '/messages/bulk_send', [['type', 'LS'], ['body', 'x'], file('attachment')]],
		['resending', '/messages/resend', [['ids[]', '000000000001'], file('attachments')]],
		['consents', '/consents/bulkStore', [['type', 'LINK'], file('attachments')]],
		['customers', '/customers/bulk_store', [['customers', '[]'], file('logo')]],
	])('%s: a file in a field that takes none is 422', async (_, path, fields) => {
		const body = form(...fields, ['recipients', recipients]);
		const answer = await call(lenient, path, { ...POST, body, as: 'reseller' });
		expect([answer.status, answer.json.code]).toEqual([422, 'E_VALIDATION_ERROR']);
		expect(JSON.stringify(answer.json)).toContain(String(fields.at(-1)?.[0]));
	});
});
