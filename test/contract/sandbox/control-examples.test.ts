// The examples of the control API's page, played from top to bottom as they stand there; each call has one.
import { examplesOf, Shown } from '../../support/documented-examples.ts';
import { serve, type HttpServer } from '../../support/http-server.ts';
import { read } from '../pack/documents.ts';
import { ownSandbox } from './own.ts';

const page = read('sandbox/docs/control-api.md');
const HOOK = 'http://localhost:8080';

/** A stream has no end. */
const WITHOUT_EXAMPLE = ['GET /_sandbox/events'];

let hook: HttpServer;
beforeAll(async () => {
	hook = await serve((_request, response) => void response.end('{}'));
});
afterAll(() => hook.close());

it('every example is answered as it shows', async () => {
	const sandbox = await ownSandbox();
	const bob = { email: 'bob@mail.example', firstname: 'Bob', lastname: 'Martin' };
	await sandbox.as('direct')('POST /consents/bulkStore', { type: 'EMAIL', recipients: [bob] });
	const shown = new Shown();
	for (const { method, path, body, status, answer } of examplesOf(page)) {
		const headers = { 'content-type': 'application/json' };
		const text = shown.asHere(body).replaceAll(HOOK, hook.url);
		const init = { method, headers, ...(text !== '' && { body: text }) };
		const found = await fetch(sandbox.pageUrl + shown.asHere(path), init);
		const said = (await found.text()).replaceAll(hook.url, HOOK);
		const difference = shown.difference(answer, said);
		expect([method, path, found.status, difference]).toEqual([method, path, status, null]);
	}
});

it('every call of the description has an example', async () => {
	const { pageUrl } = await ownSandbox();
	const { paths } = (await (await fetch(`${pageUrl}/_sandbox/control-openapi.json`)).json()) as {
		paths: Record<string, object>;
	};
	const calls = Object.entries(paths).flatMap(([path, methods]) =>
		Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
	);
	expect(calls.length).toBeGreaterThan(20);
	const shown = examplesOf(page).map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
	const missing = calls
		.filter((call) => !WITHOUT_EXAMPLE.includes(call))
		.filter((call) => {
			const form = new RegExp(`^${call.replace(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`);
			return !shown.some((one) => form.test(one));
		});
	expect(missing).toEqual([]);
});
