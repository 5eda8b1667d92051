// Manage Customer, against the sandbox; lists that do not page as assumed, from a stub.
import { ManageCustomer } from '../../nodes/ManageCustomer/ManageCustomer.node.ts';
import { JPEG, PNG } from '../contract/sandbox/images.ts';
import { useBinaryStore, type InputItem } from '../support/n8n-core.ts';
import { searchList } from '../support/picker.ts';
import { sandboxState, serviceCredential } from '../support/sandbox.ts';
import { runAt, TOO_LONG, useStrictSandbox, useStub, type AtService } from './services.ts';

const sandbox = useStrictSandbox();
const stub = useStub();

const run = (parameters: object, options: AtService = {}) =>
	runAt(sandbox, new ManageCustomer(), parameters, { account: 'reseller', ...options });

const people = (...names: string[]): InputItem[] =>
	names.map((name) => ({ json: { name, email: `${name}@customers.example` } }));
const create = (items: InputItem[], options: AtService = {}, parameters: object = {}) =>
	run(
		{
			operation: 'create',
			name: '={{ $json.name }}',
			email: '={{ $json.email }}',
			...parameters,
		},
		{ items, ...options },
	);

const customers = async () => (await sandboxState(sandbox)).customers;
const created = async () =>
	(await customers()).filter(({ name }) => !['Boulangerie Lune', 'Garage Soleil'].includes(name));
const requests = async (path: RegExp) =>
	(await sandboxState(sandbox)).requests.filter((one) => path.test(one.path));
const lune = async () =>
	(await customers()).find(({ name }) => name === 'Boulangerie Lune')?.id ?? '';

describe('create', () => {
	it('[CUST-01][CUST-09][N] makes each item’s customer in a request of its own, with every field', async () => {
		const { items, error } = await create(people('ada', 'bob', 'cid'), {}, { willSendLre: true });
		expect(error).toBeUndefined();
		expect(await requests(/bulk_store/)).toHaveLength(3);
		expect(items).toEqual(
			['ada', 'bob', 'cid'].map((name, item) => ({
				json: {
					id: expect.stringMatching(/^[0-9a-f-]{36}$/),
					name,
					email: `${name}@customers.example`,
					isPaying: false,
					willSendLre: true,
					state: 'PENDING',
					delegationToken: expect.any(String),
					userId: expect.any(String),
					createdAt: expect.any(String),
					updatedAt: expect.any(String),
				},
				pairedItem: { item },
			})),
		);
		const { mails } = await sandboxState(sandbox);
		expect(mails.filter(({ customerId }) => customerId)).toHaveLength(3);
	});

	it('n8n keeps no token of the delegation but in the output', async () => {
		const { items, run: stored } = await create(people('ada'));
		const { delegationToken } = items[0].json;
		const kept = JSON.stringify(stored.data.executionData?.contextData);
		expect(kept).toContain(String(items[0].json.id));
		expect(kept).not.toContain(String(delegationToken));
	});

	it('[CUST-09][N] lives with the subset of the quick start', async () => {
		const subset = { id: '1', name: 'ada', email: 'a@b.c', state: 'PENDING' };
		stub.answer = () => ({ status: 201, body: { customers: [subset] } });
		const one = await create(people('ada'), { credential: stub.credential });
		expect(one.items).toEqual([{ json: subset, pairedItem: { item: 0 } }]);
	});

	it.each<[string, object[], number]>([
		['nobody', [], 201],
		['somebody more', [{ id: '1' }, { id: '2' }], 201],
		['no ID', [{ email: 'ada@customers.example' }], 201],
		['another status', [{ id: '1' }], 200],
	])('[CUST-01][N] an answer with %s is no success', async (_, list, status) => {
		stub.answer = () => ({ status, body: { customers: list } });
		const { error, items } = await create(people('ada'), { credential: stub.credential });
		expect(error?.message).toMatch(/^Outcome unknown: the customer may have been created/);
		expect(items).toEqual([]);
	});

	const spoilt = () => {
		const items = people('ada', 'bob', 'cid', 'dan');
		for (const index of [1, 3]) items[index].json!.name = TOO_LONG;
		return items;
	};

	it('[CUST-02][AUTH-06][N] a rejected customer stops no other, and is told why', async () => {
		const { items } = await create(spoilt(), { onError: 'continueRegularOutput' });
		expect(items.map(({ json }) => json.name ?? json.error)).toEqual([
			'ada',
			expect.stringContaining('(E_VALIDATION_ERROR)'),
			'cid',
			expect.stringContaining('(E_VALIDATION_ERROR)'),
		]);
		expect(items[1].json.details).toMatchObject({ description: expect.stringMatching(/name: /) });
		expect(await created()).toHaveLength(2);
	});

	it.each([
		['direct', /\(forbidden\)/],
		['wrong', /\(unauthorized\)/],
	])(
		'[CUST-08][AUTH-06][N] %s account: the error says that it is for resellers',
		async (who, code) => {
			const options =
				who === 'wrong'
					? { credential: serviceCredential(sandbox, 'reseller', { apiToken: 'wrong' }) }
					: { account: who };
			const results = [
				await create(people('ada'), options),
				await run({ operation: 'getMany' }, options),
				await run({ operation: 'deleteLogo', customerId: await lune() }, options),
			];
			for (const { error } of results) {
				expect(error?.message).toMatch(code);
				expect(error?.description).toContain('Only resellers can manage customers');
			}
		},
	);
});

describe('getMany', () => {
	const getMany = (parameters: object = {}, options: AtService = {}) =>
		run({ operation: 'getMany', ...parameters }, options);

	it('[CUST-03][N] Return All leaves out nobody where one is removed while they are read', async () => {
		const all = Array.from({ length: 150 }, (_, at) => ({ id: `c${at}`, state: 'ACCEPTED' }));
		let present = all;
		stub.answer = ({ query }) => {
			const page = Number(query.get('page'));
			const data = present.slice((page - 1) * 100, page * 100);
			const meta = { currentPage: page, lastPage: 2, total: present.length };
			present = all.filter(({ id }) => id !== 'c50');
			return { body: { data, meta } };
		};
		const { items } = await getMany({ returnAll: true }, { credential: stub.credential });
		expect(items.map(({ json }) => json.id)).toEqual(present.map(({ id }) => id));
	});

	it('[CUST-03][CUST-04][N] filters by state', async () => {
		const answers = [
			['PENDING', []],
			['ACCEPTED', ['accept']],
			['REFUSED', ['refuse']],
			['REVOKED', ['accept', 'revoke']],
			['CANCELLED', ['cancel']],
		] as const;
		for (const [state, given] of answers) {
			const id = (await create(people(state))).items[0].json.id as string;
			for (const answer of given)
				await sandbox.control('POST /customers/{id}/{answer}', { id, answer });
			const { items } = await getMany({ options: { state } });
			expect(items.map(({ json }) => json.id)).toContain(id);
			expect(new Set(items.map(({ json }) => json.state))).toEqual(new Set([state]));
		}
		const { error } = await getMany({ options: { state: '={{ "GONE" }}' } });
		expect(error?.message).toMatch(/^State: It is "GONE"\. Choose one of/);
		const undefinedState = await getMany({ options: { state: '={{ $json.nope }}' } });
		expect(undefinedState.error?.message).toMatch(/^State: It is empty for this item/);
	});
});

describe('a list that does not come as the interface says', () => {
	const entries = (count: number, from = 0) =>
		Array.from({ length: count }, (_, n) => ({ id: `c${from + n}`, name: 'A' }));
	const page = (number: number, list = entries(250)) => ({
		data: list.slice((number - 1) * 100, number * 100),
		meta: {
			total: list.length,
			perPage: 100,
			currentPage: number,
			lastPage: Math.max(1, Math.ceil(list.length / 100)),
			firstPage: 1,
		},
	});
	type Serve = (number: number, asked: number) => object;
	const listed = async (serve: Serve) => {
		stub.answer = ({ query }) => ({
			body: serve(Number(query.get('page')), stub.requests.length),
		});
		const parameters = { operation: 'getMany', returnAll: true };
		return await run(parameters, { credential: stub.credential });
	};

	it.each<[string, Serve, RegExp]>([
		[
			'that ends early',
			(number) => ({
				data: number === 1 ? page(1).data : [],
				meta: { ...page(number).meta, lastPage: 1 },
			}),
			/reported 250 entries in the list, but returned 100/,
		],
		[
			'whose page is always the first',
			(number) => ({ ...page(1), meta: page(number).meta }),
			/Page 2 of the list returned nothing new/,
		],
		[
			'that shrinks all the time',
			(number, asked) => page(number, entries(250).slice(asked)),
			/disappeared while it was read/,
		],
		['that is none', () => ({ data: {}, meta: page(1).meta }), /\{data, meta\}/],
		[
			'that does not say where it ends',
			() => ({ data: [], meta: { currentPage: 1, total: null, lastPage: 1 } }),
			/how many pages/,
		],
	])('[CUST-03][CONS-07][N] %s is an error, never a part of it', async (_, serve, words) => {
		const { error, items } = await listed(serve);
		expect(error?.message).toMatch(words);
		expect(items).toEqual([]);
		expect(stub.requests.length).toBeLessThan(12);
	});

	it.each<[string, Serve]>([
		['grows at its end', (number, asked) => page(number, entries(150 + 20 * asked))],
		[
			'grows at its top',
			(number, asked) => page(number, [...entries(asked - 1, 1000), ...entries(250)]),
		],
		[
			'loses some at its top',
			(number, asked) => page(number, entries(250).slice(asked === 1 ? 0 : 5)),
		],
	])('[CUST-03][CONS-07][N] one that %s: what stays is there, once', async (_, serve) => {
		const { items } = await listed(serve);
		const ids = items.map(({ json }) => json.id);
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids).toEqual(expect.arrayContaining(entries(140, 10).map(({ id }) => id)));
	});
});

describe('the logo', () => {
	const file = (content: Buffer, name = 'a.png', type = 'image/png') => [
		{ files: { data: { name, type, content } } },
	];
	const setLogo = async (items: InputItem[], parameters: object = {}, options: AtService = {}) =>
		run(
			{ operation: 'setLogo', customerId: { mode: 'id', value: await lune() }, ...parameters },
			{ items, ...options },
		);
	const logo = async () =>
		(await customers()).find(({ name }) => name === 'Boulangerie Lune')?.logo;

	describe.each(['in the items', 'in n8n’s binary store'])('kept %s', (place) => {
		if (place !== 'in the items') beforeAll(useBinaryStore);

		it.each([
			['PNG', PNG, 'image/png'],
			['JPEG', JPEG, 'image/jpeg'],
		])('[CUST-05][N] is set: %s, whatever its name says', async (_, content, contentType) => {
			const { items, error } = await setLogo(file(content, 'a.txt', 'text/plain'));
			expect(error).toBeUndefined();
			expect(items).toEqual([
				{
					json: { customerId: await lune(), logoUrl: expect.stringMatching(/^https:/) },
					pairedItem: { item: 0 },
				},
			]);
			expect(await logo()).toMatchObject({ contentType, size: content.length });
		});
	});

	describe('kept in the JSON of the item, by the workflow’s setting', () => {
		beforeAll(useBinaryStore);

		it.each(['data', '_files.data'])('[CUST-05][N] is set by %s', async (logoField) => {
			const { error } = await setLogo(file(PNG), { logoField }, { binaryMode: 'combined' });
			expect(error).toBeUndefined();
			expect(await logo()).toMatchObject({ size: PNG.length });
		});
	});

	const large = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)]);

	it('[CUST-05][N] of exactly 2 MB is set', async () => {
		const { error } = await setLogo(file(large(2 * 1024 * 1024)));
		expect(error).toBeUndefined();
		expect((await logo())?.size).toBe(2 * 1024 * 1024);
	});

	const bad: Array<[string, InputItem[], object, RegExp]> = [
		[
			'[CUST-05] a byte too much',
			file(large(2 * 1024 * 1024 + 1)),
			{},
			/^Logo Field: .*the maximum for a logo is 2 MB/,
		],
		['[CUST-05] a GIF called PNG', file(Buffer.from('GIF89a…')), {}, /neither a JPEG nor a PNG/],
		['[CUST-05] an empty file', file(Buffer.alloc(0)), {}, /^Logo Field: The file .* is empty/],
		[
			'[CUST-06] no file',
			[{}],
			{},
			/no binary field "data". Its binary fields: none\..+ Extract from File /,
		],
		['[CUST-06] another field', file(PNG), { logoField: 'logo' }, /no binary field "logo".*: data/],
		[
			'[CUST-05] no customer',
			file(PNG),
			{ customerId: '={{ "" }}' },
			/^Customer: Choose a customer/,
		],
	];
	it.each(bad)('%s [N] is refused before any request', async (_, items, parameters, message) => {
		const { error } = await setLogo(items, parameters);
		expect(error?.message).toMatch(message);
		expect(await requests(/logo/)).toEqual([]);
	});

	it('[CUST-06][AUTH-06][N] of a customer who is not there', async () => {
		const customerId = '00000000-0000-4000-8000-000000000000';
		for (const { error } of [
			await setLogo(file(PNG), { customerId }),
			await run({ operation: 'deleteLogo', customerId }),
		]) {
			expect(error?.message).toContain('(customer-not-found)');
			expect(error?.description).toContain('Check the customer ID');
		}
	});

	it.each<[string, object]>([
		['a sign-in page', { contentType: 'text/html', body: '<h1>Sign in</h1>' }],
		['another shape', { body: { ok: true } }],
	])('[CUST-05][CUST-07][N] %s is no success, of setting and deleting', async (_, answer) => {
		stub.answer = () => answer;
		const credential = { credential: stub.credential };
		const customerId = '00000000-0000-4000-8000-000000000000';
		for (const { error, items } of [
			await setLogo(file(PNG), { customerId }, credential),
			await run({ operation: 'deleteLogo', customerId }, credential),
		]) {
			expect(items).toEqual([]);
			expect(error?.message).toMatch(/^The service returned an unexpected response/);
		}
	});

	it('[CUST-07][N] is deleted, also when there is none', async () => {
		await setLogo(file(PNG));
		const customerId = await lune();
		for (const former of [true, false]) {
			expect((await logo()) !== null).toBe(former);
			const { items, error } = await run({ operation: 'deleteLogo', customerId });
			expect(error).toBeUndefined();
			expect(items).toEqual([{ json: { customerId, deleted: true }, pairedItem: { item: 0 } }]);
			expect(await logo()).toBeNull();
		}
	});
});

describe('the picker', () => {
	const search = (options = {}) => {
		const registeredDeliveryApi = serviceCredential(sandbox, 'reseller');
		return searchList(new ManageCustomer(), 'searchCustomers', { registeredDeliveryApi }, options);
	};

	it('[CUST-03][N] lists customers with what tells them apart', async () => {
		expect(await search()).toEqual({
			results: [
				{ name: 'Boulangerie Lune (lune@customers.example)', value: await lune() },
				{
					name: 'Garage Soleil (soleil@customers.example, pending)',
					value: expect.any(String),
				},
			],
		});
	});

	it('[CUST-03][N] searches names and addresses over all pages, and goes on page by page', async () => {
		await create(people(...Array.from({ length: 148 }, (_, index) => `customer${index}`)));
		expect((await search({ filter: 'SOLEIL@' })).results).toHaveLength(1);
		expect((await search({ filter: 'customer147' })).results).toHaveLength(1);
		const first = await search();
		expect(first).toMatchObject({ paginationToken: '2', results: { length: 100 } });
		const second = await search({ paginationToken: '2' });
		expect(second.results).toHaveLength(50);
		expect(second.paginationToken).toBeUndefined();
	});
});
