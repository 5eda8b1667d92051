// What the nodes that put their execution to sleep have in common.
import { readDeadline } from '../../../nodes/shared/waiting/deadline.ts';
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

describe('the deadline', () => {
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

	it.each<[unknown, string, number]>([
		[2, 'hours', NOW + 7_200_000],
		['30', 'days', NOW + 30 * DAY],
		[0.5, 'minutes', NOW + 30_000],
		[366, 'days', NOW + 366 * DAY],
	])('after %s %s', (deadlineAmount, deadlineUnit, at) => {
		expect(read({ deadlineAmount, deadlineUnit })).toBe(at);
	});

	it.each<[unknown, RegExp]>([
		[367, /Wait For: .*366 days/],
		[0, /Wait For: It is 0; a number above 0 is/],
		[-1, /Wait For: /],
		['soon', /Wait For: /],
		['', /Wait For: /],
		[null, /It is null; a number above 0 is required\./],
		[true, /It is true; a number above 0 is required\./],
		[[5], /Wait For: /],
		['Infinity', /Wait For: /],
	])('not after %j days', (deadlineAmount, words) => {
		expect(() => read({ deadlineAmount })).toThrow(words);
	});

	it.each<[unknown, number]>([
		['2026-02-01T00:00:00', Date.UTC(2026, 0, 31, 23)],
		['2026-02-01T00:00:00Z', Date.UTC(2026, 1, 1)],
		['2020-01-31T09:30:00Z', Date.UTC(2020, 0, 31, 9, 30)],
		['2026-02-01 00:00', Date.UTC(2026, 0, 31, 23)],
		[new Date(NOW + DAY), NOW + DAY],
	])('at %s', (deadlineAt, at) => {
		expect(read({ deadlineMode: 'at', deadlineAt })).toBe(at);
	});

	it.each<[unknown, RegExp]>([
		['2028-01-01T00:00', /Wait Until: .*366 days/],
		['2027', /not a date and time such as/],
		['23:59', /not a date and time such as/],
		['2026-W20-1', /not a date and time such as/],
		['', /"" is not a date and time/],
		['tomorrow', /Wait Until: /],
		[null, /Wait Until: /],
	])('not at %j', (deadlineAt, words) => {
		expect(() => read({ deadlineMode: 'at', deadlineAt })).toThrow(words);
	});

	it.each<[object, number]>([
		[{}, NOW + 30 * DAY],
		[{ deadlineAmount: 2 }, NOW + 2 * DAY],
		// What is not shown does not count.
		[{ deadlineMode: 'after', deadlineAt: '2026-02-01T00:00' }, NOW + 30 * DAY],
	])('%j', (fields, at) => {
		expect(read(fields as Record<string, unknown>)).toBe(at);
	});

	it.each<[object, RegExp]>([
		[{ deadlineMode: 'At' }, /Deadline.*"At"\. Choose one of after, at/s],
		[{ deadlineMode: undefined }, /Deadline.*undefined\. Choose/s],
		[{ deadlineUnit: 'weeks' }, /Unit: It is "weeks"\. Choose one of days, hours, minutes/],
		[{ deadlineUnit: 'constructor' }, /Unit: /],
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
