// What is decided about consents and customers: kinds of event, who wants them, what an answer of the
// service means, which answer counts for a consent.
import { kindOfState } from '../../../webhook-receiver/src/core/event-kinds.ts';
import { isWanted, listsWanted } from '../../../webhook-receiver/src/core/match.ts';
import { outcomeOf } from '../../../webhook-receiver/src/core/outcome.ts';
import { wantsSchema } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { WELL, afterAnswer } from '../../../webhook-receiver/src/watch/health.ts';
import { readEntry } from '../../../webhook-receiver/src/core/list-entry.ts';
import { listRest, wantedPoll } from '../../../webhook-receiver/src/watch/pace.ts';
import { understandListPage } from '../../../webhook-receiver/src/watch/service.ts';

const ID = '3f1c6c0e-8b7a-4a5e-9a56-0e4b8f2d7c11';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('[CONS-07][CUST-04] the event that a state stands for', () => {
	it.each([
		['consents', 'ACCEPTED', 'consent.accepted', 'ACCEPTED', true],
		['consents', 'refused', 'consent.refused', 'REFUSED', true],
		['customers', 'ACCEPTED', 'customer.accepted', 'ACCEPTED', false],
		['customers', 'REFUSED', 'customer.refused', 'REFUSED', true],
		['customers', 'REVOKED', 'customer.revoked', 'REVOKED', true],
		['customers', 'CANCELLED', 'customer.cancelled', 'CANCELLED', true],
		// One that only the other list has, and one that nobody knows.
		['consents', 'REVOKED', 'unknown', 'REVOKED', false],
		['consents', 'Withdrawn', 'unknown', 'Withdrawn', false],
		['customers', 'SUSPENDED', 'unknown', 'SUSPENDED', false],
	] as const)('%s: %s is %s', (list, state, type, status, terminal) => {
		expect(kindOfState(list, state)).toMatchObject({ type, status, terminal });
	});

	it.each(['consents', 'customers'] as const)('%s: PENDING is none', (list) => {
		expect(kindOfState(list, 'PENDING')).toBe(null);
	});
});

describe('[EVNT-02] who wants them', () => {
	const none = { messageType: null, fileReference: null, customerReference: null };
	const consent = { ...none, type: 'consent.accepted', status: 'ACCEPTED', consentId: ID } as const;
	const odd = { ...none, type: 'unknown', status: 'SUSPENDED', customerId: ID } as const;
	const letter = { ...none, type: 'letter.accepted', status: 'ACCEPTED' } as const;
	const lre = { ...letter, messageType: 'LRE' } as const;
	type Offered = Parameters<typeof isWanted>[1];

	it.each<[string, string[], object | undefined, Offered, boolean]>([
		['any event', ['*'], undefined, consent, true],
		['any event, of a state of unknown name too', ['*'], {}, odd, true],
		['its name', ['consent.accepted'], undefined, consent, true],
		['another name', ['consent.refused'], undefined, consent, false],
		['any event of a message type', ['*'], { messageTypes: ['LRE'] }, consent, false],
		[
			'any event of a status that letters have too',
			['*'],
			{ statuses: ['ACCEPTED'] },
			consent,
			false,
		],
		[
			'its name, beside letters of a type',
			['consent.accepted'],
			{ messageTypes: ['LRE'] },
			consent,
			true,
		],
		[
			'any event of a type and its name',
			['*', 'consent.accepted'],
			{ messageTypes: ['LRE'] },
			consent,
			true,
		],
		[
			'letters of a type, beside its name',
			['letter.accepted', 'consent.accepted'],
			{ messageTypes: ['LRE'] },
			letter,
			false,
		],
		[
			'letters of a type',
			['letter.accepted', 'consent.accepted'],
			{ messageTypes: ['LRE'] },
			lre,
			true,
		],
	])('%s', (_, events, filter, event, expected) => {
		const wants = wantsSchema.parse({ events, filter });
		expect(isWanted(wants, event)).toBe(expected);
	});

	it.each<[string[], object | undefined, string[]]>([
		[['*'], undefined, ['consents', 'customers']],
		[['*'], {}, ['consents', 'customers']],
		[['*'], { fileReference: 'F' }, []],
		[['*', 'customer.revoked'], { fileReference: 'F' }, ['customers']],
		[['consent.refused', 'letter.sent'], undefined, ['consents']],
		[['letter.sent', 'receiver.attention'], undefined, []],
	])('%j with the filter %j has watched: %j', (events, filter, lists) => {
		expect(listsWanted(wantsSchema.parse({ events, filter }))).toEqual(lists);
	});
});

describe('an entry of a list', () => {
	const consent = {
		id: ID.toUpperCase(),
		type: 'LINK',
		state: 'PENDING',
		email: ' Anna@Example.org',
		firstName: 'Anna',
		lastName: 'Blau',
		sender: null,
		createdAt: '2026-01-05T09:00:00.000Z',
		consentUrl: 'https://service.example/answer?for=anybody',
	};

	it('is read without what opens something to whoever has it', () => {
		const entry = readEntry({ ...consent, delegationToken: 'secret' });
		expect(entry).toMatchObject({ id: ID, state: 'PENDING', createdAt: Date.UTC(2026, 0, 5, 9) });
		expect(JSON.stringify(entry)).not.toMatch(/anybody|secret/);
		expect(readEntry({ ...consent, createdAt: null })?.createdAt).toBeNull();
		expect(entry?.raw).toMatchObject({ id: ID.toUpperCase(), email: ' Anna@Example.org' });
	});

	it('[CONS-07] a contact is who, where and for whom; case, blanks and the spelling of an address make no other', () => {
		const contactOf = (more: object) => readEntry({ ...consent, ...more })?.contact;
		const own = contactOf({});
		expect(contactOf({ id: 'other', email: 'anna@example.org', lastName: 'BLAU ' })).toBe(own);
		for (const other of [
			{ email: 'b@example.org' },
			{ sender: ID },
			{ firstName: 'Otto' },
			{ lastName: 'Rot' },
			{ company: 'Rot' },
			{ identifier: '123456789' },
		]) {
			expect(contactOf(other)).not.toBe(own);
		}
		expect(contactOf({ email: 'zoë@bücher.example' })).toBe(
			contactOf({ email: 'ZOE\u0308@xn--bcher-kva.example' }),
		);
		expect(contactOf({ email: null })).toBe(ID);
	});

	it.each([{ id: undefined }, { id: '' }, { id: 7 }, { state: null }, { state: ' ' }])(
		'with %j is none, and holds up no other',
		(more) => {
			const meta = { total: 2, perPage: 100, currentPage: 1, lastPage: 1, firstPage: 1 };
			const text = JSON.stringify({
				data: [
					{ ...consent, ...more },
					{ ...consent, id: 'b' },
				],
				meta,
			});
			const answer = understandListPage('consents', 1, {
				statusCode: 200,
				text,
				retryAfterMs: null,
			});
			expect(answer).toMatchObject({ kind: 'list-page', entries: [{ id: 'b' }] });
		},
	);
});

describe('an answer for a page', () => {
	const said = (statusCode: number, body: unknown, retryAfterMs: number | null = null) => {
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		return (list: 'consents' | 'customers') =>
			understandListPage(list, 2, { statusCode, text, retryAfterMs });
	};
	const page = (meta: object, data: unknown = []) => {
		const whole = { total: 0, perPage: 100, currentPage: 2, lastPage: 2, firstPage: 1, ...meta };
		return { data, meta: whole };
	};

	it.each<[string, ReturnType<typeof said>, object]>([
		['a page', said(200, page({})), { kind: 'list-page', entries: [], lastPage: 2 }],
		[
			'counts as text',
			said(200, page({ lastPage: '3' }, [{}])),
			{ kind: 'list-page', lastPage: 3 },
		],
		['HTML with 200', said(200, '<html>Login</html>'), { kind: 'failed' }],
		['another page', said(200, page({ currentPage: 1 })), { kind: 'failed' }],
		['no counts', said(200, page({ lastPage: null })), { kind: 'failed' }],
		['empty before its end', said(200, page({ lastPage: 4 })), { kind: 'failed' }],
		['404', said(404, { code: 'message-not-found' }), { kind: 'failed' }],
		['429', said(429, '', 5_000), { kind: 'busy', retryAfterMs: 5_000 }],
		['503 that says how long', said(503, '', 9_000), { kind: 'busy', retryAfterMs: 9_000 }],
		['500', said(500, ''), { kind: 'failed' }],
	])('%s', (_, answer, expected) => {
		for (const list of ['consents', 'customers'] as const) {
			expect(answer(list)).toMatchObject(expected);
		}
	});

	it('a page is a useful answer; after a pause one failure is the next', () => {
		const health = { failing: ['1'], pauses: 1, pausedUntil: 5 };
		expect(afterAnswer(health, 'consents', said(200, page({}))('consents'), 5)).toBe(WELL);
		expect(afterAnswer(health, '2', said(500, '')('consents'), 5)).toMatchObject({ pauses: 2 });
	});

	it('[CUST-08] customers are for resellers: 401 and 403 say nothing of the token', () => {
		for (const answer of [said(401, { code: 'unauthorized' }), said(403, { code: 'forbidden' })]) {
			expect(answer('consents').kind).toBe('refused');
			const refused = answer('customers');
			expect(refused.kind).toBe('resellers-only');
			expect(afterAnswer(WELL, 'customers', refused, 0)).toBe(WELL);
			const paused = afterAnswer(WELL, 'consents', answer('consents'), 0);
			expect(afterAnswer(paused, 'customers', refused, paused.pausedUntil)).toBe(paused);
		}
	});
});

describe('[CONS-07] which answer counts for a consent', () => {
	const seen = (state: string, changedAt: number | null = null) => {
		const { type = null, status: step = state } = kindOfState('consents', state) ?? {};
		const eventId = changedAt === null ? null : `evt_${changedAt}`;
		return { type, step: step ?? '', at: changedAt ?? 1, by: 'poll' as const, mark: null, eventId };
	};

	it.each([
		['none is listed', [], 'none', null],
		['it is open', [seen('PENDING')], 'none', 'PENDING'],
		['it was answered before the first look', [seen('ACCEPTED')], 'accepted', 'ACCEPTED'],
		['it was refused', [seen('PENDING'), seen('REFUSED', 7)], 'refused', 'REFUSED'],
		['its state has an unknown name', [seen('Withdrawn', 7)], 'none', 'Withdrawn'],
		['its state is one of letters', [seen('EXPIRED', 7)], 'none', 'EXPIRED'],
		['a newer one was answered', [seen('PENDING'), seen('ACCEPTED', 9)], 'accepted', 'ACCEPTED'],
		['a newer one is open', [seen('REFUSED', 5), seen('PENDING')], 'refused', 'REFUSED'],
		['both were answered', [seen('ACCEPTED', 5), seen('REFUSED', 9)], 'accepted', 'ACCEPTED'],
	])('%s', (_, all, outcome, status) => {
		expect(outcomeOf(all, null).outcome).toMatchObject({ outcome, status });
	});

	it('tells since when, and by which event, unless it was so at the first look', () => {
		expect(outcomeOf([seen('ACCEPTED', 7)], null)).toEqual({
			outcome: {
				outcome: 'accepted',
				status: 'ACCEPTED',
				event: 'consent.accepted',
				occurredAt: '1970-01-01T00:00:00.007Z',
				eventId: 'evt_7',
			},
			isFinal: true,
		});
		expect(outcomeOf([seen('ACCEPTED')], null).outcome).toMatchObject({
			occurredAt: null,
			event: 'consent.accepted',
			eventId: null,
		});
	});
});

describe('the pace', () => {
	const delays = [
		{ age: 0, delay: MINUTE },
		{ age: 60 * MINUTE, delay: 10 * MINUTE },
		{ age: DAY, delay: 60 * MINUTE },
	];
	const rest = (age: number, pages = 1, pollsPerMinute = 600, changed: number | null = null) =>
		listRest('consents', { wantedAt: 0, changedAt: changed, pages }, age, {
			delays,
			pollsPerMinute,
		});
	const within = (value: number, middle: number) => {
		expect(value).toBeGreaterThanOrEqual(0.8 * middle);
		expect(value).toBeLessThanOrEqual(1.2 * middle);
	};

	it('rests as for letters, by the time since a change or since somebody came, but not for hours', () => {
		within(rest(0), MINUTE);
		within(rest(2 * 60 * MINUTE), 10 * MINUTE);
		within(rest(30 * DAY), 10 * MINUTE);
		within(rest(30 * DAY, 1, 600, 30 * DAY), MINUTE);
	});

	it('takes up a tenth of the rate limit at most', () => {
		within(rest(0, 300), 5 * MINUTE);
		within(rest(0, 10, 1), 100 * MINUTE);
	});

	it('who comes to want a list has it read at once, ten seconds after the last time at the soonest', () => {
		expect(wantedPoll(null, null, 50_000)).toBe(50_000);
		expect(wantedPoll(10_000, 300_000, 50_000)).toBe(50_000);
		expect(wantedPoll(45_000, 300_000, 50_000)).toBe(55_000);
		expect(wantedPoll(45_000, 51_000, 50_000)).toBe(51_000);
	});
});
