import type { ClaimChange } from '../../../webhook-receiver/src/core/claim-contract.ts';
import {
	decideClaim,
	toClaim,
	withoutLetters,
} from '../../../webhook-receiver/src/claim/decide-claim.ts';
import type { ClaimRow } from '../../../webhook-receiver/src/claim/decide-claim.ts';

const NOW = Date.UTC(2026, 0, 31, 9, 30);
const ME = 'me-0000000000000';
const YOU = 'you-000000000000';

const row = (more: Partial<ClaimRow>): ClaimRow => ({
	state: 'leaving',
	holder: ME,
	name: 'invoice 7',
	used_for: null,
	answer: null,
	reason: null,
	lease_until: NOW + 1,
	updated_at: NOW - 5_000,
	...more,
});
const leaving = row({});
const lapsed = row({ lease_until: NOW });
const unknown = row({ state: 'unknown', reason: 'cut off', lease_until: null });
const sent = row({ state: 'sent', answer: '{"id":"1"}', lease_until: null });

const claim = (holder: string, more: object = {}): ClaimChange => ({
	state: 'leaving',
	holder,
	leaseSeconds: 60,
	takeUnknown: false,
	...more,
});
const settle = (holder: string): ClaimChange => ({ state: 'sent', holder, answer: { id: '2' } });
const doubt = (holder: string): ClaimChange => ({ state: 'unknown', holder, reason: 'no answer' });
const free = (holder: string): ClaimChange => ({ state: 'free', holder });
const taking = { takeUnknown: true };

const claimedBy = (holder: string, more: object = {}) => ({
	state: 'leaving',
	holder,
	answer: null,
	lease_until: NOW + 60_000,
	updated_at: NOW,
	...more,
});
const settledBy = (holder: string, name: string | null) => ({
	state: 'sent',
	holder,
	name,
	answer: '{"id":"2"}',
	reason: null,
	lease_until: null,
});
const doubtedBy = (holder: string) => ({
	state: 'unknown',
	holder,
	answer: null,
	reason: 'no answer',
	lease_until: null,
});

it.each<[string, ClaimRow | null, ClaimChange, object | null]>([
	[
		'a key that nobody knows is claimed',
		null,
		claim(ME, { name: 'n' }),
		claimedBy(ME, { name: 'n' }),
	],
	['asked again by its holder', leaving, claim(ME), claimedBy(ME, { name: 'invoice 7' })],
	['asked again too late, but by its holder', lapsed, claim(ME), claimedBy(ME)],
	['a later name counts', leaving, claim(ME, { name: 'n' }), claimedBy(ME, { name: 'n' })],
	[
		'one that is unknown, taken',
		unknown,
		claim(YOU, taking),
		claimedBy(YOU, { reason: 'cut off' }),
	],
	[
		'one that went silent, taken',
		lapsed,
		claim(YOU, taking),
		claimedBy(YOU, { name: 'invoice 7' }),
	],
	['sent', leaving, settle(ME), settledBy(ME, 'invoice 7')],
	['sent, said too late', lapsed, settle(ME), settledBy(ME, 'invoice 7')],
	['sent after all', unknown, settle(ME), settledBy(ME, 'invoice 7')],
	['sent, of a lost database', null, settle(ME), settledBy(ME, null)],
	['unknown', leaving, doubt(ME), doubtedBy(ME)],
	['unknown, said too late', lapsed, doubt(ME), doubtedBy(ME)],
	['unknown for another reason', unknown, doubt(ME), doubtedBy(ME)],
	['unknown, of a lost database', null, doubt(ME), doubtedBy(ME)],
	['released', leaving, free(ME), null],
	['released late', lapsed, free(ME), null],
	['released, of a lost database', null, free(ME), null],
	[
		'released after it was taken over: the earlier attempt is unknown again, and nobody’s',
		row({ reason: 'cut off' }),
		free(ME),
		{ state: 'unknown', holder: null, reason: 'cut off', lease_until: null, updated_at: NOW },
	],
])('changes: %s', (_, before, change, after) => {
	const next = decideClaim(before, change, NOW);
	if (after === null) expect(next).toBeNull();
	else expect(next).toMatchObject(after);
});

it.each<[string, ClaimRow, ClaimChange]>([
	['one that another holds', leaving, claim(YOU)],
	['one that another holds, whatever is asked', leaving, claim(YOU, taking)],
	['one that went silent', lapsed, claim(YOU)],
	['one that is unknown', unknown, claim(YOU)],
	['an unknown one of one’s own', unknown, claim(ME)],
	['an unknown one of one’s own, whatever is asked', unknown, claim(ME, taking)],
	['what was sent', sent, claim(YOU, taking)],
	['what one has sent', sent, claim(ME, taking)],
	['what was sent, by another settlement', sent, settle(ME)],
	['what was sent, by doubt', sent, doubt(ME)],
	['what was sent, by release', sent, free(ME)],
	['what another holds, by settlement', leaving, settle(YOU)],
	['what another let lapse, by settlement', lapsed, settle(YOU)],
	['what another holds, by doubt', leaving, doubt(YOU)],
	['what another holds, by release', leaving, free(YOU)],
	['what is unknown, by release', unknown, free(ME)],
])('leaves alone: %s', (_, before, change) => {
	expect(decideClaim(before, change, NOW)).toBe(before);
});

describe('a key that is unknown, taken over', () => {
	const usedFor = {
		service: 'https://service.example',
		accounts: ['digest-of-account'],
		sender: null,
		type: 'LS',
		recipients: 'digest-of-recipients',
		to: 'a@x.example',
	};
	const before = row({ ...unknown, used_for: JSON.stringify(usedFor) });
	const take = (use: object | null) =>
		decideClaim(before, claim(YOU, { ...taking, usedFor: use }), NOW);

	it('is given for the same letter, and keeps what it was used for', () => {
		const used_for = JSON.stringify(usedFor);
		expect(take({ ...usedFor, to: 'A@x.example' })).toMatchObject(claimedBy(YOU, { used_for }));
		expect(take(null)).toMatchObject(claimedBy(YOU, { used_for }));
	});

	it('is not given for another', () => {
		expect(take({ ...usedFor, type: 'LRE' })).toBe(before);
	});

	it('names nobody any more once the letter is erased', () => {
		const sentOne = {
			...before,
			state: 'sent',
			answer: '{"messageId":"000000000001"}',
		} as ClaimRow;
		const { used_for } = withoutLetters(sentOne, ['000000000001']);
		expect(JSON.parse(used_for ?? '')).toEqual({
			...usedFor,
			to: 'somebody whose letter was erased',
		});
	});
});

describe('what is told', () => {
	const told = (of: ClaimRow | null, asker: string | null) => toClaim('k', of, { asker, now: NOW });
	const plain = {
		key: 'k',
		name: 'invoice 7',
		usedFor: null,
		answer: null,
		reason: null,
		leaseUntil: null,
	};
	const updatedAt = '2026-01-31T09:29:55.000Z';

	it.each<[string, ClaimRow, string | null, object]>([
		[
			'held, to its holder',
			leaving,
			ME,
			{ state: 'leaving', mine: true, leaseUntil: '2026-01-31T09:30:00.001Z' },
		],
		[
			'held, to another',
			leaving,
			YOU,
			{ state: 'leaving', mine: false, leaseUntil: '2026-01-31T09:30:00.001Z' },
		],
		[
			'gone silent, to its holder',
			lapsed,
			ME,
			{ state: 'leaving', mine: true, leaseUntil: '2026-01-31T09:30:00.000Z' },
		],
		[
			'gone silent, to another',
			lapsed,
			YOU,
			{ state: 'unknown', mine: false, reason: expect.stringMatching(/^An earlier execution/) },
		],
		[
			'gone silent, to an operator',
			lapsed,
			null,
			{ state: 'unknown', mine: false, reason: expect.stringMatching(/^An earlier execution/) },
		],
		['unknown', unknown, YOU, { state: 'unknown', mine: false, reason: 'cut off' }],
		['sent', sent, YOU, { state: 'sent', mine: false, answer: { id: '1' } }],
		[
			'sent, whatever was unknown before',
			{ ...sent, reason: 'an older one' },
			ME,
			{ state: 'sent', mine: true, answer: { id: '1' } },
		],
		[
			'nobody’s',
			{ ...sent, holder: null },
			null,
			{ state: 'sent', mine: false, answer: { id: '1' } },
		],
		[
			'taken over',
			row({ reason: 'cut off' }),
			YOU,
			{ state: 'leaving', mine: false, leaseUntil: '2026-01-31T09:30:00.001Z' },
		],
	])('%s', (_, of, asker, expected) => {
		expect(told(of, asker)).toEqual({ ...plain, updatedAt, ...expected });
	});

	it('free', () => {
		const nothing = {
			name: null,
			usedFor: null,
			answer: null,
			reason: null,
			leaseUntil: null,
			updatedAt: null,
		};
		expect(told(null, ME)).toEqual({ key: 'k', state: 'free', mine: false, ...nothing });
	});
});

describe('a letter that is erased', () => {
	const [ONE, TWO, THREE] = ['000000000001', '000000000002', '000000000003'];
	const answered = (answer: object | null) =>
		row({ state: 'sent', lease_until: null, answer: answer && JSON.stringify(answer) });
	const left = (answer: object, ...ids: string[]) => {
		const { answer: rest, name, ...others } = withoutLetters(answered(answer), ids);
		expect(name).toBeNull();
		expect({ ...others, answer: '', name: '' }).toEqual({ ...answered({}), answer: '', name: '' });
		return JSON.parse(rest ?? '') as unknown;
	};
	const messages = (...ids: string[]) => ids.map((id) => ({ id, email: `${id}@example.com` }));
	const ERASED = { erased: true };

	it.each<[string, object | null]>([
		['was not sent yet', null],
		['is about others', { messageId: TWO, messages: messages(TWO) }],
	])('leaves a key alone that %s', (_, answer) => {
		const before = answered(answer);
		expect(withoutLetters(before, [ONE])).toBe(before);
		expect(withoutLetters(before, [])).toBe(before);
	});

	it.each<[string, object, string[], unknown]>([
		['alone in its answer', { messageId: ONE, messages: messages(ONE) }, [ONE], ERASED],
		[
			'among others',
			{ total: 3, messages: messages(ONE, TWO) },
			[ONE],
			{ total: 3, messages: messages(TWO) },
		],
		[
			'two of three',
			{ messages: messages(ONE, TWO, THREE) },
			[ONE, THREE],
			{ messages: messages(TWO) },
		],
		[
			'one of two that are asked for',
			{ messages: messages(ONE, TWO) },
			[ONE, THREE],
			{ messages: messages(TWO) },
		],
		['all of them', { total: 2, messages: messages(ONE, TWO) }, [ONE, TWO], ERASED],
		['a list of ids', { ids: [ONE, TWO] }, [ONE], { ids: [TWO] }],
		['a list of ids that has no other', { ids: [ONE], more: [TWO] }, [ONE], ERASED],
		[
			'a list deep inside',
			{ a: { b: [{ c: messages(ONE, TWO) }] } },
			[ONE],
			{ a: { b: [{ c: messages(TWO) }] } },
		],
		[
			'beside what is no letter',
			{ list: [null, 7, [ONE, 'x'], ONE] },
			[ONE],
			{ list: [null, 7, ['x']] },
		],
		['named outside of any list', { first: ONE, messages: messages(ONE, TWO) }, [ONE], ERASED],
		['named in a text', { note: `It is ${ONE}.`, messages: messages(TWO) }, [ONE], ERASED],
		['named in one of two texts', { note: `It is ${ONE}.` }, [TWO, ONE], ERASED],
	])('%s', (_, answer, ids, rest) => {
		expect(left(answer, ...ids)).toEqual(rest);
	});
});
