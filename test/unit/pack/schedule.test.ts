import fc from 'fast-check';
import { DateTime, Settings } from 'luxon';

import { readSchedule } from '../../../nodes/SendLetter/schedule.ts';

const now = new Date('2030-01-01T00:00:00.000Z');
const minute = 60_000;
const day = 24 * 60 * minute;

/** As a person writes it. */
const typed = (time: number | Date) => `${new Date(time).toISOString().slice(0, 19)}Z`;

const read = (value: unknown, timezone = 'Europe/Paris', at = now) =>
	readSchedule(value, timezone, at);

afterEach(() => {
	Settings.defaultZone = 'system';
});

it.each<[string, unknown, string]>([
	['UTC', '2030-01-02T10:00:00Z', '2030-01-02T10:00:00Z'],
	[
		'an offset of its own, which it keeps',
		'2030-01-02T10:00:00-05:30',
		'2030-01-02T10:00:00-05:30',
	],
	['the workflow’s zone without an offset', '2030-01-02T10:00:00', '2030-01-02T10:00:00+01:00'],
	['a space for the T', '2030-01-02 10:00:00', '2030-01-02T10:00:00+01:00'],
	['a space and an offset', '2030-01-02 10:00:00 +05:30', '2030-01-02T10:00:00+05:30'],
	['white space around', ' 2030-01-02T10:00 ', '2030-01-02T10:00:00+01:00'],
	['seconds, to the second', '2030-01-02T10:00:07Z', '2030-01-02T10:00:07Z'],
	['an offset without a colon', '2030-01-02T10:00-0530', '2030-01-02T10:00:00-05:30'],
	['a fraction, up to the minute', '2030-01-02T10:00:00.250Z', '2030-01-02T10:01:00Z'],
	['a Date', new Date('2030-01-02T09:00:00Z'), '2030-01-02T10:00:00+01:00'],
	['a Date, up to the minute', new Date('2030-01-02T09:00:30Z'), '2030-01-02T10:01:00+01:00'],
	[
		'a DateTime',
		DateTime.fromISO('2030-01-02T10:00:00+09:00', { setZone: true }),
		'2030-01-02T10:00:00+09:00',
	],
])('[SCHD-01][N] reads %s', (_title, value, at) => {
	expect(read(value)).toEqual({ value: at });
});

describe('[SCHD-01][N] where clocks change', () => {
	const march = new Date('2030-03-30T00:00:00Z');
	const october = new Date('2030-10-26T00:00:00Z');

	it.each([
		['after it', march, '2030-03-31T03:00:00', '2030-03-31T03:00:00+02:00'],
		[
			'in the hour that is left out, which moves on',
			march,
			'2030-03-31T02:30:00',
			'2030-03-31T03:30:00+02:00',
		],
		[
			'in the hour that comes twice, with an offset that says which',
			october,
			'2030-10-27T02:30:00+01:00',
			'2030-10-27T02:30:00+01:00',
		],
	])('%s', (_title, at, value, expected) => {
		expect(read(value, 'Europe/Paris', at)).toEqual({ value: expected });
	});

	it('the hour that comes twice, without an offset, is read as one of the two', () => {
		expect(read('2030-10-27T02:30:00', 'Europe/Paris', october)).toEqual({
			value: expect.stringMatching(/^2030-10-27T02:30:00\+0[12]:00$/),
		});
	});

	// n8n sets the default zone to that of the workflow, so days of 23 and 25 hours come into it.
	it.each(['UTC', 'Europe/Paris'])(
		'[SCHD-02] 90 days are 90 times 24 hours, also across the change in %s',
		(zone) => {
			Settings.defaultZone = zone;
			for (const from of [march, october, now]) {
				const last = new Date(from.getTime() + 90 * day);
				expect(read(typed(last), zone, from)).toHaveProperty('value');
				expect(read(typed(last.getTime() + 1000), zone, from)).toHaveProperty('problem');
			}
		},
	);
});

describe('[SCHD-02][N] the window', () => {
	it.each([
		[15 * minute, true],
		[15 * minute - 1000, false],
		[-day, false],
		[90 * day, true],
		[90 * day + 1000, false],
	])('a typed time %d ms from now is in it: %s', (ahead, isInside) => {
		const value = typed(now.getTime() + ahead);
		expect(read(value)).toEqual(
			isInside ? { value: expect.any(String) } : { problem: expect.any(String) },
		);
	});

	// What `$now.plus(…)` gives, some milliseconds after `now` was read.
	it.each([
		['{ minutes: 15 }', 15 * minute, '2030-01-01T00:16:00Z'],
		['{ days: 1 }', day, '2030-01-02T00:01:00Z'],
		['{ days: 90 }', 90 * day, '2030-03-31T23:59:00Z'],
		['{ minutes: 14 }', 14 * minute, null],
		['{ days: 90, minutes: 1 }', 90 * day + minute, null],
	])('$now.plus(%s)', (_title, ahead, at) => {
		for (const late of [1, 7, 900, 5000]) {
			const time = DateTime.fromMillis(now.getTime() + late + ahead, { zone: 'UTC' });
			const expected = at === null ? { problem: expect.any(String) } : { value: at };
			for (const value of [time, time.toISO()]) expect(read(value, 'UTC')).toEqual(expected);
		}
	});

	it('stays five seconds before the end of the window, for a service whose clock is behind', () => {
		const from = new Date('2030-01-01T00:00:02.000Z');
		const last = DateTime.fromMillis(from.getTime() + 90 * day, { zone: 'UTC' });
		expect(read(last, 'UTC', from)).toEqual({ value: '2030-03-31T23:59:00Z' });
	});

	it('says that clocks change where 90 days of the calendar are longer', () => {
		const from = new Date('2030-09-01T10:00:00Z');
		const last = DateTime.fromJSDate(from, { zone: 'Europe/Paris' }).plus({ days: 90 });
		const words = /2,160 hours\. The clocks of Europe\/Paris go back .* an hour earlier/;
		for (const value of [last, last.plus(3), last.toISO({ suppressMilliseconds: true })]) {
			expect(read(value, 'Europe/Paris', from)).toEqual({ problem: expect.stringMatching(words) });
		}
		expect(read(last.minus({ hours: 1 }), 'Europe/Paris', from)).toHaveProperty('value');
		expect(read(last.plus({ hours: 1 }), 'Europe/Paris', from)).toEqual({
			problem: 'The time must be at most 90 days in the future.',
		});
	});
});

it.each<[unknown]>([
	[''],
	['tomorrow'],
	['2030'],
	['2030-01-02'],
	['23:59'],
	['2030-W01-3T10:00'],
	['2030-002T10:00'],
	['20300102T100000Z'],
	['2030-01-02T10:00 tomorrow'],
	['2030-02-30T10:00:00Z'],
	['02/01/2030 10:00'],
	[1893560400000],
	[null],
	[undefined],
	[{ toString: 1, valueOf: 1 }],
	[new Date(NaN)],
	[DateTime.invalid('none')],
])('[SCHD-01][N] %p is refused as no date and time', (value) => {
	expect(read(value)).toEqual({
		problem: expect.stringContaining('is not a date and time such as'),
	});
});

const zones = fc.constantFrom(
	'UTC',
	'Europe/Paris',
	'America/New_York',
	'America/St_Johns',
	'Asia/Kathmandu',
	'Australia/Lord_Howe',
	'Pacific/Apia',
	'Africa/Casablanca',
);
const moment = fc.date({
	min: new Date('2026-01-01T00:00:00Z'),
	max: new Date('2034-01-01T00:00:00Z'),
	noInvalidDate: true,
});

const ahead = fc.oneof(
	fc.integer({ min: -day, max: 100 * day }),
	fc.integer({ min: -2 * minute, max: 2 * minute }).map((ms) => 15 * minute + ms),
	fc.integer({ min: -2 * minute, max: 2 * minute }).map((ms) => 90 * day + ms),
);

it('[SCHD-01][SCHD-02][N] a computed time is taken within its bounds, moves by no more than the way to them, and is within them up to 20 s later', () => {
	const way = fc.integer({ min: 0, max: 20_000 });
	fc.assert(
		fc.property(
			moment,
			ahead,
			way,
			zones,
			zones,
			fc.boolean(),
			(from, ms, late, zone, other, isText) => {
				Settings.defaultZone = other;
				const time = DateTime.fromMillis(from.getTime() + ms, { zone });
				const result = read(isText ? time.toISO() : time, zone, from);
				if (ms >= 15 * minute && ms <= 90 * day) expect(result).toHaveProperty('value');
				if (ms < 14.5 * minute || ms > 90 * day + minute / 2)
					expect(result).toHaveProperty('problem');
				if (!('value' in result)) return;
				const at = Date.parse(result.value);
				expect(at % minute).toBe(0);
				expect(at - from.getTime() - late).toBeGreaterThanOrEqual(15 * minute);
				// A service whose clock is some seconds behind takes it, too.
				expect(at - from.getTime()).toBeLessThanOrEqual(90 * day - 5_000);
				expect(Math.abs(at - time.toMillis())).toBeLessThan(2 * minute);
			},
		),
		{ numRuns: 1000 },
	);
});

it('[SCHD-01][N] times computed within the same minute are one time', () => {
	const inMinute = fc.integer({ min: 1, max: 60_000 });
	fc.assert(
		fc.property(
			moment,
			fc.integer({ min: 30, max: 80 * 24 * 60 }),
			fc.array(inMinute, { minLength: 2 }),
			(from, minutes, moments) => {
				const start = Math.ceil(from.getTime() / minute) * minute;
				const results = moments.map((ms) =>
					read(new Date(start + minutes * minute + ms), 'UTC', new Date(start + ms)),
				);
				expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
			},
		),
	);
});

it('never throws, whatever JSON it is given', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			expect(Object.keys(read(value))).toHaveLength(1);
		}),
	);
	const circular: object[] = [];
	circular.push(circular);
	for (const value of [circular, 10n, Symbol('x')]) expect(read(value)).toHaveProperty('problem');
});
