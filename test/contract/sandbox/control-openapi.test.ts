// The description of the control API as it is served: what it promises the typed client, and answers held to it.
import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { AnswerSchemas, pointerOf } from './answer-schemas.ts';
import { sendOne } from './client.ts';

interface Operation {
	parameters?: Array<{ name: string; in: string }>;
	requestBody?: { content: Record<string, { schema: { properties?: object } }> };
	responses: Record<string, { content: Record<string, object> }>;
}
type Described = Record<string, Record<string, Operation>>;

const sandbox = useSandbox({ automatic: false, examples: true });

const described = async () => await sandbox.control('GET /control-openapi.json');
const pathsOf = async () => (await described()).paths as Described;

it('no name means two things, and what has a body has no query', async () => {
	for (const [path, operations] of Object.entries(await pathsOf()))
		for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
			const members = requestBody?.content['application/json'].schema.properties ?? {};
			const names = [...parameters.map(({ name }) => name), ...Object.keys(members)];
			expect([path, method, new Set(names).size]).toEqual([path, method, names.length]);
			const hasQuery = parameters.some((one) => one.in === 'query');
			const isAsking = method === 'get' || method === 'delete';
			expect([path, method, isAsking ? requestBody : hasQuery || undefined]).toEqual([
				path,
				method,
				undefined,
			]);
		}
});

it('answers are as described', async () => {
	const id = await sendOne(sandbox, { type: 'AES' });
	await fetch(`${sandbox.pageUrl}/_sandbox/messages/${id}/deliver`, { method: 'POST' });
	const schemas = new AnswerSchemas(await described());
	const ask = async (path: string, method = 'get', body?: object, place = path) => {
		const answer = await fetch(sandbox.pageUrl + place, {
			method: method.toUpperCase(),
			headers: { 'content-type': 'application/json' },
			body: body && JSON.stringify(body),
		});
		const what = `${method} ${place} ${answer.status}`;
		schemas.check(pointerOf(path, method, answer.status), await answer.json(), what);
	};
	for (const [path, { get }] of Object.entries(await pathsOf()))
		if (get?.responses[200].content['application/json'] && !path.includes('{')) await ask(path);
	const own = '/_sandbox';
	await ask(`${own}/messages/{id}/{trigger}`, 'post', {}, `${own}/messages/${id}/open`);
	await ask(`${own}/messages/{id}/{trigger}`, 'post', {}, `${own}/messages/${id}/accept`);
	await ask(`${own}/letters`, 'post', { letters: [{ type: 'LS', email: 'ada@mail.example' }] });
	await ask(`${own}/faults`, 'post', { faults: [{ fault: { kind: 'cutAfter' } }] });
	await ask(`${own}/faults`, 'post', { faults: [] });
	await ask(`${own}/webhooks`, 'put', { webhooks: [{ url: 'http://localhost:9/', secret: 's' }] });
	await ask(`${own}/reset`, 'post', {});
});
