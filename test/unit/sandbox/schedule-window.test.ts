import { checkScheduledAt } from '../../../sandbox/src/messages/schedule-window.ts';

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
	['tomorrow', 'dateTime', 'ISO 8601'],
	['1893456000', 'dateTime', 'ISO 8601'],
])('[SCHD-01][SCHD-02][S] %s is refused by rule %s', (sent, rule, words) => {
	const message = expect.stringContaining(words);
	expect(checkScheduledAt(sent, NOW)).toEqual({ field: 'scheduledAt', rule, message });
});
