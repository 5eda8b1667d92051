import { siteProblem, type Sent } from '../../../sandbox/src/http/other-sites.ts';

const rules = {
	host: 'localhost',
	names: ['localhost', '127.0.0.1', '::1'],
	origins: ['http://app.example'],
};
const sent = (changes: Partial<Sent>): Sent => ({
	method: 'GET',
	host: 'localhost:8025',
	origin: undefined,
	site: undefined,
	mode: undefined,
	...changes,
});

it.each<[string, Partial<Sent>]>([
	['a client that is no browser', { method: 'POST' }],
	['its own page', { method: 'POST', origin: 'http://localhost:8025', site: 'same-origin' }],
	['its own page where browsers tell no site', { origin: 'http://localhost:8025' }],
	['an address that is typed in', { site: 'none', mode: 'navigate' }],
	['a link on another site', { site: 'cross-site', mode: 'navigate' }],
	['an origin that is let in', { method: 'PUT', origin: 'http://app.example', site: 'cross-site' }],
])('answers %s', (_, changes) => {
	expect(siteProblem(rules, sent(changes))).toBeNull();
});

it.each<[string, Partial<Sent>]>([
	['another site', { origin: 'http://evil.example', site: 'cross-site' }],
	['another site that reads without an origin', { site: 'cross-site', mode: 'no-cors' }],
	['another program of this machine', { origin: 'http://localhost:3000', site: 'same-site' }],
	['another site where browsers tell no site', { origin: 'http://evil.example' }],
	['a sandboxed page', { origin: 'null' }],
	['a form of another site', { method: 'POST', site: 'cross-site', mode: 'navigate' }],
	['a name it does not know', { host: 'evil.example:8025', site: 'same-origin' }],
	[
		'a name it does not know, of an origin let in',
		{ host: 'evil.example', origin: 'http://app.example' },
	],
])('refuses %s', (_, changes) => {
	expect(siteProblem(rules, sent(changes))).toMatch(/--cors|--name/);
});
