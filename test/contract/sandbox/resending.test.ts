import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { sandboxState } from '../../support/sandbox.ts';
import { call, form, letter, person, send, sendOne, type Call } from './client.ts';

const sandbox = useSandbox({ automatic: false });

const ID = /^\d{12}$/;
const UNKNOWN = '999999999999';

const resendAll = (ids: string[], options: Call = {}) =>
	call(sandbox, '/messages/resend', {
		body: form(...ids.map((id, index): [string, string] => [`ids[${index}]`, id])),
		...options,
	});

const resendOne = (id: string, options: Call = {}) =>
	call(sandbox, `/messages/${id}/resend`, { method: 'POST', ...options });

const messages = async () => (await sandboxState(sandbox)).messages;
const messageOf = async (id: string) =>
	(await messages()).find((message: { id: string }) => message.id === id);

describe('POST /messages/resend', () => {
	it('[RSND-01][S] sends each message again to its contact, in the order asked', async () => {
		const ids = [await sendOne(sandbox, person('ada')), await sendOne(sandbox, person('alan'))];
		const { status, json } = await resendAll(ids);
		expect([status, json]).toEqual([201, [expect.stringMatching(ID), expect.stringMatching(ID)]]);
		expect(await messageOf(json[0])).toMatchObject({
			status: 'SENT',
			resendOf: ids[0],
			contact: { email: 'ada@mail.example' },
			body: '<p>Good morning</p>',
		});
		expect(await messageOf(json[1])).toMatchObject({ contact: { email: 'alan@mail.example' } });
	});

	it.each(['an unknown id', 'another account’s', 'one that is no id', 'one still scheduled'])(
		'[RSND-02][RSND-03][S] sends nothing when among the ids is %s',
		async (which) => {
			const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
			const bad = {
				'an unknown id': () => UNKNOWN,
				'another account’s': () => sendOne(sandbox, {}, { as: 'reseller' }),
				'one that is no id': () => '../1',
				'one still scheduled': () => sendOne(sandbox, { scheduledAt }),
			}[which];
			const ids = [await sendOne(sandbox, {}), (await bad?.()) ?? ''];
			const before = (await messages()).length;
			const { status, json } = await resendAll(ids);
			expect([status, json]).toEqual([
				404,
				{ code: 'message-not-found', message: expect.any(String) },
			]);
			expect(await messages()).toHaveLength(before);
		},
	);

	it.each([
		['no ids', form(['x', 'y'])],
		['an empty list', { ids: [] }],
		['ids that are numbers', { ids: [123456789012] }],
	])('[RSND-01][S] %s is 422', async (_title, body) => {
		expect((await resendAll([], { body })).status).toBe(422);
	});

	it.each<[string, Array<[string, string]>]>([
		[
			'out of order',
			[
				['ids[1]', '2'],
				['ids[0]', '1'],
			],
		],
		[
			'repeated',
			[
				['ids', '1'],
				['ids', '2'],
			],
		],
		[
			'with empty brackets',
			[
				['ids[]', '1'],
				['ids[]', '2'],
			],
		],
		['one JSON text', [['ids', '["1","2"]']]],
		['one alone', [['ids', '1']]],
	])('[RSND-01][S] ids of a form that are %s', async (_title, fields) => {
		const sent = [await sendOne(sandbox, {}), await sendOne(sandbox, {})];
		const filled = fields.map(([name, value]): [string, string] => [
			name,
			value.replaceAll(/\d/g, (digit) => sent[Number(digit) - 1]),
		]);
		const { status, json } = await resendAll([], { body: form(...filled) });
		expect(status).toBe(201);
		const again = (await messages()).filter(({ id }) => json.includes(id));
		expect(again.map(({ resendOf }) => resendOf)).toEqual(sent.slice(0, json.length));
		expect(json).toHaveLength(fields[0][1] === '1' && fields.length === 1 ? 1 : 2);
	});

	it('[RSND-02][S] an id twice is 422: it would be sent twice', async () => {
		const id = await sendOne(sandbox, {});
		const before = (await messages()).length;
		expect((await resendAll([id, id])).status).toBe(422);
		expect(await messages()).toHaveLength(before);
	});

	it('[RSND-03][AUTH-01][S] needs a token', async () => {
		const { status, json } = await resendAll([UNKNOWN], { as: null });
		expect([status, json.code]).toEqual([401, 'unauthorized']);
	});

	it('[RSND-05][S] needs a certificate when one of them is an LRE', async () => {
		const lre = await sendOne(sandbox, { type: 'LRE' }, { certificate: true });
		const ids = [await sendOne(sandbox, {}), lre];
		const { status, json } = await resendAll(ids);
		expect([status, json.code]).toEqual([405, 'lre-must-use-mtls']);
		expect((await resendAll(ids, { certificate: true })).status).toBe(201);
	});
});

describe('POST /messages/{id}/resend', () => {
	it('[RSND-04][S] without a recipient goes to the original contact; the answer is one id', async () => {
		const id = await sendOne(sandbox, { type: 'MT', fileReference: 'F-1' });
		const { status, json } = await resendOne(id);
		expect([status, json]).toEqual([201, expect.stringMatching(ID)]);
		expect(await messageOf(json)).toMatchObject({
			type: 'MT',
			fileReference: 'F-1',
			resendOf: id,
			contact: { email: 'ada@mail.example' },
		});
	});

	it('[RSND-04][S] with a recipient makes a new contact and sends to it, attachments included', async () => {
		const original = form(
			['type', 'LS'],
			['body', 'Hello'],
			['recipients', JSON.stringify(letter().recipients)],
			['attachments', new File(['content'], 'a.txt')],
		);
		const { id } = (await send(sandbox, original)).json.messages[0];
		const body = form(
			['recipients[0].email', 'new@mail.example'],
			['recipients[0].firstname', 'New'],
			['recipients[0].lastname', 'Person'],
		);
		const { status, json } = await resendOne(id, { body });
		expect(status).toBe(201);
		expect(await messageOf(json)).toMatchObject({
			contact: { email: 'new@mail.example', firstname: 'New', lastname: 'Person' },
			attachments: [{ name: 'a.txt', size: 7 }],
		});
		expect(await messageOf(id)).toMatchObject({ contact: { email: 'ada@mail.example' } });
	});

	it('[RSND-06][S] a wrong recipient is 422 message-bad-contacts, and nothing is sent', async () => {
		const id = await sendOne(sandbox, {});
		const before = (await messages()).length;
		const body = form(
			['recipients[0].email', 'new@mail.example'],
			['recipients[0].firstname', 'N'],
		);
		const { status, json } = await resendOne(id, { body });
		expect(status).toBe(422);
		expect(json).toMatchObject({
			code: 'message-bad-contacts',
			data: [{ index: 0, field: 'lastname' }],
		});
		expect(await messages()).toHaveLength(before);
	});

	it('[RSND-04][S] takes one recipient, not two', async () => {
		const id = await sendOne(sandbox, {});
		const recipients = [...letter().recipients, ...person('alan').recipients];
		expect((await resendOne(id, { body: { recipients } })).status).toBe(422);
	});

	it('[RSND-05][TYPE-01][S] an LRE needs a certificate, and identifier rules hold for its new contact', async () => {
		const id = await sendOne(sandbox, { type: 'LRE' }, { certificate: true });
		const alone = await resendOne(id);
		expect([alone.status, alone.json.code]).toEqual([405, 'lre-must-use-mtls']);
		expect((await resendOne(id, { certificate: true })).status).toBe(201);
		const body = { recipients: [{ email: 'firm@mail.example', company: 'Firm' }] };
		const firm = await resendOne(id, { certificate: true, body });
		expect([firm.status, firm.json.code]).toEqual([422, 'message-bad-contacts']);
	});

	it('[RSND-06][S] a refused payment is 402', async () => {
		const { status, json } = await resendOne(await sendOne(sandbox, person('unpaid')));
		const refused = { code: 'payment-request-rejected', message: expect.any(String) };
		expect([status, json]).toEqual([402, refused]);
	});

	it('[RSND-06][READ-01][S] an absent message is 404, a malformed id 422, no token 401', async () => {
		const absent = await resendOne(UNKNOWN);
		expect([absent.status, absent.json.code]).toEqual([404, 'message-not-found']);
		const malformed = await resendOne('123');
		expect([malformed.status, malformed.json.errors[0].rule]).toEqual([422, 'fixedLength']);
		expect((await resendOne(UNKNOWN, { as: null })).status).toBe(401);
	});
});
