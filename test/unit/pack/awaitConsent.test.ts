import fc from 'fast-check';

import {
	decideForContact,
	decideForRequest,
	reminderTimes,
} from '../../../nodes/AwaitConsent/decide.ts';
import { consentOutputs } from '../../../nodes/AwaitConsent/awaiting.ts';
import { NewestConsents } from '../../../nodes/shared/consents/newest.ts';
import { routeItems, routeWithoutNews, ownOutcome } from '../../../nodes/shared/waiting/outputs.ts';

const id = '3f2b8c1e-5d7a-4e9b-8a6c-1f0e2d3c4b5a';
const contact = 'ada';
const consent = (state: string) => ({ id, type: 'EMAIL', state, contact });
const known = (outcome: string, status: string) => ({ known: ownOutcome(id, outcome, status) });

describe('what to do about a contact', () => {
	it.each<[string | null, boolean, unknown]>([
		[null, false, 'ask'],
		['PENDING', false, { awaited: { consentId: id, contact } }],
		['PENDING', true, { awaited: { consentId: id, contact } }],
		['ACCEPTED', false, known('accepted', 'ACCEPTED')],
		['ACCEPTED', true, known('accepted', 'ACCEPTED')],
		['REFUSED', false, known('refused', 'REFUSED')],
		['REFUSED', true, 'ask'],
		// The interface does not show all states, and nothing but ACCEPTED is a yes.
		['EXPIRED', false, 'ask'],
		['', false, 'ask'],
	])('[CONS-07][N] newest consent %s, asking again %s', (state, asksAgain, expected) => {
		expect(decideForContact(state === null ? null : consent(state), asksAgain)).toEqual(expected);
	});

	it.each<[string, unknown]>([
		['PENDING', { awaited: { consentId: id, contact } }],
		['ACCEPTED', known('accepted', 'ACCEPTED')],
		['REFUSED', known('refused', 'REFUSED')],
		['EXPIRED', { awaited: { consentId: id, contact } }],
	])('a request of before that is %s', (state, expected) => {
		expect(decideForRequest(consent(state))).toEqual(expected);
	});
});

describe('the newest consent of a contact', () => {
	const customer = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
	const entry = (name: string, change: object) => ({
		id: name,
		type: 'EMAIL',
		state: 'PENDING',
		email: 'ada@example.com',
		sender: null,
		createdAt: '2026-01-31T09:30:00.000Z',
		...change,
	});
	const list = [
		entry('New', { createdAt: '2026-02-01T09:30:00.000Z', email: 'Ada@Example.com ' }),
		entry('old', { state: 'ACCEPTED' }),
		entry('theirs', { sender: customer, state: 'accepted', email: 'ben@example.com' }),
	];

	it('[CONS-07][N] is that of the latest time, whatever the order and the spelling of the address', () => {
		for (const listed of [list, [...list].reverse()]) {
			expect(new NewestConsents(listed).of(' ADA@example.com')).toMatchObject({ id: 'new' });
		}
	});

	it('[CONS-06][N] holds for its sender alone', () => {
		expect(new NewestConsents(list).of('ben@example.com')).toBe(null);
		expect(new NewestConsents(list, customer).of('ben@example.com')).toMatchObject({
			id: 'theirs',
			type: 'EMAIL',
			state: 'ACCEPTED',
		});
	});

	it('[CONS-06][N] holds for no other, though a service that ignores the filter lists it', () => {
		const other = '11111111-7425-40de-944b-e07fc1f90ae7';
		expect(new NewestConsents(list, other).of('ben@example.com')).toBe(null);
		expect(new NewestConsents(list, other).of('ada@example.com')).toBe(null);
		expect(new NewestConsents(list, customer.toUpperCase()).of('ben@example.com')).not.toBe(null);
	});

	it('each is found by its id', () => {
		const consents = new NewestConsents(list);
		expect(['NEW', 'theirs', 'other'].map((one) => consents.withId(one)?.id)).toEqual([
			'new',
			'theirs',
			undefined,
		]);
	});
});

it('reminders come so many days apart, and none at the deadline or later', () => {
	const positive = fc.double({ min: 1e-5, max: 400, noNaN: true });
	fc.assert(
		fc.property(positive, fc.integer({ min: 1, max: 10 }), positive, (days, count, length) => {
			const now = Date.UTC(2026, 0, 31);
			const deadline = now + length * 86_400_000;
			const times = reminderTimes(now, deadline, { days, count });
			expect(times.length).toBeLessThanOrEqual(count);
			expect(
				times.length === count || now + (times.length + 1) * days * 86_400_000 >= deadline,
			).toBe(true);
			for (const [index, time] of times.entries()) {
				expect(time).toBe(now + (index + 1) * days * 86_400_000);
				expect(time).toBeLessThan(deadline);
			}
		}),
	);
});

describe('outputs', () => {
	const waiting = { ids: [[id], ['other']], faults: {}, together: false };

	it('has three outputs', () => {
		expect(consentOutputs.names).toEqual(['Accepted', 'Refused', 'No Answer']);
	});

	it('who had answered before leaves by the answer, whatever comes of the others', () => {
		const all = { ...waiting, known: [ownOutcome(id, 'accepted', 'ACCEPTED')] };
		expect(routeWithoutNews(consentOutputs, all)).toMatchObject([
			{ output: 0, added: { outcome: { consentId: id, outcome: 'accepted' } } },
			{ output: 2, added: { outcome: { consentId: 'other', outcome: 'none' } } },
		]);
		const outcomes = [ownOutcome('other', 'refused', 'REFUSED')];
		const told = routeItems(consentOutputs, all, { outcomes, reason: 'complete' });
		expect(told?.map(({ output }) => output)).toEqual([0, 1]);
	});

	it.each<[string[], number]>([
		[['accepted', 'accepted'], 0],
		[['accepted', 'refused'], 1],
		[['refused', 'none'], 2],
		[['accepted', 'withdrawn'], 2],
	])('together, %j leave by the worst', (names, output) => {
		const outcomes = names.map((name, at) => ownOutcome(waiting.ids[at][0], name, null));
		const all = { ...waiting, known: [], together: true };
		const told = routeItems(consentOutputs, all, { outcomes, reason: 'complete' });
		expect(told?.map((one) => one.output)).toEqual([output, output]);
	});
});
