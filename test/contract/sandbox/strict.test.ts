// How strict the sandbox is; the rows of its README on where the interface is silent.
import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { accountOf, call, letter, send } from './client.ts';

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

describe('--strict', () => {
	const misspelt: Array<[string, string, unknown, string[]]> = [
		['JSON', '/messages/bulk_send', letter({ filereference: 'x' }), ['filereference']],
		[
			'a recipient',
			'/messages/bulk_send',
			letter({ recipients: [{ email: 'a@b.de', firstName: 'A', firstname: 'A', lastname: 'B' }] }),
			['recipients.0.firstName'],
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

	it.each(['/consents?perpage=5', '/customers?sort=name'])('%s: names it', async (path) => {
		const { status, json } = await call(strict, path, { as: 'reseller' });
		expect([status, json.data.errors[0].rule]).toEqual([422, 'unknown']);
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
		const state = await lenient.control('GET /state');
		expect(state.messages.at(-1)?.sender).toBeNull();
	});

	it('[AUTH-01][S] a certificate replaces no token, for reading either', async () => {
		const [{ id }] = (await send(lenient, letter())).json.messages;
		const { certificate, key } = accountOf(lenient, 'direct');
		if (!certificate || !key) throw new Error('The account has no certificate.');
		const shown = { as: null, certificate: { certificate, key } };
		const answer = await call(lenient, `/messages/${id}`, shown);
		expect([answer.status, answer.json.code]).toEqual([401, 'unauthorized']);
	});
});
