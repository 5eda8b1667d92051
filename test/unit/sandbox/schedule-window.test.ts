import fc from 'fast-check';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from '../../support/sandbox-zod.ts';
import {
	checkScheduledAt,
	scheduledAtSchema,
} from '../../../sandbox/src/messages/schedule-window.ts';

const NOW = Date.parse('2030-01-01T00:00:00.000Z');

it.each([
	['2030-01-01T00:15:00Z', '2030-01-01T00:15:00.000Z'],
	['2030-04-01T00:00:00.000Z', '2030-04-01T00:00:00.000Z'],
	['2030-01-02T10:00:00+02:00', '2030-01-02T08:00:00.000Z'],
	['2030-01-02T10:00:00.5-05:30', '2030-01-02T15:30:00.500Z'],
])('[SCHD-01][SCHD-02][S] %s is kept as %s', (sent, kept) => {
	expect(checkScheduledAt(sent, NOW)).toEqual({ at: Date.parse(kept) });
});

it.each([
	['2030-01-01T00:14:59.999Z', 'after', '15 minutes'],
	['2020-01-01T00:00:00Z', 'after', '15 minutes'],
	['2030-04-01T00:00:00.001Z', 'before', '90 days'],
	['2030-01-02T10:00:00', 'dateTime', 'offset'],
	['2030-01-02', 'dateTime', 'offset'],
	['2030-02-30T10:00:00Z', 'dateTime', 'ISO 8601'],
	['2030-01-02T10:00Z', 'dateTime', 'seconds'],
	['2030-01-02T10:00:00+99:99', 'dateTime', 'offset'],
	['', 'dateTime', 'ISO 8601'],
	['tomorrow', 'dateTime', 'ISO 8601'],
	['1893456000', 'dateTime', 'ISO 8601'],
])('[SCHD-01][SCHD-02][S] %s is refused by rule %s', (sent, rule, words) => {
	const message = expect.stringContaining(words);
	expect(checkScheduledAt(sent, NOW)).toEqual({ field: 'scheduledAt', rule, message });
});

it('[SCHD-01][S] takes what its description takes, and nothing else', () => {
	const ajv = addFormats.default(new Ajv2020());
	const { type, format } = z.toJSONSchema(scheduledAtSchema);
	const isDescribed = ajv.compile({ type, format });
	const part = (...parts: string[]) => fc.constantFrom(...parts);
	const times = fc
		.tuple(
			part('2030-01-02', '2030-02-30', '2028-02-29', '2030-1-2', '20300102'),
			part('T', 'X', ''),
			part('10:00:00', '10:00', '24:00:00', '23:59:61', '10:00:00.123456', '1000', '10:61:00'),
			part('Z', '', '+02:00', '-05:30', '+24:00', '+99:99', '+00:60'),
		)
		.map((parts) => parts.join(''));
	fc.assert(
		fc.property(times, (sent) => {
			const checked = checkScheduledAt(sent, Date.parse('2028-02-28T00:00:00Z'));
			const isRefused = 'rule' in checked && checked.rule === 'dateTime';
			expect({ sent, isTaken: !isRefused }).toEqual({ sent, isTaken: isDescribed(sent) });
		}),
		{ numRuns: 2000 },
	);
});
