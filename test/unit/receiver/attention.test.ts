// What needs a person: begins once, ends once, whoever looks, in whatever order, and over restarts.
import * as fc from 'fast-check';
import type { ConsumerView } from '../../../webhook-receiver/src/core/pull-contract.ts';
import {
	attentionEvent,
	attentionOf,
	titleOf,
} from '../../../webhook-receiver/src/attention/attention-event.ts';
import { decide } from '../../../webhook-receiver/src/attention/attention.ts';
import type { Known, Snapshot, Alert } from '../../../webhook-receiver/src/attention/attention.ts';
import { eventSchema } from '../../../webhook-receiver/src/core/event-contract.ts';

const NOW = Date.UTC(2026, 0, 31, 9, 30);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const GB = 1024 ** 3;
const NOTHING: Known = { open: [], changedAt: 0 };

const iso = (at: number) => new Date(at).toISOString();

function consumer(more: Partial<ConsumerView> = {}): ConsumerView {
	return {
		key: 'n8n~flow~node~production',
		name: 'Invoices',
		node: 'Trigger',
		url: null,
		wants: { events: ['*'], batchSize: 1 },
		held: true,
		pulledAt: iso(NOW),
		awaySince: null,
		rivalAt: null,
		createdAt: iso(NOW),
		behind: 0,
		queued: 0,
		inHand: 0,
		dead: 0,
		oldestAt: null,
		...more,
	};
}

function reading(more: Partial<Snapshot> = {}): Snapshot {
	const space = { used: GB, free: 100 * GB };
	const counts = { deadWakeUps: 0, unknownClaims: 0 };
	return { at: NOW, consumers: [consumer()], ...counts, watching: null, space, ...more };
}

const away = (ms: number) => consumer({ held: false, awaySince: iso(NOW - ms) });
const held = (ms: number) => ({ problem: 'it answered 401', problemAt: NOW - ms });
const unknownSince = { problem: 'it answered 401', problemAt: null };
const free = (bytes: number | null) => ({ used: GB, free: bytes });
const kinds = (alerts: readonly Alert[]) => alerts.map(({ kind }) => kind);

describe('begins', () => {
	it.each<[string, Partial<Snapshot>, string[]]>([
		['nothing while all is well', {}, []],
		['away for less than an hour', { consumers: [away(HOUR - 1)] }, []],
		['away for an hour', { consumers: [away(HOUR)] }, ['workflow-away']],
		['a test that is over', { consumers: [{ ...away(9 * HOUR), key: 'n8n~flow~node~test' }] }, []],
		['dead batches', { consumers: [consumer({ dead: 2 })] }, ['batches-dead']],
		['wake-ups that were given up', { deadWakeUps: 2 }, ['wake-ups-dead']],
		['keys of unknown outcome', { unknownClaims: 1 }, ['claims-unknown']],
		['a second n8n now', { consumers: [consumer({ rivalAt: iso(NOW - MINUTE) })] }, ['second-n8n']],
		['a second n8n long ago', { consumers: [consumer({ rivalAt: iso(NOW - HOUR) })] }, []],
		['polls refused for a moment', { watching: held(MINUTE) }, []],
		['polls refused for a quarter of an hour', { watching: held(15 * MINUTE) }, ['polls-held']],
		['polls well', { watching: { problem: null, problemAt: null } }, []],
		['a disk with room', { space: free(2 * GB) }, []],
		['a disk with little room', { space: free(200 * 1024 ** 2) }, ['store-nearly-full']],
		[
			'a large store with a tenth free',
			{ space: { used: 95 * GB, free: 5 * GB } },
			['store-nearly-full'],
		],
		['a disk that nobody sees', { space: free(null) }, []],
	])('%s', (_, more, expected) => {
		expect(kinds(decide(NOTHING, reading(more)).begun)).toEqual(expected);
	});
});

describe('ends', () => {
	const open = (more: Partial<Snapshot>): Known => ({
		open: decide(NOTHING, reading(more)).begun,
		changedAt: NOW,
	});
	const later = { at: NOW + MINUTE };
	it.each<[string, Known, Partial<Snapshot>, string[]]>([
		['who is back', open({ consumers: [away(HOUR)] }), {}, ['workflow-away']],
		['who was forgotten', open({ consumers: [away(HOUR)] }), { consumers: [] }, ['workflow-away']],
		['who is still away', open({ consumers: [away(HOUR)] }), { consumers: [away(HOUR)] }, []],
		['what is dead no more', open({ consumers: [consumer({ dead: 1 })] }), {}, ['batches-dead']],
		[
			'some still dead',
			open({ consumers: [consumer({ dead: 9 })] }),
			{ consumers: [consumer({ dead: 1 })] },
			[],
		],
		[
			'polls that are answered',
			open({ watching: held(HOUR) }),
			{ watching: { problem: null, problemAt: null } },
			['polls-held'],
		],
		['another problem with polls', open({ watching: held(HOUR) }), { watching: held(0) }, []],
		[
			'a little more room',
			open({ space: free(255 * 1024 ** 2) }),
			{ space: free(260 * 1024 ** 2) },
			[],
		],
		[
			'room again',
			open({ space: free(200 * 1024 ** 2) }),
			{ space: free(2 * GB) },
			['store-nearly-full'],
		],
	])('%s', (_, known, more, expected) => {
		const { begun, over } = decide(known, reading({ ...more, ...later }));
		expect([kinds(begun), kinds(over)]).toEqual([[], expected]);
	});
});

describe('is told with', () => {
	const workflow = { name: 'Invoices', node: 'Trigger', url: null };
	const of = { subject: 'n8n~flow~node~production', workflow };
	const ofAll = { subject: '', workflow: null };
	const none = { reason: '', count: 0, events: 0 };
	it.each<[string, Partial<Snapshot>, Alert]>([
		[
			'when its n8n was last heard of',
			{ consumers: [away(HOUR)] },
			{ kind: 'workflow-away', ...of, ...none, since: NOW - HOUR },
		],
		[
			'the last pull, where nobody saw its n8n leave',
			{ consumers: [consumer({ held: false, pulledAt: iso(NOW - 2 * HOUR) })] },
			{ kind: 'workflow-away', ...of, ...none, since: NOW - 2 * HOUR },
		],
		[
			'how many batches are dead, as of now',
			{ consumers: [consumer({ dead: 7 })] },
			{ kind: 'batches-dead', ...of, ...none, count: 7, since: NOW },
		],
		[
			'when the second n8n last asked',
			{ consumers: [consumer({ rivalAt: iso(NOW - MINUTE) })] },
			{ kind: 'second-n8n', ...of, ...none, since: NOW - MINUTE },
		],
		[
			'what the service answered, and since when',
			{ watching: held(HOUR) },
			{ kind: 'polls-held', ...ofAll, ...none, reason: 'it answered 401', since: NOW - HOUR },
		],
		[
			'how many bytes are free',
			{ space: free(1234) },
			{ kind: 'store-nearly-full', ...ofAll, ...none, count: 1234, since: NOW },
		],
	])('%s', (_, more, expected) => {
		expect(decide(NOTHING, reading(more)).begun).toEqual([expected]);
	});
});

describe('the thresholds', () => {
	const MB = 1024 ** 2;
	it.each<[string, Partial<Snapshot>, boolean]>([
		['a second n8n just under ten minutes ago', rival(10 * MINUTE - 1), true],
		['a second n8n ten minutes ago', rival(10 * MINUTE), false],
		[
			'polls held a moment short of a quarter of an hour',
			{ watching: held(15 * MINUTE - 1) },
			false,
		],
		['a problem with polls of unknown beginning', { watching: unknownSince }, false],
		['256 MB free', { space: free(256 * MB) }, false],
		['a byte less', { space: free(256 * MB - 1) }, true],
		['exactly a tenth free', { space: { used: 90 * GB, free: 10 * GB } }, false],
		['a byte less than a tenth', { space: { used: 90 * GB, free: 10 * GB - 1 } }, true],
		['nothing free', { space: free(0) }, true],
	])('%s', (_, more, begins) => {
		expect(decide(NOTHING, reading(more)).begun).toHaveLength(begins ? 1 : 0);
	});

	function rival(ms: number) {
		return { consumers: [consumer({ rivalAt: iso(NOW - ms) })] };
	}

	it('a store that was nearly full has room again with a quarter more than that', () => {
		const known = { ...NOTHING, open: decide(NOTHING, reading({ space: free(MB) })).begun };
		const over = (bytes: number) =>
			kinds(decide(known, reading({ space: free(bytes), at: NOW + 1 })).over);
		expect(over(320 * MB - 1)).toEqual([]);
		expect(over(320 * MB)).toEqual(['store-nearly-full']);
	});

	it('who is away stays so until it is held, however short the time since', () => {
		const known = { ...NOTHING, open: decide(NOTHING, reading({ consumers: [away(HOUR)] })).begun };
		expect(decide(known, reading({ consumers: [away(0)] })).over).toEqual([]);
		const other = consumer({ ...away(0), key: 'n8n~other' });
		expect(decide(NOTHING, reading({ consumers: [other] })).begun).toEqual([]);
	});

	it.each<[string, number, number]>([
		['as old as the last change', NOW, 0],
		['older than the last change', NOW + MINUTE, 0],
		['almost five minutes older', NOW + 5 * MINUTE - 1, 0],
		['five minutes older: the clock was set back', NOW + 5 * MINUTE, 1],
		['newer', NOW - 1, 1],
	])('a reading that is %s', (_, changedAt, begun) => {
		const seen = reading({ consumers: [consumer({ dead: 1 })] });
		expect(decide({ open: [], changedAt }, seen).begun).toHaveLength(begun);
	});
});

it('each of several begins and ends by itself, whatever else is open', () => {
	const of = (key: string, more: object) => ({ ...away(HOUR), key, ...more });
	const names = (alerts: readonly Alert[]) =>
		alerts.map(({ kind, subject }) => `${kind} ${subject}`);
	const [one, other] = [of('n8n~1', {}), of('n8n~2', { dead: 1 })];
	const first = decide(NOTHING, reading({ consumers: [one] }));
	expect(names(first.begun)).toEqual(['workflow-away n8n~1']);
	const second = decide({ ...NOTHING, open: first.begun }, reading({ consumers: [one, other] }));
	expect(names(second.begun)).toEqual(['workflow-away n8n~2', 'batches-dead n8n~2']);
	const open = [...first.begun, ...second.begun];
	const third = decide({ ...NOTHING, open }, reading({ consumers: [of('n8n~2', { dead: 0 })] }));
	expect([names(third.begun), names(third.over)]).toEqual([
		[],
		['workflow-away n8n~1', 'batches-dead n8n~2'],
	]);
});

it('a clock that was set back silences nothing', () => {
	const known = { open: [], changedAt: NOW + 2 * HOUR };
	expect(decide(known, reading({ consumers: [away(HOUR)] })).begun).toHaveLength(1);
});

/** What is true in each minute: of two workflows, of the service, of the disk. */
const minute = fc.record({
	away: fc.tuple(fc.boolean(), fc.boolean()),
	dead: fc.tuple(fc.nat(2), fc.nat(2)),
	problem: fc.boolean(),
	free: fc.constantFrom(GB / 8, GB * 50),
});
/** Who looks, and how many seconds pass until that is acted on: several receivers, any order. */
const look = fc.record({ takenAt: fc.nat(59), takes: fc.nat(200) });

it('each begins once and ends once, by turns, whoever looks and however late', () => {
	fc.assert(
		fc.property(
			fc.array(fc.tuple(minute, fc.array(look, { maxLength: 3 })), { maxLength: 60 }),
			(minutes) => {
				const since: Array<number | null> = [null, null];
				const looks = minutes.flatMap(([world, taken], index) => {
					const from = NOW + index * MINUTE;
					for (const who of [0, 1]) since[who] = world.away[who] ? (since[who] ?? from) : null;
					const consumers = [0, 1].map((who) =>
						consumer({
							key: `n8n~flow-${who}`,
							held: since[who] === null,
							awaySince: since[who] === null ? null : iso(since[who] - HOUR),
							dead: world.dead[who],
						}),
					);
					const problem = world.problem ? 'it answered 401' : null;
					return taken.map(({ takenAt, takes }) => {
						const at = from + takenAt * 1000;
						const watching = { problem, problemAt: problem === null ? null : from - HOUR };
						const seen = reading({ at, consumers, watching, space: free(world.free) });
						return { seen, actedAt: at + takes * 1000 };
					});
				});
				// Every receiver acts when it is done, on what is on record then: that is all there is.
				let known = NOTHING;
				const told: string[] = [];
				for (const { seen } of looks.sort((one, other) => one.actedAt - other.actedAt)) {
					const { begun, over } = decide(known, seen);
					for (const { kind, subject } of begun) told.push(`begun ${kind} ${subject}`);
					for (const { kind, subject } of over) told.push(`over ${kind} ${subject}`);
					const gone = new Set(over);
					known = {
						open: [...known.open.filter((one) => !gone.has(one)), ...begun],
						changedAt: begun.length + over.length > 0 ? seen.at : known.changedAt,
					};
					// The same look again, as after a crash before anybody heard: nothing new.
					const again = decide(known, seen);
					expect([...again.begun, ...again.over]).toEqual([]);
				}
				// As often as it has begun in truth, and no more: who comes late undoes nothing.
				const runs = (is: (world: (typeof minutes)[number][0]) => boolean) =>
					minutes.filter(([world], n) => is(world) && !(n > 0 && is(minutes[n - 1][0]))).length;
				const count = (name: string) => told.filter((one) => one === `begun ${name}`).length;
				for (const who of [0, 1]) {
					const key = `n8n~flow-${who}`;
					expect(count(`workflow-away ${key}`)).toBeLessThanOrEqual(runs(({ away }) => away[who]));
					expect(count(`batches-dead ${key}`)).toBeLessThanOrEqual(
						runs(({ dead }) => dead[who] > 0),
					);
				}
				expect(count('polls-held ')).toBeLessThanOrEqual(runs(({ problem }) => problem));
				expect(count('store-nearly-full ')).toBeLessThanOrEqual(runs(({ free }) => free < GB));
				const last = new Map<string, string>();
				for (const one of told) {
					const [what, ...name] = one.split(' ');
					expect([name.join(' '), what]).not.toEqual([name.join(' '), last.get(name.join(' '))]);
					if (!last.has(name.join(' '))) expect(what).toBe('begun');
					last.set(name.join(' '), what);
				}
			},
		),
		{ numRuns: 300 },
	);
});

describe('the event', () => {
	const alert: Alert = {
		kind: 'workflow-away',
		subject: 'n8n~flow',
		since: NOW - HOUR,
		reason: '',
		workflow: { name: 'Invoices', node: 'Trigger', url: 'https://n8n.example/workflow/1' },
		count: 0,
		events: 0,
	};
	it('says in plain words what, since when, which workflow and what to do, as any event does', () => {
		const event = attentionEvent(alert, 'begun', NOW);
		expect(eventSchema.safeParse({ id: 'evt_1', sequence: 1, ...event }).error).toBeUndefined();
		expect(event).toMatchObject({
			type: 'receiver.attention',
			messageId: null,
			status: null,
			terminal: false,
			occurredAt: iso(NOW - HOUR),
			receivedAt: iso(NOW),
			attention: {
				kind: 'workflow-away',
				state: 'begun',
				since: iso(NOW - HOUR),
				workflow: alert.workflow,
				text: expect.stringMatching(
					/^The workflow "Invoices" has not fetched events since 2026-01-31 08:30 UTC/,
				),
				advice: expect.stringContaining('forget it on the page'),
			},
		});
		const over = attentionEvent(alert, 'resolved', NOW);
		expect(over.attention).toMatchObject({
			state: 'resolved',
			text: expect.stringContaining('no longer away'),
		});
	});

	it('is about no letter, and once it is over it has no time', () => {
		const nothing = {
			sourceType: null,
			messageId: null,
			messageType: null,
			status: null,
			terminal: false,
			reversible: false,
			raw: null,
			fileReference: null,
			customerReference: null,
		};
		expect(attentionEvent(alert, 'begun', NOW)).toMatchObject(nothing);
		expect(attentionEvent(alert, 'resolved', NOW)).toMatchObject({
			...nothing,
			occurredAt: null,
		});
	});

	const of = (more: Partial<Alert>): Alert => ({ ...alert, ...more });
	it.each<[Partial<Alert>, RegExp]>([
		[{ kind: 'workflow-away' }, /"Invoices" .* since 2026-01-31 08:30 UTC/],
		[{ kind: 'batches-dead', count: 1 }, /"Invoices" .* one batch/],
		[{ kind: 'batches-dead', count: 2, workflow: null }, /without a name .* 2 batches/],
		[{ kind: 'wake-ups-dead', count: 1, workflow: null }, /One sleeping execution/],
		[{ kind: 'claims-unknown', count: 2, workflow: null }, /2 Send Once Keys/],
		[{ kind: 'second-n8n' }, /"Invoices" .* second n8n/],
		[{ kind: 'polls-held', reason: 'it answered 401' }, /08:30 UTC: it answered 401\./],
		[{ kind: 'store-nearly-full', count: 100.6 * 1024 ** 2 }, /101 MB are free/],
		[{ kind: 'events-lost', reason: 'erased', count: 2 }, /lost 2 batches: erased\./],
		[{ kind: 'events-lost', reason: 'old', events: 1 }, /lost up to 1 event not .*: old\./],
		[{ kind: 'events-lost', reason: 'old', count: 1, events: 3 }, /one batch and up to 3 events/],
	])('says of %j what it is, and what to do until it is over', (more, words) => {
		const [begun, over] = [attentionOf(of(more), 'begun'), attentionOf(of(more), 'resolved')];
		expect(begun.text).toMatch(words);
		expect(begun.advice).toMatch(/^[A-Z].{30}.*\.$/);
		expect(over.text).not.toBe(begun.text);
		expect(over.advice).toBe('Nothing is left to do.');
	});

	it.each([
		[80, 'n'.repeat(80)],
		[81, `${'n'.repeat(80)}…`],
	])('shortens a name of %d characters', (length, shown) => {
		const long = { name: 'n'.repeat(length), node: '', url: null };
		expect(titleOf(long)).toBe(`The workflow "${shown}"`);
	});

	it('obeys nothing that a name brings along', () => {
		const name = 'In\r\nvoi\u202eces\u0000';
		expect(titleOf({ name, node: '', url: null })).toBe('The workflow "In  voi ces"');
		expect(titleOf({ name: ' \u200b', node: '', url: null })).toBe('A workflow without a name');
	});
});
