import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { call } from './client.ts';
import { checkAnswer, description } from './described.ts';

const sandbox = useSandbox();

it('the committed description is what is served: run `npm run openapi` in sandbox/ otherwise', async () => {
	expect(await sandbox.control('GET /openapi.json')).toEqual(description);
	const { json } = await call(sandbox, '/_sandbox/openapi.json', { as: null });
	expect(json).toEqual(description);
});

describe('the check that every test’s answers go through', () => {
	const headers = { 'content-type': 'application/json; charset=utf-8' };
	const answer = (status: number, json: unknown) => ({
		status,
		headers,
		json,
		bytes: Buffer.from(JSON.stringify(json)),
	});
	const id = '000000000001';

	it.each([
		['a member too many', 200, { id, status: 'SENT', evidences: [], type: 'LS' }],
		['a member too few', 200, { id, status: 'SENT' }],
		['an id of another form', 200, { id: 1, status: 'SENT', evidences: [] }],
		['a status that is not described', 500, { message: 'x', code: 'y' }],
		['an error without a code', 404, { message: 'x' }],
	])('refuses %s', (_title, status, json) => {
		expect(() => checkAnswer('GET', `/messages/${id}`, answer(status, json))).toThrow();
	});
});
