import type { ClaimChange } from '../../../webhook-receiver/src/core/claim-contract.ts';
import { decideClaim } from '../../../webhook-receiver/src/capabilities/claims/decide-claim.ts';

type ClaimRow = NonNullable<Parameters<typeof decideClaim>[0]>;

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
	is_own: false,
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
});
