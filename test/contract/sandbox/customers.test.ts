import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { sandboxState } from '../../support/sandbox.ts';
import { call, form, letter, send, type Call } from './client.ts';
import { JPEG, PNG } from './images.ts';

const sandbox = useSandbox({ automatic: false });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UNKNOWN = '00000000-0000-4000-8000-999999999999';

const ask = (path: string, options: Call = {}) =>
	call(sandbox, path, { as: 'reseller', ...options });
const store = (customers: unknown, options: Call = {}) =>
	ask('/customers/bulk_store', { body: { customers }, ...options });
const wanted = (local: string, changes: object = {}) => ({
	name: `Maison ${local}`,
	email: `${local}@customers.example`,
	isPaying: true,
	willSendLre: false,
	...changes,
});
const created = async (local: string): Promise<string> =>
	(await store([wanted(local)])).json.customers[0].id;

describe('POST /customers/bulk_store', () => {
	it('[CUST-01][CUST-04][S] answers 201 with every field of each customer, in order, PENDING', async () => {
		const { status, json } = await store([wanted('a'), wanted('b', { isPaying: false })]);
		expect(status).toBe(201);
		const shown = (local: string, isPaying: boolean) => ({
			...wanted(local, { isPaying }),
			id: expect.stringMatching(UUID),
			state: 'PENDING',
			delegationToken: expect.any(String),
			userId: expect.stringMatching(UUID),
			createdAt: expect.stringMatching(TIME),
			updatedAt: expect.stringMatching(TIME),
		});
		expect(json).toEqual({ customers: [shown('a', true), shown('b', false)] });
	});

	it('[CUST-02][S] one invalid customer: all problems by index, none created, no mail', async () => {
		const { status, json } = await store([
			wanted('a'),
			wanted('b', { email: 'nobody' }),
			{ email: 'c@customers.example', isPaying: 'yes', willSendLre: true },
		]);
		expect([status, json.code]).toEqual([422, 'E_VALIDATION_ERROR']);
		expect(json.message).toEqual(expect.any(String));
		expect(json.data.errors).toEqual([
			{ field: 'customers.1.email', rule: 'email', message: expect.any(String) },
			{ field: 'customers.2.name', rule: 'required', message: expect.any(String) },
			{ field: 'customers.2.isPaying', rule: 'type', message: expect.any(String) },
		]);
		const { customers, mails } = await sandboxState(sandbox);
		expect([customers.length, mails]).toEqual([2, []]);
	});

	it.each([
		['no list', undefined],
		['customers that are none', [null, 1]],
	])('[CUST-02][S] %s is 422 E_VALIDATION_ERROR', async (_title, customers) => {
		const { status, json } = await store(customers);
		expect([status, json.code]).toEqual([422, 'E_VALIDATION_ERROR']);
	});

	it('[CUST-02][S] takes logos by multipart, and one bad logo spoils all', async () => {
		const fields = (logo: Buffer): FormData =>
			form(
				['customers[0].name', 'Maison A'],
				['customers[0].email', 'a@customers.example'],
				['customers[0].isPaying', 'true'],
				['customers[0].willSendLre', 'false'],
				['customers[0].logo', new File([new Uint8Array(logo)], 'logo.png')],
			);
		const bad = await ask('/customers/bulk_store', { body: fields(Buffer.from('no image')) });
		expect([bad.status, bad.json.data.errors[0].field]).toEqual([422, 'customers.0.logo']);
		expect((await sandboxState(sandbox)).customers).toHaveLength(2);
		const good = await ask('/customers/bulk_store', { body: fields(PNG) });
		expect([good.status, good.json.customers[0].isPaying]).toEqual([201, true]);
		const { customers } = await sandboxState(sandbox);
		expect(customers.at(-1)?.logo).toMatchObject({ contentType: 'image/png' });
	});
});

describe('GET /customers', () => {
	it('[CUST-03][S] lists own customers in the pagination envelope, page by page', async () => {
		await store(['a', 'b', 'c'].map((local) => wanted(local)));
		const { status, json } = await ask('/customers?page=2&perPage=2');
		expect(status).toBe(200);
		expect(json.meta).toEqual({ total: 5, perPage: 2, currentPage: 2, lastPage: 3, firstPage: 1 });
		expect(json.data.map(({ name }: { name: string }) => name)).toEqual(['Maison a', 'Maison b']);
		expect(Object.keys(json.data[0]).sort()).toEqual(
			['id', 'name', 'email', 'isPaying', 'willSendLre', 'state', 'delegationToken', 'userId']
				.concat(['createdAt', 'updatedAt'])
				.sort(),
		);
		const beyond = await ask('/customers?page=9&perPage=2');
		expect([beyond.json.data, beyond.json.meta.currentPage]).toEqual([[], 9]);
	});

	it.each(['page=0', 'page=x', 'perPage=0', 'perPage=101', 'state=ASLEEP', 'state='])(
		'[CUST-03][S] %s is 422',
		async (query) => {
			expect((await ask(`/customers?${query}`)).status).toBe(422);
		},
	);
});

it('[CUST-04][SEND-06][S] a message goes out for a customer once it accepts, and no longer once it revokes', async () => {
	const sender = await created('a');
	const outcome = async () => {
		const { status, json } = await send(sandbox, letter({ sender }), { as: 'reseller' });
		return `${status} ${json.code ?? ''}`;
	};
	expect(await outcome()).toBe('422 customer-not-registered');
	await sandbox.control('POST /customers/{id}/{answer}', { id: sender, answer: 'accept' });
	expect(await outcome()).toBe('201 ');
	await sandbox.control('POST /customers/{id}/{answer}', { id: sender, answer: 'revoke' });
	expect(await outcome()).toBe('422 customer-not-registered');
	const again = sandbox.control('POST /customers/{id}/{answer}', { id: sender, answer: 'accept' });
	await expect(again).rejects.toMatchObject({ status: 409 });
});

describe('logos', () => {
	const put = (id: string, body: unknown, options: Call = {}) =>
		ask(`/customers/${id}/logo`, { method: 'PUT', body, ...options });
	const image = (bytes: Buffer, name: string) =>
		form(['logo', new File([new Uint8Array(bytes)], name)]);

	it.each([
		['PNG', PNG, 'image/png'],
		['JPEG', JPEG, 'image/jpeg'],
	])('[CUST-05][S] takes %s and gives its address', async (_title, bytes, contentType) => {
		const id = await created('a');
		const { status, json } = await put(id, image(bytes, 'logo.jpg'));
		expect([status, json]).toEqual([200, { logoUrl: expect.stringMatching(/^https:/) }]);
		const shown = await call(sandbox, json.logoUrl, { as: null });
		expect([shown.status, shown.headers['content-type']]).toEqual([200, contentType]);
		expect(shown.bytes.equals(bytes)).toBe(true);
	});

	it('[CUST-05][S] takes 2 MB, and refuses a byte more and what is no JPEG or PNG', async () => {
		const id = await created('a');
		const sized = (size: number) =>
			image(Buffer.concat([PNG, Buffer.alloc(size - PNG.length)]), 'a');
		const limit = 2 * 1024 * 1024;
		expect((await put(id, sized(limit))).status).toBe(200);
		for (const [body, rule] of [
			[sized(limit + 1), 'maxSize'],
			[image(Buffer.from('GIF89a'), 'logo.png'), 'mimes'],
			[image(Buffer.alloc(0), 'logo.png'), 'mimes'],
		] as const) {
			const { status, json } = await put(id, body);
			expect([status, json.data.errors[0]]).toEqual([
				422,
				{ field: 'logo', rule, message: expect.any(String) },
			]);
		}
	});

	it.each([
		['an empty form', () => form(['other', 'x'])],
		['text in place of the file', () => form(['logo', 'x'])],
		['JSON', () => ({})],
	])('[CUST-06][S] %s is 400 customer-logo-required', async (_title, body) => {
		const { status, json } = await put(await created('a'), body());
		expect([status, json]).toEqual([
			400,
			{ code: 'customer-logo-required', message: expect.any(String) },
		]);
	});

	it.each([UNKNOWN, 'no-uuid'])('[CUST-06][S] an unknown customer (%s) is 404', async (id) => {
		const answers = [
			await put(id, image(PNG, 'logo.png')),
			await ask(`/customers/${id}/logo`, { method: 'DELETE' }),
		];
		for (const { status, json } of answers)
			expect([status, json.code]).toEqual([404, 'customer-not-found']);
	});

	it('[CUST-05][CUST-07][S] several at once each get an answer of their own', async () => {
		const id = await created('a');
		await put(id, image(PNG, 'logo.png'));
		const remove = () => ask(`/customers/${id}/logo`, { method: 'DELETE' });
		for (let time = 0; time < 10; time++) {
			const puts = Array.from({ length: 3 }, () => put(id, image(PNG, 'logo.png')));
			const [answers] = await Promise.all([Promise.all(puts), remove(), remove()]);
			const urls = answers.map(({ json }) => json.logoUrl);
			expect(new Set(urls).size).toBe(3);
			for (const url of urls) expect(url).toMatch(/\/[\da-f-]{36}$/);
		}
	});
});

it('[CUST-03][CUST-06][S] one account’s customers do not exist for another', async () => {
	const sent = await send(sandbox, letter({ sender: await created('a') }), { as: 'direct' });
	expect([sent.status, sent.json.code]).toEqual([422, 'customer-not-found']);
});

it('[CUST-08][AUTH-01][AUTH-04][S] all of it is for resellers with a token alone', async () => {
	const id = await created('a');
	const calls: Array<[string, Call]> = [
		['/customers/bulk_store', { body: { customers: [wanted('b')] } }],
		['/customers', {}],
		[`/customers/${id}/logo`, { method: 'PUT' }],
		[`/customers/${id}/logo`, { method: 'DELETE' }],
	];
	for (const [path, options] of calls) {
		const direct = await ask(path, { ...options, as: 'direct' });
		expect([path, direct.status, direct.json.code]).toEqual([path, 403, 'forbidden']);
		const nobody = await ask(path, { ...options, as: null });
		expect([path, nobody.status, nobody.json.code]).toEqual([path, 401, 'unauthorized']);
	}
});
