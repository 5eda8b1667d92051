// The edges of what makes two reports the same change, and of where a late one belongs. Whole lives of
// messages are in watch-merge.test.ts.
import { WATCHED_SOURCE } from '../../../webhook-receiver/src/core/event-contract.ts';
import {
	CLOCKS_DIFFER_MS,
	missingSteps,
	placeByTable,
	withChange,
} from '../../../webhook-receiver/src/watch/changes.ts';
import { mergeWebhook } from '../../../webhook-receiver/src/watch/merge-webhook.ts';
import { ANSWERS_LAG_MS } from '../../../webhook-receiver/src/watch/pace.ts';
import {
	type Change,
	newWatch,
	type WatchRecord,
} from '../../../webhook-receiver/src/watch/watch.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 9);
const at = (minute: number) => START + minute * MINUTE;

/** A change that a webhook reported at a minute, without a time of its own unless one is given. */
function change(step: string, minute = 0, more: Partial<Change> = {}): Change {
	return {
		...{ type: `tracked_mail.${step.toLowerCase()}`, step, by: 'webhook', hasWebhook: true },
		...{ at: at(minute), after: null, occurredAt: null, ...more },
	};
}

/** The same with the service's time. */
const dated = (step: string, minute: number) => change(step, minute, { occurredAt: at(minute) });

/** A change that a poll saw at a minute. */
const polled = (step: string, minute: number, more: Partial<Change> = {}) =>
	change(step, minute, { by: 'watching', hasWebhook: false, ...more });

function watch(changes: Change[], more: Partial<WatchRecord> = {}): WatchRecord {
	const status = changes.at(-1)?.step ?? null;
	return { ...newWatch('000000000001', { messageType: 'AES' }, START), status, changes, ...more };
}

function hook(
	present: WatchRecord,
	step: string,
	occurredAt: number | string | null,
	{ byContent = false, ...more }: { byContent?: boolean; [field: string]: unknown } = {},
) {
	const time = typeof occurredAt === 'number' ? new Date(occurredAt).toISOString() : occurredAt;
	const event = {
		...{ type: `tracked_mail.${step.toLowerCase()}`, status: step.toLowerCase() },
		...{ terminal: false, sourceType: 'aes', messageType: 'AES', occurredAt: time },
		...{ fileReference: null, customerReference: null, ...more },
	};
	const now = at(100);
	return mergeWebhook(present, event as Parameters<typeof mergeWebhook>[1], { byContent, now });
}

const stepsOf = ({ changes }: WatchRecord) => changes.map(({ step }) => step).join(' ');

it.each([
	[null, 'SENT', 'after'],
	['SENT', 'RECEIVED', 'after'],
	['RECEIVED', 'SENT', 'before'],
	['RECEIVED', 'UNDELIVERED', 'after'],
])('[STAT-02] from %s, %s without a time comes %s', (known, step, place) => {
	expect(placeByTable(known, step)).toBe(place);
});

describe('the place of a change among others', () => {
	const now = at(90);

	it('after: it is the status, and nothing is open', () => {
		const present = watch([change('SENT')], { either: 'UNDELIVERED' });
		expect(withChange(present, change('RECEIVED', 90), 'after')).toMatchObject({
			...{ status: 'RECEIVED', either: null, changedAt: now },
		});
	});

	it('before: the status stays, and nothing is open', () => {
		const present = watch([change('SENT'), change('RECEIVED')]);
		const { status, either, changedAt } = withChange(present, change('UNDELIVERED'), 'before');
		expect({ status, either, changedAt }).toEqual({
			...{ status: 'RECEIVED', either: null, changedAt: null },
		});
	});

	it('unsure: the status stays, and the step is open', () => {
		const present = watch([change('RECEIVED')]);
		expect(withChange(present, change('UNDELIVERED'), 'unsure')).toMatchObject({
			...{ status: 'RECEIVED', either: 'UNDELIVERED' },
		});
	});

	it('keeps the last twenty', () => {
		const many = Array.from({ length: 20 }, (_, n) => change(`OLD${n}`));
		const { changes } = withChange(watch(many), change('SEEN'), 'after');
		expect(changes).toHaveLength(20);
		expect([changes[0].step, changes[19].step]).toEqual(['OLD1', 'SEEN']);
	});

	it.each<[string, WatchRecord, Change, 'before' | 'after' | 'unsure', string]>([
		[
			'nothing comes before SENT',
			watch([change('UNDELIVERED'), change('RECEIVED')]),
			change('SENT'),
			'before',
			'SENT UNDELIVERED RECEIVED',
		],
		[
			'before the status, without a time',
			watch([change('SENT'), change('RECEIVED')]),
			change('UNDELIVERED'),
			'before',
			'SENT UNDELIVERED RECEIVED',
		],
		[
			'before the status, which is not the last',
			watch([change('SENT'), change('RECEIVED'), change('UNDELIVERED')], { status: 'RECEIVED' }),
			change('HELD'),
			'before',
			'SENT HELD RECEIVED UNDELIVERED',
		],
		[
			'at the end, without a time',
			watch([dated('SENT', 5), dated('RECEIVED', 30)]),
			change('UNDELIVERED'),
			'unsure',
			'SENT RECEIVED UNDELIVERED',
		],
		[
			'before what the service dates later, but never before SENT',
			watch([dated('SENT', 50), dated('RECEIVED', 60)]),
			dated('UNDELIVERED', 40),
			'unsure',
			'SENT UNDELIVERED RECEIVED',
		],
		[
			'after what has the same date',
			watch([dated('RECEIVED', 30)]),
			dated('UNDELIVERED', 30),
			'unsure',
			'RECEIVED UNDELIVERED',
		],
		[
			'after a webhook without a time, however late it came',
			watch([change('RECEIVED', 30)]),
			dated('UNDELIVERED', 10),
			'unsure',
			'RECEIVED UNDELIVERED',
		],
		[
			'after what a poll saw, as far as clocks may differ',
			watch([polled('RECEIVED', 12)]),
			dated('UNDELIVERED', 10),
			'unsure',
			'RECEIVED UNDELIVERED',
		],
		[
			'before what a poll saw later than that',
			watch([polled('RECEIVED', 13)]),
			dated('UNDELIVERED', 10),
			'unsure',
			'UNDELIVERED RECEIVED',
		],
		[
			'after what a poll saw earlier',
			watch([polled('RECEIVED', 10)]),
			dated('UNDELIVERED', 11),
			'unsure',
			'RECEIVED UNDELIVERED',
		],
		[
			'before what a poll saw later, whatever clocks do, once that is known',
			watch([polled('HELD', 11), polled('RECEIVED', 20)]),
			dated('UNDELIVERED', 10),
			'before',
			'UNDELIVERED HELD RECEIVED',
		],
	])('%s', (_, present, added, place, expected) => {
		expect(stepsOf(withChange(present, added, place))).toBe(expected);
	});
});

describe('[STAT-02] steps that must have happened', () => {
	it('asks for none that may have been dropped from a long list', () => {
		const long = (length: number) =>
			watch(Array.from({ length }, (_, n) => change(n % 2 ? 'RECEIVED' : 'UNDELIVERED')));
		expect(missingSteps(long(19), 'RECEIVED', 'AES')).toEqual(['SENT']);
		expect(missingSteps(long(20), 'RECEIVED', 'AES')).toEqual([]);
	});

	it('what is opened is a tracked mail, and was delivered', () => {
		expect(missingSteps(watch([change('SENT')]), 'OPENED', null)).toEqual(['RECEIVED']);
	});

	it.each([
		['is the status', { status: 'RECEIVED' }],
		['may be the status', { status: 'UNDELIVERED', either: 'RECEIVED' }],
	])('a delivery that %s is not missing', (_, more) => {
		expect(missingSteps(watch([change('SENT')], more), 'OPENED', 'AES')).toEqual([]);
	});
});

describe('[EVNT-05] whether a webhook repeats a change', () => {
	const after = at(0);
	const seen = (more: Partial<Change> = {}) =>
		watch([change('UNDELIVERED', -30), polled('RECEIVED', 10, { after, ...more })]);
	const late = polled('RECEIVED', 30, { after });
	const earliest = after - ANSWERS_LAG_MS - CLOCKS_DIFFER_MS;
	const latest = at(10) + CLOCKS_DIFFER_MS;

	it.each([
		['at the earliest time of the change a poll saw', earliest, false],
		['before it', earliest - 1, true],
		['at the latest', latest, false],
		['after it', latest + 1, true],
	])('%s', (_, occurredAt, isNew) => {
		expect(hook(seen(), 'RECEIVED', occurredAt).isNew).toBe(isNew);
	});

	it('at any time, if no poll saw another status before', () => {
		expect(hook(seen({ after: null }), 'RECEIVED', at(20)).isNew).toBe(false);
		expect(hook(seen({ after: null }), 'RECEIVED', at(-20)).isNew).toBe(false);
	});

	it.each<[string, Change[], number, boolean]>([
		['before a bounce in between', [late, dated('UNDELIVERED', 20)], 15, true],
		['after a bounce in between', [late, dated('UNDELIVERED', 14)], 15, false],
		[
			'before a bounce that the poll may just have seen',
			[late, dated('UNDELIVERED', 29.5)],
			15,
			true,
		],
		['before one too late for its answer', [late, dated('UNDELIVERED', 29.6)], 15, false],
		['before a bounce without a time', [late, change('UNDELIVERED')], 15, false],
		['before what is no bounce', [late, dated('SENT', 20)], 15, false],
	])('a delivery %s', (_, changes, minute, isNew) => {
		expect(hook(watch(changes), 'RECEIVED', at(minute)).isNew).toBe(isNew);
	});

	it.each<[string, Change[], number, boolean]>([
		[
			'before the bounce that followed',
			[dated('RECEIVED', 10), dated('UNDELIVERED', 20)],
			19,
			false,
		],
		['with the bounce that followed', [dated('RECEIVED', 10), dated('UNDELIVERED', 20)], 20, true],
		['before the bounce it followed', [dated('UNDELIVERED', 20), change('RECEIVED')], 19, true],
		['with the bounce it followed', [dated('UNDELIVERED', 20), change('RECEIVED')], 20, false],
		['before the bounce a poll saw', [polled('UNDELIVERED', 20), change('RECEIVED')], 17, true],
		[
			'with it, as far as clocks differ',
			[polled('UNDELIVERED', 20), change('RECEIVED')],
			18,
			false,
		],
		['after a bounce without a time', [change('UNDELIVERED', 20), change('RECEIVED')], 1, false],
		['after what is no bounce', [dated('SENT', 20), change('RECEIVED')], 1, false],
	])('one known by its content, %s', (_, changes, minute, isNew) => {
		expect(hook(watch(changes), 'RECEIVED', at(minute), { byContent: true }).isNew).toBe(isNew);
	});

	it('a webhook gives the change its time, and one without takes none away', () => {
		const first = hook(seen(), 'RECEIVED', at(5)).watch;
		expect(first.changes[1]).toMatchObject({ hasWebhook: true, occurredAt: at(5) });
		const again = hook(first, 'RECEIVED', null, { byContent: true });
		expect(again.isNew).toBe(false);
		expect(again.watch.changes[1]).toMatchObject({ occurredAt: at(5) });
	});

	it('what watching itself reports is never a repeat', () => {
		const { isNew, watch: merged } = hook(seen(), 'RECEIVED', at(5), {
			sourceType: WATCHED_SOURCE,
		});
		expect(isNew).toBe(true);
		expect(merged.changes.at(-1)).toMatchObject({ by: 'watching', hasWebhook: false });
	});
});

describe('[EVNT-05] a time that is not that of the change', () => {
	const after = at(0);
	const earliest = after - ANSWERS_LAG_MS - CLOCKS_DIFFER_MS;

	it.each<[string, WatchRecord, string, number, boolean]>([
		[
			'is before a poll that saw an earlier step',
			watch([polled('SENT', -9), polled('RECEIVED', 10, { after })]),
			'RECEIVED',
			...([earliest - 1, true] as const),
		],
		[
			'is not, as far as clocks differ and answers lag',
			watch([polled('SENT', -9), polled('RECEIVED', 10, { after })]),
			'RECEIVED',
			...([earliest, false] as const),
		],
		[
			'is before the last poll, which saw an earlier step',
			watch([polled('SENT', -9)], { polledAt: after }),
			'RECEIVED',
			...([earliest - 1, true] as const),
		],
		[
			'is not where the message may have come back since',
			watch([change('UNDELIVERED', -9), polled('RECEIVED', 10, { after })]),
			'RECEIVED',
			...([earliest - 1, false] as const),
		],
		[
			'is that of the bounce',
			watch([dated('SENT', 1), dated('UNDELIVERED', 5)]),
			...(['RECEIVED', at(5), true] as const),
		],
		['is that of the delivery', watch([dated('RECEIVED', 5)]), 'UNDELIVERED', at(5), true],
		['is not that of any other', watch([dated('SENT', 5)]), 'RECEIVED', at(5), false],
	])('%s', (_, present, step, occurredAt, isFalse) => {
		const merged = hook(present, step, occurredAt).watch;
		expect(merged.messageTime).toBe(isFalse ? occurredAt : null);
	});

	it('is remembered, and counts as none', () => {
		const present = watch([dated('SENT', 50)], { messageTime: at(5) });
		const { changes } = hook(present, 'RECEIVED', at(5)).watch;
		expect(changes.at(-1)).toMatchObject({ step: 'RECEIVED', occurredAt: null });
		const other = hook(present, 'RECEIVED', at(60)).watch;
		expect(other.changes.at(-1)).toMatchObject({ step: 'RECEIVED', occurredAt: at(60) });
	});

	it('matches the change that polling saw', () => {
		const present = watch([polled('SENT', -9), polled('RECEIVED', 10, { after })]);
		expect(hook(present, 'RECEIVED', at(-60)).isNew).toBe(false);
	});
});

describe('what a webhook changes', () => {
	it('nothing, if it does not say where the message stands', () => {
		const present = watch([change('SENT')]);
		const unknown = { type: 'unknown', status: null, fileReference: 'A-1' };
		expect(hook(present, 'X', null, unknown)).toEqual({
			...{ isNew: true, ask: false, outdatesPolls: false },
			watch: { ...present, fileReference: 'A-1' },
		});
	});

	it('nothing but the list, if it came before', () => {
		const merged = hook(watch([change('RECEIVED')]), 'SENT', null);
		expect(merged).toMatchObject({ isNew: true, ask: false, outdatesPolls: false });
		expect(merged.watch.changes[0]).toMatchObject({
			step: 'SENT',
			by: 'webhook',
			hasWebhook: true,
		});
	});

	it('the same step once more is the status once more', () => {
		const merged = hook(watch([change('RECEIVED')]), 'RECEIVED', null);
		expect(merged).toMatchObject({ isNew: true, ask: false, outdatesPolls: true });
	});

	it('an end ends the watch, unless steps are missing', () => {
		const end = { terminal: true };
		const whole = hook(watch([change('SENT'), change('RECEIVED')]), 'OPENED', null, end);
		expect([whole.ask, whole.watch.endReason]).toEqual([false, 'final']);
		const gap = hook(watch([change('SENT')]), 'OPENED', null, end);
		expect([gap.ask, gap.watch.endReason]).toEqual([true, null]);
	});

	it('a date alone is no time', () => {
		const merged = hook(watch([change('SENT')]), 'RECEIVED', '2026-01-05T00:00:00.000Z');
		expect(merged.watch.changes.at(-1)?.occurredAt).toBeNull();
	});

	it('adds what was not known of the letter, and replaces nothing', () => {
		const given = { fileReference: 'A-1', customerReference: 'C-1', messageType: 'MT' };
		const known = { fileReference: 'A-0', customerReference: 'C-0', messageType: 'AES' } as const;
		const none = { fileReference: null, customerReference: null, messageType: null };
		expect(hook(watch([], none), 'SENT', null, given).watch).toMatchObject(given);
		expect(hook(watch([], known), 'SENT', null, given).watch).toMatchObject(known);
	});

	it.each<[string, WatchRecord, number, 'after' | 'before' | 'unsure']>([
		['just after the bounce', watch([dated('UNDELIVERED', 20)]), 20.1, 'after'],
		['before the bounce', watch([dated('UNDELIVERED', 20)]), 19, 'before'],
		[
			'after the bounce, whatever else came later',
			watch([dated('UNDELIVERED', 20), dated('SENT', 50)], { status: 'UNDELIVERED' }),
			30,
			'after',
		],
		[
			'and the bounce has no time',
			watch([change('UNDELIVERED', 20)], { polledAt: at(20) }),
			50,
			'unsure',
		],
		['and no poll saw the bounce', watch([polled('UNDELIVERED', 20)]), 50, 'unsure'],
		['after the last poll', watch([polled('UNDELIVERED', 20)], { polledAt: at(30) }), 33, 'after'],
		[
			'before the last poll',
			watch([polled('UNDELIVERED', 20)], { polledAt: at(30) }),
			27,
			'before',
		],
		['just after it', watch([polled('UNDELIVERED', 20)], { polledAt: at(30) }), 32, 'unsure'],
		['just before it', watch([polled('UNDELIVERED', 20)], { polledAt: at(30) }), 28, 'unsure'],
	])('[STAT-05] a delivery %s', (_, present, minute, place) => {
		const { watch: merged, ask, outdatesPolls } = hook(present, 'RECEIVED', at(minute));
		const found = ask ? 'unsure' : outdatesPolls ? 'after' : 'before';
		expect(found).toBe(place);
		expect([merged.status, merged.either]).toEqual(
			place === 'after' ? ['RECEIVED', null] : ['UNDELIVERED', ask ? 'RECEIVED' : null],
		);
	});
});
