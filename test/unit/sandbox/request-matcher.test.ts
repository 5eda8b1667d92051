import fc from 'fast-check';
import {
	isMatch,
	LITERAL_PATHS,
	matchesPath,
	mayMatch,
	matcherShape,
	type MatchableRequest,
} from '../../../sandbox/src/http/request-matcher.ts';
import { OPERATIONS } from '../../../sandbox/src/openapi/openapi-operations.ts';

const SEEN: MatchableRequest = {
	method: 'POST',
	path: '/messages/bulk_send',
	account: 'reseller',
	addresses: [],
	body: {
		type: 'LS',
		fileReference: 'INVOICE-7',
		includeSenderLogo: true,
		recipients: [{ email: 'ada@mail.example' }, { email: 'firm@mail.example', company: 'Engines' }],
	},
};

it('the literal paths are those of the interface', () => {
	const literal = OPERATIONS.map(({ path }) => path).filter((path) => !path.includes('{'));
	expect([...LITERAL_PATHS].sort()).toEqual([...new Set(literal)].sort());
});

it('each path of the interface matches its own requests, and those of no other', () => {
	const id = fc.stringMatching(/^[0-9a-f-]{1,36}$/);
	fc.assert(
		fc.property(fc.constantFrom(...OPERATIONS), id, ({ path }, name) => {
			const asked = path.replaceAll(/\{\w+\}/g, name);
			const matching = OPERATIONS.filter((one) => matchesPath(one.path, asked));
			expect(new Set(matching.map((one) => one.path))).toEqual(new Set([path]));
		}),
	);
});

it.each([
	['/messages/*', true],
	['/messages/{id}', false],
	['/messages/bulk_send', true],
	['/*/bulk_send', true],
	['/messages', false],
])('/messages/bulk_send is at %s: %s', (pattern, matches) => {
	expect(matchesPath(pattern, '/messages/bulk_send')).toBe(matches);
});

it.each<[string, object, boolean]>([
	['nothing said', {}, true],
	['its account', { account: 'reseller' }, true],
	['another account', { account: 'direct' }, false],
	['one of its recipients, whatever the case', { recipient: 'FIRM@mail.example' }, true],
	['somebody else', { recipient: 'bob@mail.example' }, false],
	['a member', { body: { type: 'LS' } }, true],
	['a member of an entry', { body: { 'recipients.company': 'Engines' } }, true],
	['a flag', { body: { includeSenderLogo: true } }, true],
	['two members, one of them another', { body: { type: 'LS', fileReference: 'x' } }, false],
	['a member that is not there', { body: { 'type.length': 2 } }, false],
	['a member of Object', { body: { 'constructor.name': 'Object' } }, false],
	['all of it', { method: 'POST', account: 'reseller', body: { type: 'LS' } }, true],
	['another method', { method: 'GET', body: { type: 'LS' } }, false],
])('aimed at %s', (_title, place, matches) => {
	expect(isMatch(place, SEEN)).toBe(matches);
});

it('a message in its path gives it a recipient', () => {
	const reading = { method: 'GET', path: '/messages/1', account: null, body: undefined };
	const place = { recipient: 'ada@mail.example' };
	expect(isMatch(place, { ...reading, addresses: ['Ada@mail.example'] })).toBe(true);
	expect(isMatch(place, { ...reading, addresses: [] })).toBe(false);
});

it('what is aimed into the body waits for it, where the rest fits', () => {
	const unread = { ...SEEN, body: undefined };
	expect(mayMatch({ body: { type: 'LRE' } }, unread)).toBe(true);
	expect(mayMatch({ recipient: 'ada@mail.example' }, unread)).toBe(true);
	expect(mayMatch({ account: 'direct', body: { type: 'LRE' } }, unread)).toBe(false);
	expect(mayMatch({ path: '/messages/bulk_send' }, unread)).toBe(false);
	expect(Object.keys(matcherShape)).toEqual(['method', 'path', 'account', 'recipient', 'body']);
});
