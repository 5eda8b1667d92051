// What needs a person: begins once, ends once, whoever looks, in whatever order, and over restarts.
import * as fc from 'fast-check';
import type { StoredConsumer } from '../../../webhook-receiver/src/core/pull-contract.ts';
import {
	attentionEvent,
	titleOf,
} from '../../../webhook-receiver/src/attention/attention-event.ts';
import { decide } from '../../../webhook-receiver/src/attention/attention.ts';
import type { Known, Reading, Trouble } from '../../../webhook-receiver/src/attention/attention.ts';
import { eventSchema } from '../../../webhook-receiver/src/core/event-contract.ts';

const NOW = Date.UTC(2026, 0, 31, 9, 30);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const GB = 1024 ** 3;
const NOTHING: Known = { open: [], changedAt: 0 };

const iso = (at: number) => new Date(at).toISOString();

function consumer(more: Partial<StoredConsumer> = {}): StoredConsumer {
	return {
		...{ key: 'n8n~flow~node~production', name: 'Invoices', node: 'Trigger', url: null },
		wants: { events: ['*'], batchSize: 1 },
		...{ held: true, pulledAt: iso(NOW), awaySince: null, rivalAt: null, createdAt: iso(NOW) },
		...{ behind: 0, queued: 0, inHand: 0, dead: 0, oldestAt: null },
		...more,
	};
}

function reading(more: Partial<Reading> = {}): Reading {
	const space = { used: GB, free: 100 * GB };
	return { at: NOW, consumers: [consumer()], watching: null, space, ...more };
}

const away = (ms: number) => consumer({ held: false, awaySince: iso(NOW - ms) });
const held = (ms: number) => ({ problem: 'it answered 401', problemAt: NOW - ms });
const free = (bytes: number | null) => ({ used: GB, free: bytes });
const kinds = (troubles: readonly Trouble[]) => troubles.map(({ kind }) => kind);

describe('begins', () => {
	it.each<[string, Partial<Reading>, string[]]>([
		['nothing while all is well', {}, []],
		['away for less than an hour', { consumers: [away(HOUR - 1)] }, []],
		['away for an hour', { consumers: [away(HOUR)] }, ['workflow-away']],
		['a test that is over', { consumers: [{ ...away(9 * HOUR), key: 'n8n~flow~node~test' }] }, []],
		['dead deliveries', { consumers: [consumer({ dead: 2 })] }, ['deliveries-dead']],
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
	const open = (more: Partial<Reading>): Known => ({
		open: decide(NOTHING, reading(more)).begun,
		changedAt: NOW,
	});
	const later = { at: NOW + MINUTE };
	it.each<[string, Known, Partial<Reading>, string[]]>([
		['who is back', open({ consumers: [away(HOUR)] }), {}, ['workflow-away']],
		['who was forgotten', open({ consumers: [away(HOUR)] }), { consumers: [] }, ['workflow-away']],
		['who is still away', open({ consumers: [away(HOUR)] }), { consumers: [away(HOUR)] }, []],
		['what is dead no more', open({ consumers: [consumer({ dead: 1 })] }), {}, ['deliveries-dead']],
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
					expect(count(`deliveries-dead ${key}`)).toBeLessThanOrEqual(
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
	const trouble: Trouble = {
		...{ kind: 'workflow-away', subject: 'n8n~flow', since: NOW - HOUR, reason: '' },
		...{ workflow: { name: 'Invoices', node: 'Trigger', url: 'https://n8n.example/workflow/1' } },
		...{ count: 0, events: 0 },
	};
	it('says in plain words what, since when, which workflow and what to do, as any event does', () => {
		const event = attentionEvent(trouble, 'begun', NOW);
		expect(eventSchema.safeParse({ id: 'evt_1', sequence: 1, ...event }).error).toBeUndefined();
		expect(event).toMatchObject({
			...{ type: 'receiver.attention', messageId: null, status: null, terminal: false },
			...{ occurredAt: iso(NOW - HOUR), receivedAt: iso(NOW) },
			attention: {
				...{ kind: 'workflow-away', state: 'begun', since: iso(NOW - HOUR) },
				workflow: trouble.workflow,
				text: expect.stringMatching(
					/^The workflow "Invoices" has not fetched events since 2026-01-31 08:30 UTC/,
				),
				advice: expect.stringContaining('forget it on the page'),
			},
		});
		const over = attentionEvent(trouble, 'resolved', NOW);
		expect(over.attention).toMatchObject({
			state: 'resolved',
			text: expect.stringContaining('no longer away'),
		});
	});

	it('obeys nothing that a name brings along', () => {
		const name = 'In\r\nvoi\u202eces\u0000';
		expect(titleOf({ name, node: '', url: null })).toBe('The workflow "In  voi ces"');
		expect(titleOf({ name: ' \u200b', node: '', url: null })).toBe('A workflow without a name');
	});
});
