import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { sandboxState } from '../../support/sandbox.ts';
import { accountOf, call, type Call } from './client.ts';

const sandbox = useSandbox({ automatic: false });

const UNKNOWN = '00000000-0000-4000-8000-999999999999';
const ada = { email: 'ada@mail.example', firstname: 'Ada', lastname: 'Lovelace' };
const firm = { email: 'firm@mail.example', company: 'Firm' };

const store = (changes: object = {}, options: Call = {}) =>
	call(sandbox, '/consents/bulkStore', {
		body: { type: 'EMAIL', recipients: [ada], ...changes },
		...options,
	});
const list = async (query = '', options: Call = {}) =>
	(await call(sandbox, `/consents${query}`, options)).json;
const remind = (id: string, options: Call = {}) =>
	call(sandbox, `/consents/${id}/remind`, { method: 'POST', ...options });
const customerOf = (state: string) =>
	accountOf(sandbox, 'reseller').customers.find((customer) => customer.state === state)?.id;

describe('POST /consents/bulkStore', () => {
	it.each(['EMAIL', 'LINK', 'MANUAL'])(
		'[CONS-01][S] %s answers 201 with one consent per recipient, in order',
		async (type) => {
			const { status, json } = await store({ type, state: 'PENDING', recipients: [ada, firm] });
			expect(status).toBe(201);
			const common = { id: expect.any(String), type, state: 'PENDING', sender: null };
			const none = { firstName: null, lastName: null, company: null };
			const rest = {
				delayInDays: type === 'MANUAL' ? null : expect.any(Number),
				identifier: null,
				identifierType: null,
				consentUrl: type === 'LINK' ? expect.stringMatching(/^https:/) : null,
				createdAt: expect.stringMatching(/Z$/),
			};
			expect(json).toEqual([
				{ ...common, ...none, ...rest, email: ada.email, firstName: 'Ada', lastName: 'Lovelace' },
				{ ...common, ...none, ...rest, email: firm.email, company: 'Firm' },
			]);
		},
	);

	it.each([
		['[CONS-02][S] MANUAL without state', { type: 'MANUAL' }, 'state', 'required'],
		['[CONS-02][S] MANUAL in no known state', { type: 'MANUAL', state: 'MAYBE' }, 'state', 'enum'],
		['[CONS-01][S] an unknown type', { type: 'FAX' }, 'type', 'enum'],
		['[CONS-03][S] a delay of half a day', { delayInDays: 0.5 }, 'delayInDays', 'type'],
		['[CONS-03][S] a delay below zero', { delayInDays: -1 }, 'delayInDays', 'min'],
		['[CONS-07][S] a sender that is no UUID', { sender: 'lune' }, 'sender', 'format'],
		['[CONS-04][S] no recipients', { recipients: [] }, 'recipients', 'minLength'],
	])('%s is 422', async (_title, changes, field, rule) => {
		const { status, json } = await store(changes);
		expect([status, json.code]).toEqual([422, 'E_VALIDATION_ERROR']);
		expect(json.data.errors).toEqual([{ field, rule, message: expect.any(String) }]);
	});

	it('[CONS-03][S] EMAIL and LINK get the default delay, MANUAL none, and any keeps its own', async () => {
		const delay = async (changes: object) => (await store(changes)).json[0].delayInDays;
		expect(await delay({ type: 'EMAIL' })).toBe(30);
		expect(await delay({ type: 'LINK' })).toBe(30);
		expect(await delay({ type: 'MANUAL', state: 'ACCEPTED' })).toBeNull();
		for (const type of ['EMAIL', 'LINK', 'MANUAL'])
			expect(await delay({ type, state: 'PENDING', delayInDays: 7 })).toBe(7);
	});

	it('[CONS-04][CONS-05][S] wrong recipients are named by position, and none is asked', async () => {
		const recipients = [
			ada,
			{ email: 'x@mail.example', firstname: 'X' },
			{ company: 'Firm' },
			{ ...firm, identifierType: 'BCE' },
		];
		const { status, json } = await store({ recipients });
		expect([status, json.code]).toEqual([422, 'consent-bad-recipients']);
		expect(
			json.invalidRecipients.map((one: { index: number; field: string; rule: string }) => [
				one.index,
				one.field,
				one.rule,
			]),
		).toEqual([
			[1, 'lastname', 'required'],
			[2, 'email', 'required'],
			[3, 'identifier', 'required'],
		]);
		const { consents, mails } = await sandboxState(sandbox);
		expect([consents, mails]).toEqual([[], []]);
	});

	it('[CONS-06][S] a reseller asks for an accepted customer, not for others', async () => {
		const outcome = async (sender: string | undefined, as: string) => {
			const { status, json } = await store({ sender }, { as });
			return `${status} ${json.code ?? json[0].sender}`;
		};
		const accepted = customerOf('ACCEPTED');
		expect(await outcome(accepted, 'reseller')).toBe(`201 ${accepted}`);
		expect(await outcome(customerOf('PENDING'), 'reseller')).toBe('422 customer-not-registered');
		expect(await outcome(UNKNOWN, 'reseller')).toBe('422 customer-not-found');
		expect(await outcome('lune', 'reseller')).toBe('422 E_VALIDATION_ERROR');
		expect(await outcome(accepted, 'direct')).toBe('422 customer-not-found');
	});

	it('[CONS-09][S] EMAIL sends a mail in the name of the sender; LINK and MANUAL send none', async () => {
		await store({ type: 'LINK' });
		await store({ type: 'MANUAL', state: 'PENDING' });
		expect((await sandboxState(sandbox)).mails).toEqual([]);
		const { json } = await store({ sender: customerOf('ACCEPTED') }, { as: 'reseller' });
		expect((await sandboxState(sandbox)).mails).toMatchObject([
			{
				to: ada.email,
				consentId: json[0].id,
				subject: expect.stringContaining('Boulangerie Lune'),
			},
		]);
	});

	it.each([
		['accept', 'ACCEPTED'],
		['refuse', 'REFUSED'],
	])('[CONS-09][S] behind the consentUrl a person can %s', async (answer, state) => {
		const { consentUrl, id } = (await store({ type: 'LINK' })).json[0];
		const page = await call(sandbox, consentUrl, { as: null });
		expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
		const action = new RegExp(`action="([^"]*answer=${answer})"`).exec(page.bytes.toString())?.[1];
		const path = action?.replaceAll('&amp;', '&') ?? '';
		expect((await call(sandbox, path, { as: null, method: 'POST' })).status).toBe(200);
		expect((await list()).data).toMatchObject([{ id, state }]);
		const forged = consentUrl.replace(/signature=.*/, 'signature=x');
		expect((await call(sandbox, forged, { as: null })).status).toBe(404);
	});
});

describe('GET /consents', () => {
	it('[CONS-07][S] has only the newest consent of each contact', async () => {
		await store({ recipients: [ada, firm] });
		const { json } = await store({
			type: 'LINK',
			recipients: [{ ...ada, email: 'ADA@mail.example' }],
		});
		const { data, meta } = await list();
		expect(data.map(({ email }: { email: string }) => email)).toEqual([
			firm.email,
			'ADA@mail.example',
		]);
		expect(data[1]).toEqual(json[0]);
		expect(meta.total).toBe(2);
	});

	it('[CONS-07][S] a contact is one address, however it is spelled', async () => {
		await store({ recipients: [{ ...ada, email: 'zoë@bücher.example' }] });
		const { json } = await store({
			recipients: [{ ...ada, email: 'ZOE\u0308@xn--bcher-kva.example' }],
		});
		expect((await list()).data).toEqual(json);
	});

	it('[CONS-07][S] a reseller filters by customer; an unknown one is 422 customer-not-found', async () => {
		const sender = customerOf('ACCEPTED');
		await store({}, { as: 'reseller' });
		const shouted = await store({ sender: sender?.toUpperCase() }, { as: 'reseller' });
		expect(shouted.json[0].sender).toBe(sender);
		expect((await list(`?sender=${sender}`, { as: 'reseller' })).data).toEqual(shouted.json);
		expect((await list('', { as: 'reseller' })).data).toHaveLength(2);
		for (const [id, as, code] of [
			[UNKNOWN, 'reseller', 'customer-not-found'],
			[sender, 'direct', 'customer-not-found'],
			['lune', 'reseller', 'E_VALIDATION_ERROR'],
			['', 'reseller', 'E_VALIDATION_ERROR'],
		]) {
			const answer = await call(sandbox, `/consents?sender=${id}`, { as });
			expect([answer.status, answer.json.code]).toEqual([422, code]);
		}
	});

	it('[CONS-07][S] shows nobody another account’s consents', async () => {
		await store();
		expect((await list('', { as: 'reseller' })).data).toEqual([]);
	});
});

describe('POST /consents/{id}/remind', () => {
	it('[CONS-08][S] sends the mail again and says so', async () => {
		const { id } = (await store()).json[0];
		const { status, json } = await remind(id);
		expect([status, json]).toEqual([200, { message: expect.any(String) }]);
		const { mails } = await sandboxState(sandbox);
		expect(mails.map((mail: { subject: string }) => mail.subject)).toEqual([
			'Atelier Nord asks for your consent',
			'Reminder: Atelier Nord asks for your consent',
		]);
	});

	it('[CONS-08][S] an unknown consent, another account’s and a malformed id are 404', async () => {
		const { id } = (await store()).json[0];
		const answers = [
			await remind(UNKNOWN),
			await remind('x'),
			await remind(id, { as: 'reseller' }),
		];
		for (const { status, json } of answers)
			expect([status, json.code]).toEqual([404, 'consent-not-found']);
	});
});

it('[AUTH-01][AUTH-04][S] consents need a token, and no more than a token', async () => {
	const { id } = (await store({}, { as: 'token-only' })).json[0];
	expect((await remind(id, { as: 'token-only' })).status).toBe(200);
	const answers = [
		await store({}, { as: null }),
		await call(sandbox, '/consents', { as: null }),
		await remind(id, { as: null }),
	];
	for (const { status, json } of answers)
		expect([status, json.code]).toEqual([401, 'unauthorized']);
});
