// What the nodes that put their execution to sleep have in common.
import { deadlineAfter, deadlineAt, readDeadline } from '../../../nodes/shared/waiting/deadline.ts';
import {
	digestOf,
	isSecretOf,
	newSecret,
	partId,
	partOf,
	type Sleeping,
} from '../../../nodes/shared/waiting/sleeping.ts';
import { waitIdSchema, waitSchema } from '../../../webhook-receiver/src/core/wait-contract.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 31, 9, 30);

describe('deadline', () => {
	it.each<[unknown, Parameters<typeof deadlineAfter>[1], object]>([
		[2, 'hours', { value: NOW + 7_200_000 }],
		['30', 'days', { value: NOW + 30 * DAY }],
		[0.5, 'minutes', { value: NOW + 30_000 }],
		[366, 'days', { value: NOW + 366 * DAY }],
		[367, 'days', { problem: expect.stringContaining('366 days') }],
		[0, 'days', { problem: expect.any(String) }],
		[-1, 'days', { problem: expect.any(String) }],
		['soon', 'days', { problem: expect.any(String) }],
		['', 'days', { problem: expect.any(String) }],
		[null, 'days', { problem: 'It is null; a number above 0 is required.' }],
		[true, 'days', { problem: 'It is true; a number above 0 is required.' }],
		[[5], 'days', { problem: expect.any(String) }],
		['Infinity', 'days', { problem: expect.any(String) }],
	])('after %s %s', (amount, unit, expected) => {
		expect(deadlineAfter(amount, unit, NOW)).toEqual(expected);
	});

	it.each<[unknown, object]>([
		['2026-02-01T00:00:00', { value: Date.UTC(2026, 0, 31, 23) }],
		['2026-02-01T00:00:00Z', { value: Date.UTC(2026, 1, 1) }],
		['2020-01-31T09:30:00Z', { value: Date.UTC(2020, 0, 31, 9, 30) }],
		['2026-02-01 00:00', { value: Date.UTC(2026, 0, 31, 23) }],
		[new Date(NOW + DAY), { value: NOW + DAY }],
		['2028-01-01T00:00', { problem: expect.stringContaining('366 days') }],
		['2027', { problem: expect.stringContaining('not a date and time such as') }],
		['23:59', { problem: expect.stringContaining('not a date and time such as') }],
		['2026-W20-1', { problem: expect.stringContaining('not a date and time such as') }],
		['', { problem: expect.any(String) }],
		['tomorrow', { problem: expect.any(String) }],
		[null, { problem: expect.any(String) }],
	])('at %s', (value, expected) => {
		expect(deadlineAt(value, 'Europe/Paris', NOW)).toEqual(expected);
	});
});

describe('the deadline of the fields', () => {
	/** Fields that are not there have their default. */
	const read = (fields: Record<string, unknown>) =>
		readDeadline(
			{
				getNodeParameter: (name: string, item: number, fallback: unknown) =>
					item === 0 && Object.hasOwn(fields, name) ? fields[name] : fallback,
				getTimezone: () => 'Europe/Paris',
			} as never,
			NOW,
		);

	it.each<[object, number]>([
		[{}, NOW + 30 * DAY],
		[{ deadlineAmount: 2 }, NOW + 2 * DAY],
		[{ deadlineAmount: 2, deadlineUnit: 'hours' }, NOW + 7_200_000],
		[{ deadlineMode: 'at', deadlineAt: '2026-02-01T00:00' }, Date.UTC(2026, 0, 31, 23)],
		// What is not shown does not count.
		[{ deadlineMode: 'after', deadlineAt: '2026-02-01T00:00' }, NOW + 30 * DAY],
	])('%j', (fields, at) => {
		expect(read(fields as Record<string, unknown>)).toBe(at);
	});

	it.each<[object, RegExp]>([
		[{ deadlineAmount: 0 }, /Wait For: It is 0; a number above 0 is/],
		[{ deadlineMode: 'At' }, /Deadline.*"At"\. Choose one of after, at/s],
		[{ deadlineMode: undefined }, /Deadline.*undefined\. Choose/s],
		[{ deadlineUnit: 'weeks' }, /Unit: It is "weeks"\. Choose one of minutes, hours, days/],
		[{ deadlineUnit: 'constructor' }, /Unit: /],
		[{ deadlineMode: 'at' }, /Wait Until.*"" is not a date and time/s],
	])('%j is refused, by the name of the field', (fields, words) => {
		expect(() => read(fields as Record<string, unknown>)).toThrow(words);
	});
});

it('each wait has a secret of its own, of which n8n keeps a digest that tells it from all others', () => {
	const [one, other] = [newSecret(), newSecret()];
	expect(waitSchema.shape.secret.safeParse(one).success).toBe(true);
	const kept = digestOf(one);
	expect(kept).not.toContain(one);
	expect(isSecretOf(kept, one)).toBe(true);
	for (const wrong of [other, kept, '', `${one}x`]) expect(isSecretOf(kept, wrong)).toBe(false);
	// An execution's data that somebody changed lets nobody in.
	for (const broken of ['', 'x', kept.slice(1)]) expect(isSecretOf(broken, one)).toBe(false);
});

it('each part of a wait has a name that the receiver takes, and that tells which part it is', () => {
	const waitId = crypto.randomUUID();
	const ends = Array.from({ length: 11 }, (_, day) => new Date(NOW + day * DAY).toISOString());
	const names = ends.map((_, part) => partId(waitId, part));
	expect(names[0]).toBe(waitId);
	for (const name of names) expect(waitIdSchema.safeParse(name).success).toBe(true);
	const sleeping = { waitId, ends } as Sleeping;
	expect(names.map((name) => partOf(sleeping, name))).toEqual(ends.map((_, part) => part));
	for (const foreign of ['', `${waitId}.11`, `${waitId}.01`, crypto.randomUUID()]) {
		expect(partOf(sleeping, foreign)).toBe(null);
	}
});
