import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { accountOf, call, form, letter, send } from './client.ts';

const sandbox = useSandbox({ automatic: false });

const fieldErrors = (json: {
	code: string;
	data: { errors: Array<{ field: string; rule: string }> };
}) => json.data.errors.map(({ field, rule }) => `${field} ${rule}`);

describe('POST /messages/bulk_send', () => {
	it('[SEND-01][SEND-05][S] makes one message per recipient and answers as the interface says', async () => {
		const [ada, alan] = ['ada', 'alan'].map((name) => ({
			email: `${name}@mail.example`,
			firstname: name,
			lastname: 'X',
		}));
		const references = { fileReference: 'F-1', customerReference: 'C-1' };
		const { status, json } = await send(
			sandbox,
			letter({ recipients: [ada, alan], ...references }),
		);
		expect(status).toBe(201);
		expect(json).toEqual({
			body: '<p>Good morning</p>',
			createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			type: 'LS',
			...references,
			messages: [
				{ id: expect.stringMatching(/^\d{12}$/) },
				{ id: expect.stringMatching(/^\d{12}$/) },
			],
		});
		const { messages } = await sandbox.control('GET /state');
		const emails = json.messages.map(
			({ id }: { id: string }) => messages.find((message) => message.id === id)?.contact.email,
		);
		expect(emails).toEqual(['ada@mail.example', 'alan@mail.example']);
	});

	it('[SEND-01][S] answers null for references that were not given', async () => {
		const { json } = await send(sandbox, letter());
		expect(json).toMatchObject({ fileReference: null, customerReference: null });
	});

	it.each(['LS', 'AS', 'AES', 'MT'])(
		'[TYPE-04][TYPE-05][TYPE-06][AES-01][AUTH-04][S] sends %s with a token alone, without KYC, and echoes the type',
		async (type) => {
			const { status, json } = await send(sandbox, letter({ type }), { as: 'token-only' });
			expect(status).toBe(201);
			expect(json.type).toBe(type);
		},
	);

	it.each([
		['[SEND-02][S] no recipients', { recipients: [] }, 'recipients minLength'],
		['[SEND-02][S] recipients left out', { recipients: undefined }, 'recipients required'],
		['[SEND-03][S] type left out', { type: undefined }, 'type required'],
		['[SEND-03][S] unknown type', { type: 'FAX' }, 'type enum'],
		['[SEND-04][S] body left out', { body: undefined }, 'body required'],
		['[SEND-04][S] nothing left of the body', { body: '<script>x</script> ' }, 'body required'],
		['[SEND-04][S] nothing that is seen', { body: '<p>&zwnj;&nbsp;&shy;</p>' }, 'body required'],
		['[SEND-06][S] sender that is no UUID', { sender: 'lune' }, 'sender format'],
		['[SEND-06][S] empty sender', { sender: '' }, 'sender format'],
		['[SCHD-01][S] empty time', { scheduledAt: '' }, 'scheduledAt dateTime'],
		['[SEND-07][S] empty flag', { includeSenderLogo: '' }, 'includeSenderLogo type'],
		['[SEND-07][S] flag that is none', { includeSenderLogo: 'maybe' }, 'includeSenderLogo type'],
		['[SEND-07][S] flag that is text', { includeSenderLogo: 'true' }, 'includeSenderLogo type'],
		[
			'[SCHD-01][S] time without offset',
			{ scheduledAt: '2030-01-01T10:00:00' },
			'scheduledAt dateTime',
		],
		['[AES-03][S] text of 1 character', { type: 'AES', body: '<p>a</p>' }, 'body minLength'],
		['[AES-03][S] text of 10001', { type: 'MT', body: 'a'.repeat(10_001) }, 'body maxLength'],
		['[SEND-09][S] files in JSON', { attachments: ['x'] }, 'attachments maxLength'],
	])('%s is 422 and names the field', async (_title, changes, expected) => {
		const { status, json } = await send(sandbox, letter(changes));
		expect(status).toBe(422);
		expect(json.code).toBe('E_VALIDATION_ERROR');
		expect(fieldErrors(json)).toEqual([expected]);
	});

	it.each([
		['<p>Hi</p><script>alert(1)</script>', '<p>Hi</p>'],
		['<a href="javascript:x()">Hi</a>', '<a>Hi</a>'],
		['<iframe src="x"></iframe><b>Hi</b>', '<b>Hi</b>'],
		['<p style="color:red;position:fixed">Hi</p>', '<p style="color:red">Hi</p>'],
		['<img src="https://x.example/a.png">', '<img src="https://x.example/a.png" />'],
		['plain text & more', 'plain text &amp; more'],
	])('[SEND-04][S] %s is kept as %s', async (body, kept) => {
		expect((await send(sandbox, letter({ body }))).json.body).toBe(kept);
	});

	it('[SEND-11][RCPT-01][RCPT-02][RCPT-03][S] names every wrong recipient by its position', async () => {
		const good = { email: 'a@mail.example', firstname: 'A', lastname: 'B' };
		const recipients = [good, { firstname: 'A', lastname: 'B' }, { ...good, lastname: '' }, 7];
		const { status, json } = await send(sandbox, letter({ recipients }));
		expect(status).toBe(422);
		expect(json).toMatchObject({ code: 'message-bad-contacts', message: expect.any(String) });
		const named = json.data.map((one: { index: number; field: string; rule: string }) => [
			one.index,
			one.field,
			one.rule,
		]);
		expect(named).toEqual([
			[1, 'email', 'required'],
			[2, 'lastname', 'required'],
			[3, '', 'type'],
		]);
	});

	it('[RCPT-01][RCPT-02][S] refuses what nobody sees in an address, and a name of nothing else', async () => {
		const good = { email: 'a@mail.example', firstname: 'A', lastname: 'B' };
		const recipients = [
			...[
				'a@mail.example\u200b',
				'a\u00ad@mail.example',
				'\u202aa@mail.example',
				'a\ud800@mail.example',
				'a@mail\udfff.example',
			].map((email) => ({
				...good,
				email,
			})),
			{ ...good, firstname: '\u2060' },
		];
		const { status, json } = await send(sandbox, letter({ recipients }));
		expect(status).toBe(422);
		const named = json.data.map((one: { field: string; rule: string }) => [one.field, one.rule]);
		const email = ['email', 'email'];
		expect(named).toEqual([...Array(5).fill(email), ['firstname', 'required']]);
	});

	it('[SEND-09][SEND-07][RCPT-07][S] takes multipart with indexed fields, in any order', async () => {
		const { status, json } = await send(
			sandbox,
			form(
				['type', 'LS'],
				['body', '<p>Hi</p>'],
				['includeSenderLogo', 'true'],
				['recipients[1][email]', 'firm@mail.example'],
				['recipients[1].company', 'Firm'],
				['recipients[1].companySiren', '123456789'],
				['recipients[0].email', 'ada@mail.example'],
				['recipients[0].firstname', 'Ada'],
				['recipients[0].lastname', 'Lovelace'],
			),
		);
		expect(status).toBe(201);
		const { messages } = await sandbox.control('GET /state');
		const second = messages.find(({ id }) => id === json.messages[1].id);
		expect(second).toMatchObject({ includeSenderLogo: true });
		expect(second?.contact).toMatchObject({ identifier: '123456789', identifierType: 'SIREN' });
	});

	it('[SEND-06][S] an unknown or foreign customer is not found, one that has not accepted is not registered', async () => {
		const { customers } = accountOf(sandbox, 'reseller');
		const byState = (state: string) => customers.find((customer) => customer.state === state)?.id;
		const outcome = async (sender: string | undefined, as: string) => {
			const { status, json } = await send(sandbox, letter({ sender }), { as });
			return `${status} ${json.code ?? ''}`;
		};
		const unknown = '00000000-0000-4000-8000-000000000000';
		expect(await outcome(unknown, 'reseller')).toBe('422 customer-not-found');
		expect(await outcome(byState('ACCEPTED'), 'direct')).toBe('422 customer-not-found');
		expect(await outcome(byState('PENDING'), 'reseller')).toBe('422 customer-not-registered');
		expect(await outcome(byState('ACCEPTED'), 'reseller')).toBe('201 ');
	});
});

describe('authentication', () => {
	it('[AUTH-01][S] no token or a wrong one is 401 before anything else is looked at', async () => {
		const missing = await send(sandbox, 'broken {', { as: null });
		const wrong = await call(sandbox, '/messages/1', { headers: { 'x-api-token': 'wrong' } });
		for (const { status, json } of [missing, wrong]) {
			expect(status).toBe(401);
			expect(json).toEqual({ message: expect.any(String), code: 'unauthorized' });
		}
	});
});
