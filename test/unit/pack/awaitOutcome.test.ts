import { deadlineAfter, deadlineAt } from '../../../nodes/AwaitOutcome/deadline.ts';
import { leaving, toOutputs } from '../../../nodes/AwaitOutcome/outputs.ts';
import { waitSecret } from '../../../nodes/AwaitOutcome/waitSecret.ts';
import { OUTCOMES } from '../../../webhook-receiver/src/wait/wait-contract.ts';
import type { Outcome } from '../../../webhook-receiver/src/wait/wait-contract.ts';

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
		['2026-01-31T09:30:00Z', { problem: expect.stringContaining('past') }],
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
	const outcome = (n: number, name: Outcome) => ({
		...{ messageId: id(n), outcome: name, status: null, occurredAt: null },
		...{ event: null, eventId: null },
	});
	const sleeping = (messageIds: Array<string | null>, together = false) => ({
		...{ waitId: 'w', messageIds, faults: { 1: { error: 'wrong' } }, together, source: null },
	});

	it('every outcome has an output', () => {
		const all = OUTCOMES.map((name, n) => outcome(n, name));
		const ids = all.map(({ messageId }) => messageId);
		const out = leaving(sleeping(ids), { outcomes: all, reason: 'complete' });
		expect(out?.map(({ output }) => output)).toEqual([0, 1, 2, 2, 3, 3, 3, 4]);
	});

	it.each<[Outcome[], number]>([
		[['accepted', 'accepted'], 0],
		[['accepted', 'opened'], 2],
		[['opened', 'expired'], 3],
		[['expired', 'refused', 'accepted'], 1],
		[['refused', 'none'], 4],
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

it('each wait has a secret of its own, which is no other one of the same token', () => {
	const secrets = [waitSecret('token', 'a'), waitSecret('token', 'b'), waitSecret('other', 'a')];
	expect(new Set(secrets).size).toBe(3);
	for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});
