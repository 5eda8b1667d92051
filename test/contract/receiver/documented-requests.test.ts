// The examples of the interface, played from top to bottom as they stand there; each request of its table has one.
import { read, rows } from '../pack/documents.ts';
import { examplesOf, Shown } from '../../support/documented-examples.ts';
import { ManualClock, TOKEN, cleanUp, signed, start } from './harness.ts';
import { pollService } from './watching/service.ts';

afterEach(cleanUp);

const page = read('webhook-receiver/docs/api.md');
const SERVICE = 'https://api.delivery.example';

/** Probes, and what curl fetches to a file. */
const WITHOUT_EXAMPLE = ['GET /backup', 'HEAD /events', 'OPTIONS /events', 'OPTIONS /readyz'];

/** A method alone is one of the next path. */
function documented(): string[] {
	return rows(page, 'request').flatMap(({ request }) => {
		const all = [...request.matchAll(/`([A-Z]+)(?: ([^\s`]+))?`/g)];
		return all.map(([, method = '', path], place) => {
			const named = path ?? all.slice(place).find(([, , next]) => next !== undefined)?.[2];
			return `${method} ${named?.replace(/\?.*/, '')}`;
		});
	});
}

it('every example is answered as it shows', async () => {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	for (const id of ['000000004712', '000000004714']) service.messages.set(id, { status: 'SENT' });
	const receiver = await start({ env: service.env(), dependencies: { clock } });
	const shown = new Shown();
	for (const { method, path, body, status, answer } of examplesOf(page)) {
		const text = shown.asHere(body).replaceAll(SERVICE, service.url);
		const headers = {
			'content-type': 'application/json',
			...(method === 'POST' && path === '/events'
				? signed(text, clock.now())
				: { authorization: `Bearer ${TOKEN}` }),
		};
		const init = { method, headers, ...(text !== '' && { body: text }) };
		const found = await fetch(`${receiver.url}${shown.asHere(path)}`, init);
		const difference = answer === '' ? null : shown.difference(answer, await found.text());
		expect([method, path, found.status, difference]).toEqual([method, path, status, null]);
		clock.advance(10_000);
		await receiver.atRest();
	}
});

it('every request of the table has an example, and no other has', () => {
	const routes = documented();
	expect(routes.length).toBeGreaterThan(40);
	const routeOf = (asked: string) => {
		const fits = (route: string) =>
			new RegExp(`^${route.replace(/\{\w+\}/, '[^/]+')}$`).test(asked) ? route : undefined;
		return routes.find((route) => route === asked) ?? routes.find(fits) ?? asked;
	};
	const shown = examplesOf(page).map(({ method, path }) =>
		routeOf(`${method} ${path.replace(/\?.*/, '')}`),
	);
	const all = routes.filter((route) => !WITHOUT_EXAMPLE.includes(route));
	expect([...new Set(shown)].sort()).toEqual([...new Set(all)].sort());
});
