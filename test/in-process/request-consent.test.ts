// Request Consent, against the sandbox; rejections in other shapes, from a stub.
import { RequestConsent } from '../../nodes/RequestConsent/RequestConsent.node.ts';
import type { InputItem } from '../support/n8n-core.ts';
import { searchList } from '../support/picker.ts';
import { sandboxState, serviceCredential } from '../support/sandbox.ts';
import type { StubAnswer } from '../support/stub-service.ts';
import { runAt, TOO_LONG, useStrictSandbox, useStub, type AtService } from './services.ts';

const person = { email: 'ada@recipients.example', firstname: 'Ada', lastname: 'Martin' };
const company = { email: 'hello@company.example', company: 'Martin SARL' };

const sandbox = useStrictSandbox();
const stub = useStub();

const run = (parameters: object, options: AtService = {}) =>
	runAt(sandbox, new RequestConsent(), parameters, { account: 'token-only', ...options });

const create = (parameters: object = {}, options?: AtService) =>
	run(
		{ operation: 'create', recipientsFrom: 'json', recipientsJson: person, ...parameters },
		options,
	);
const readers = (count: number): InputItem[] =>
	Array.from({ length: count }, (_, index) => ({
		json: { email: `reader${index}@recipients.example`, firstname: 'A', lastname: 'B' },
	}));
const fromItem = { recipientsJson: '={{ $json }}' };

const consents = async () => (await sandboxState(sandbox)).consents;
const requests = async (path: RegExp) =>
	(await sandboxState(sandbox)).requests.filter((one) => path.test(one.path));
const customerId = async (state: string) =>
	(await sandboxState(sandbox)).customers.find((one) => one.state === state)?.id ?? '';

describe('create', () => {
	it('[CONS-01][CONS-03][AUTH-04][N] EMAIL: every field reaches the output, the delay is the service’s', async () => {
		const { items, error } = await create();
		expect(error).toBeUndefined();
		expect(items).toEqual([
			{
				json: {
					id: expect.stringMatching(/^[0-9a-f-]{36}$/),
					type: 'EMAIL',
					state: 'PENDING',
					delayInDays: expect.any(Number),
					email: person.email,
					firstName: 'Ada',
					lastName: 'Martin',
					company: null,
					identifier: null,
					identifierType: null,
					sender: null,
					consentUrl: null,
					createdAt: expect.any(String),
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('[CONS-01][CONS-03][N] LINK gives a link, with a delay of one’s own', async () => {
		const { items } = await create({ type: 'LINK', options: { delayInDays: 7 } });
		expect(items[0].json).toMatchObject({
			type: 'LINK',
			delayInDays: 7,
			consentUrl: expect.stringMatching(/^https:/),
		});
	});

	it.each(['sender', 'delayInDays'])(
		'a first item with an empty %s fails alone, where an error is to continue',
		async (option) => {
			const sender = await customerId('ACCEPTED');
			const good = option === 'sender' ? JSON.stringify(sender) : '7';
			const { items } = await create(
				{ ...fromItem, options: { [option]: `={{ $itemIndex === 0 ? "" : ${good} }}` } },
				{ account: 'reseller', items: readers(3), onError: 'continueRegularOutput' },
			);
			expect(items.map(({ json }) => json.error ?? json.state)).toEqual([
				expect.stringContaining('It is empty for this item'),
				'PENDING',
				'PENDING',
			]);
		},
	);

	it.each(['PENDING', 'ACCEPTED'])(
		'[CONS-01][CONS-02][N] MANUAL records the state %s',
		async (state) => {
			const { items } = await create({ type: 'MANUAL', state });
			expect(items[0].json).toMatchObject({ type: 'MANUAL', state });
		},
	);

	it('[CONS-02][N] a state left over from MANUAL does not go out with another type', async () => {
		stub.answer = () => ({ status: 201, body: [] });
		await create({ type: 'EMAIL', state: 'ACCEPTED' }, { credential: stub.credential });
		expect(JSON.parse(stub.requests[0].body)).toEqual({ type: 'EMAIL', recipients: [person] });
	});

	it('[CONS-04][N] recipients come from the form as well: people and organizations', async () => {
		const { items } = await create({
			recipientsFrom: 'form',
			recipients: {
				recipient: [
					{ recipientKind: 'person', ...person },
					{
						recipientKind: 'organization',
						...company,
						identifier: '0123.456.749',
						identifierType: 'BCE',
					},
				],
			},
		});
		expect(items.map(({ json, pairedItem }) => [json.email, json.company, pairedItem])).toEqual([
			[person.email, null, { item: 0 }],
			[company.email, company.company, { item: 0 }],
		]);
		expect(items[1].json).toMatchObject({ identifierType: 'BCE' });
	});

	it('[CONS-06][N] asks for a customer who accepted the delegation, and tells of others', async () => {
		const sender = { mode: 'list', value: await customerId('ACCEPTED') };
		const { items } = await create({ options: { sender } }, { account: 'reseller' });
		expect(items[0].json.sender).toBe(sender.value);
		const pending = await create(
			{ options: { sender: await customerId('PENDING') } },
			{ account: 'reseller' },
		);
		expect(pending.error?.message).toContain('(customer-not-registered)');
		const { results } = await searchList(new RequestConsent(), 'searchAcceptedCustomers', {
			registeredDeliveryApi: serviceCredential(sandbox, 'reseller'),
		});
		expect(results.map(({ value }) => value)).toEqual([sender.value]);
	});

	it('[CONS-01][N] each item is a request of its own, and each consent is paired with its item', async () => {
		const [ada, bob, cid] = readers(3).map(({ json }) => json);
		const { items: output } = await create(
			{ recipientsFrom: 'json', recipientsJson: '={{ $json.all }}' },
			{ items: [{ json: { all: [ada, bob] } }, { json: { all: cid } }] },
		);
		expect(output.map(({ json, pairedItem }) => [json.email, pairedItem])).toEqual([
			['reader0@recipients.example', { item: 0 }],
			['reader1@recipients.example', { item: 0 }],
			['reader2@recipients.example', { item: 1 }],
		]);
		expect(await requests(/bulkStore/)).toHaveLength(2);
	});

	const spoilt = () => {
		const items = readers(3);
		items[1].json!.lastname = TOO_LONG;
		return items;
	};

	it('[CONS-05][AUTH-06][N] a rejected recipient is told why, and stops no other', async () => {
		const { items } = await create(fromItem, {
			items: spoilt(),
			onError: 'continueRegularOutput',
		});
		expect(items.map(({ json }) => json.email ?? json.error)).toEqual([
			'reader0@recipients.example',
			expect.stringMatching(/\(consent-bad-recipients\)$/),
			'reader2@recipients.example',
		]);
		expect(items[1].json.details).toMatchObject({
			description: expect.stringMatching(
				/<reader1@recipients.example>, lastname: [^]*Each needs an/,
			),
		});
		expect(await consents()).toHaveLength(2);
	});

	const bad: Array<[string, object, RegExp]> = [
		[
			'[CONS-01] an unknown type',
			{ type: '={{ "FAX" }}' },
			/^Type: It is "FAX"\. Choose one of EMAIL, LINK, MANUAL/,
		],
		[
			'[CONS-02] MANUAL without a state',
			{ type: 'MANUAL', state: '={{ "" }}' },
			/^State: It is empty/,
		],
		[
			'[CONS-03] half a day',
			{ options: { delayInDays: '={{ 1.5 }}' } },
			/^Delay \(Days\): .*whole/,
		],
		['[CONS-03] a negative delay', { options: { delayInDays: '={{ -1 }}' } }, /^Delay \(Days\): /],
		['[CONS-04] no email', { recipientsJson: company.company }, /^Recipients: /],
		['[CONS-06] a sender that is no ID', { options: { sender: 'lune' } }, /^Sender: "lune" is not/],
	];
	// What else a recipient may lack: unit/pack/recipients.test.ts.
	it.each(bad)('%s [N] is refused before any request', async (_, parameters, message) => {
		const { error } = await create(parameters);
		expect(error?.message).toMatch(message);
		expect(await requests(/consents/)).toEqual([]);
	});
});

describe('getMany', () => {
	it('[CONS-07][N] gives the newest consent of each contact', async () => {
		await create();
		await create({ type: 'LINK' });
		const { items } = await run({ operation: 'getMany' });
		expect(items).toMatchObject([
			{ json: { type: 'LINK', email: person.email }, pairedItem: { item: 0 } },
		]);
	});

	it('[CONS-07][N] filters by customer, and tells of one that does not exist', async () => {
		const account = 'reseller';
		const sender = await customerId('ACCEPTED');
		await create({}, { account });
		await create({ options: { sender } }, { account });
		const getMany = (value: string) =>
			run({ operation: 'getMany', options: { sender: { mode: 'id', value } } }, { account });
		const { items } = await getMany(sender);
		expect(items.map(({ json }) => json.sender)).toEqual([sender]);
		expect((await run({ operation: 'getMany' }, { account })).items).toHaveLength(2);
		const { error } = await getMany('00000000-0000-4000-8000-000000000000');
		expect(error?.message).toContain('(customer-not-found)');
	});

	it('[CONS-07][N] a customer that comes out empty must not list the consents of all', async () => {
		for (const sender of [
			'={{ $json.nope }}',
			'',
			{ __rl: true, mode: 'id', value: '={{ null }}' },
		]) {
			const options = { account: 'reseller' } as const;
			const { error } = await run({ operation: 'getMany', options: { sender } }, options);
			expect(error?.message).toMatch(/^Sender: It is empty for this item/);
		}
		expect(await requests(/^\/consents$/)).toEqual([]);
	});

	it('[CONS-07][N] Return All reads every page, Limit no more than needed', async () => {
		await create(fromItem, { items: readers(130) });
		const all = await run({ operation: 'getMany', returnAll: true });
		expect(new Set(all.items.map(({ json }) => json.email)).size).toBe(130);
		expect((await run({ operation: 'getMany', limit: 7 })).items).toHaveLength(7);
		expect(await requests(/^\/consents$/)).toHaveLength(3);
	});
});

describe('output', () => {
	const got = async (parameters: object) => {
		await create({ recipientsJson: { ...company, identifier: '732829320' } });
		const { items, error } = await run({ operation: 'getMany', ...parameters });
		return error?.message ?? items.map(({ json }) => Object.keys(json))[0];
	};
	const SIMPLIFIED = [
		'id',
		'state',
		'email',
		'firstName',
		'lastName',
		'company',
		'type',
		'consentUrl',
		'sender',
		'createdAt',
	];

	it('[CONS-07][N] is ten fields unless asked for more', async () => {
		expect(await got({})).toEqual(SIMPLIFIED);
	});

	it('[CONS-07][N] is everything, or the ID and what was chosen', async () => {
		expect((await got({ output: 'raw' })).length).toBe(13);
		const chosen = { output: 'fields', fields: ['state', 'identifier'] };
		expect(await got(chosen)).toEqual(['id', 'state', 'identifier']);
		expect(await got({ output: 'fields' })).toEqual(['id']);
	});
});

describe('the list of consents', () => {
	const list = async (filter?: string) =>
		await searchList(
			new RequestConsent(),
			'searchRemindableConsents',
			{ registeredDeliveryApi: serviceCredential(sandbox, 'token-only') },
			{ filter },
		);

	it('[CONS-08][N] offers those whose contact can be reminded, by name and address', async () => {
		const [asked] = (await create()).items;
		const [firm] = (await create({ recipientsJson: company })).items;
		await create({ type: 'LINK', recipientsJson: { ...person, email: 'link@recipients.example' } });
		const [answered] = (
			await create({ recipientsJson: { ...person, email: 'x@recipients.example' } })
		).items;
		await sandbox.control('POST /consents/{id}/{answer}', {
			id: String(answered.json.id),
			answer: 'accept',
		});
		expect((await list()).results).toEqual([
			{ name: 'Ada Martin (ada@recipients.example)', value: asked.json.id },
			{ name: 'Martin SARL (hello@company.example)', value: firm.json.id },
		]);
		expect((await list('sarl')).results).toHaveLength(1);
		expect((await list(String(asked.json.id))).results).toHaveLength(1);
		expect((await list('nobody')).results).toEqual([]);
	});

	it('[CONS-08][N] a chosen one is reminded', async () => {
		await create();
		const [{ value }] = (await list()).results;
		const consentId = { __rl: true, mode: 'list', value };
		const { items, error } = await run({ operation: 'remind', consentId });
		expect(error).toBeUndefined();
		expect(items).toMatchObject([{ json: { consentId: value } }]);
	});
});

describe('remind', () => {
	const remind = (consentId: unknown, options?: AtService) =>
		run({ operation: 'remind', consentId }, options);
	const mails = async () => (await sandboxState(sandbox)).mails;

	it('[CONS-08][N] writes to the contact again, without a body', async () => {
		const { items } = await create();
		const result = await remind(items[0].json.id);
		expect(result.items).toEqual([
			{
				json: { consentId: items[0].json.id, message: expect.any(String) },
				pairedItem: { item: 0 },
			},
		]);
		expect(await mails()).toHaveLength(2);
		expect((await requests(/remind$/))[0].headers).not.toHaveProperty('content-type');
	});

	it.each<[string, StubAnswer]>([
		['another status', { status: 201, body: { message: 'Reminded' } }],
		['no message', { body: {} }],
		['a text', { body: 'Reminded' }],
	])('[CONS-08][N] an answer of %s leaves it unknown', async (_, answer) => {
		stub.answer = () => answer;
		const consentId = '00000000-0000-4000-8000-000000000000';
		const { error } = await remind(consentId, { credential: stub.credential });
		expect(error?.message).toMatch(/^Outcome unknown: the reminder may have been sent/);
		expect(error?.description).toMatch(/^The request was sent, but no clear response came back/);
	});

	it('[CONS-08][AUTH-06][N] tells which consents can be reminded, and of one that is not there', async () => {
		const link = await create({ type: 'LINK' });
		const email = await create();
		await sandbox.control('POST /consents/{id}/{answer}', {
			id: String(email.items[0].json.id),
			answer: 'accept',
		});
		for (const { items } of [link, email]) {
			const { error } = await remind(items[0].json.id);
			expect(error?.message).toContain('(consent-cannot-be-reminded)');
			expect(error?.description).toContain('type EMAIL that are still PENDING');
		}
		const { error } = await remind('00000000-0000-4000-8000-000000000000');
		expect(error?.message).toContain('(consent-not-found)');
	});
});
