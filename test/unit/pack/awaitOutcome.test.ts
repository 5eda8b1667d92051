import { deadlineAfter, deadlineAt } from '../../../nodes/AwaitOutcome/deadline.ts';
import {
	leaving,
	leavingUntold,
	OUTPUT_NAMES,
	toOutputs,
} from '../../../nodes/AwaitOutcome/outputs.ts';
import { digestOf, isSecretOf, newSecret } from '../../../nodes/AwaitOutcome/sleeping.ts';
import {
	OUTCOMES,
	waitSchema,
	wakeUpBodySchema,
} from '../../../webhook-receiver/src/core/wait-contract.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 31, 9, 30);

describe('deadline', () => {
	it.each<[unknown, unknown, object]>([
		[2, 'hours', { at: NOW + 7_200_000 }],
		['30', 'days', { at: NOW + 30 * DAY }],
		[0.5, 'minutes', { at: NOW + 30_000 }],
		[366, 'days', { at: NOW + 366 * DAY }],
		[367, 'days', { problem: expect.stringContaining('366 days') }],
		[0, 'days', { problem: expect.any(String) }],
		[-1, 'days', { problem: expect.any(String) }],
		['soon', 'days', { problem: expect.any(String) }],
		['', 'days', { problem: expect.any(String) }],
		[null, 'days', { problem: 'null is not a number above 0.' }],
		[true, 'days', { problem: 'true is not a number above 0.' }],
		[[5], 'days', { problem: expect.any(String) }],
		[1, 'constructor', { problem: expect.any(String) }],
	])('after %s %s', (amount, unit, expected) => {
		expect(deadlineAfter(amount, unit, NOW)).toEqual(expected);
	});

	it.each<[unknown, object]>([
		['2026-02-01T00:00:00', { at: Date.UTC(2026, 0, 31, 23) }],
		['2026-02-01T00:00:00Z', { at: Date.UTC(2026, 1, 1) }],
		['2020-01-31T09:30:00Z', { at: Date.UTC(2020, 0, 31, 9, 30) }],
		['2026-02-01 00:00', { at: Date.UTC(2026, 0, 31, 23) }],
		[new Date(NOW + DAY), { at: NOW + DAY }],
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

describe('outputs', () => {
	const id = (n: number) => String(n).padStart(12, '0');
	const outcome = (n: number, name: string) => ({
		...{ messageId: id(n), outcome: name, status: null, occurredAt: null },
		...{ event: null, eventId: null },
	});
	const sleeping = (messageIds: Array<string | null>, together = false) => ({
		...{ messageIds, faults: { 1: { error: 'wrong' } }, together },
	});

	it('every outcome has an output', () => {
		const all = OUTCOMES.map((name, n) => outcome(n, name));
		const ids = all.map(({ messageId }) => messageId);
		const out = leaving(sleeping(ids), { outcomes: all, reason: 'complete' });
		expect(out?.map(({ output }) => output)).toEqual([0, 1, 2, 2, 3, 3, 3, 4, 4]);
	});

	it('an outcome that a newer receiver invents passes through as it is, by the last output', () => {
		const told = {
			waitId: '0123456789abcdef',
			secret: 's',
			reason: 'withdrawn',
			outcomes: [outcome(1, 'returned'), outcome(2, 'constructor')],
		};
		const read = wakeUpBodySchema.parse(told);
		const out = leaving(sleeping([id(1), id(2)]), read);
		expect(out).toMatchObject([
			{ output: 4, added: { outcome: { outcome: 'returned', reason: 'withdrawn' } } },
			{ output: 4, added: { outcome: { outcome: 'constructor' } } },
		]);
	});

	it('untold, all leave by the last output; a wrong one with its error', () => {
		expect(leavingUntold(sleeping([id(1), null]))).toMatchObject([
			{ output: 4, added: { outcome: { outcome: 'none', reason: 'deadline' } } },
			{ output: 4, added: { error: 'wrong' } },
		]);
	});

	it('the canvas shows the names of all outputs whole', () => {
		for (const name of OUTPUT_NAMES) expect(name.length).toBeLessThanOrEqual(8);
	});

	it.each<[string[], number]>([
		[['accepted', 'accepted'], 0],
		[['accepted', 'opened'], 2],
		[['opened', 'expired'], 3],
		[['expired', 'refused', 'accepted'], 1],
		[['refused', 'none'], 4],
		[['accepted', 'returned'], 4],
	])('together, %j leave by the worst', (names, output) => {
		const all = names.map((name, n) => outcome(n, name));
		const ids = all.map(({ messageId }) => messageId);
		const out = leaving(sleeping(ids, true), { outcomes: all, reason: 'complete' });
		expect(new Set(out?.map((one) => one.output))).toEqual(new Set([output]));
	});

	it('a wrong item leaves by the last output, alone, and worsens nothing', () => {
		const answer = { outcomes: [outcome(1, 'accepted')], reason: 'complete' as const };
		const out = leaving(sleeping([id(1), null], true), answer);
		expect(out?.map(({ output }) => output)).toEqual([0, 4]);
		const items = toOutputs(out ?? [], [{ json: { a: 1 } }, { json: { b: 2 } }]);
		expect(items[0]).toMatchObject([{ json: { a: 1, outcome: {} }, pairedItem: { item: 0 } }]);
		expect(items[4]).toEqual([{ json: { error: 'wrong' }, pairedItem: { item: 1 } }]);
	});

	it('nobody leaves while an outcome is missing', () => {
		const answer = { outcomes: [outcome(1, 'accepted')], reason: 'complete' as const };
		expect(leaving(sleeping([id(1), id(2)]), answer)).toBe(null);
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
