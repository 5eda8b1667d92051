import { outcomeOutputs } from '../../../nodes/AwaitOutcome/awaiting.ts';
import { routeItems, routeWithoutNews, toOutputs } from '../../../nodes/shared/waiting/outputs.ts';
import { OUTCOMES, wakeUpBodySchema } from '../../../webhook-receiver/src/core/wait-contract.ts';

describe('outputs', () => {
	const id = (n: number) => String(n).padStart(12, '0');
	const outcome = (n: number, name: string) => ({
		id: id(n),
		outcome: name,
		status: null,
		occurredAt: null,
		event: null,
		eventId: null,
	});
	const sleeping = (all: Array<string | null>, together = false) => ({
		ids: all.map((one) => (one === null ? null : [one])),
		faults: { 1: { error: 'wrong' } },
		known: [],
		together,
	});

	it('every outcome has an output', () => {
		const all = OUTCOMES.map((name, n) => outcome(n, name));
		const ids = all.map((one) => one.id);
		const out = routeItems(outcomeOutputs, sleeping(ids), { outcomes: all, reason: 'complete' });
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
		const out = routeItems(outcomeOutputs, sleeping([id(1), id(2)]), read);
		expect(out).toMatchObject([
			{ output: 4, added: { outcome: { outcome: 'returned', reason: 'withdrawn' } } },
			{ output: 4, added: { outcome: { outcome: 'constructor' } } },
		]);
	});

	it('untold, all leave by the last output; a wrong one with its error', () => {
		expect(routeWithoutNews(outcomeOutputs, sleeping([id(1), null]))).toMatchObject([
			{ output: 4, added: { outcome: { outcome: 'none', reason: 'deadline' } } },
			{ output: 4, added: { error: 'wrong' } },
		]);
	});

	it('the canvas shows the names of all outputs whole', () => {
		const { names } = outcomeOutputs;
		expect(names).toEqual(['Accepted', 'Refused', 'Opened', 'Expired', 'Pending']);
		for (const name of names) expect(name.length).toBeLessThanOrEqual(8);
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
		const ids = all.map((one) => one.id);
		const out = routeItems(outcomeOutputs, sleeping(ids, true), {
			outcomes: all,
			reason: 'complete',
		});
		expect(new Set(out?.map((one) => one.output))).toEqual(new Set([output]));
	});

	it.each<[string[], string, number]>([
		[['accepted', 'accepted'], 'accepted', 0],
		[['accepted', 'refused', 'opened'], 'refused', 1],
		[['expired', 'accepted'], 'expired', 3],
		[['accepted', 'none'], 'none', 4],
	])('a letter whose recipients have %j leaves as %s', (names, worst, output) => {
		const outcomes = names.map((name, n) => outcome(n, name));
		const waiting = { ...sleeping([]), ids: [outcomes.map((one) => one.id)] };
		const out = routeItems(outcomeOutputs, waiting, { outcomes, reason: 'complete' });
		expect(out).toMatchObject([
			{
				output,
				added: {
					outcome: { outcome: worst },
					outcomes: outcomes.map((one) => ({ messageId: one.id, outcome: one.outcome })),
				},
			},
		]);
	});

	it('a wrong item leaves by the last output, alone, and worsens nothing', () => {
		const answer = { outcomes: [outcome(1, 'accepted')], reason: 'complete' as const };
		const out = routeItems(outcomeOutputs, sleeping([id(1), null], true), answer);
		expect(out?.map(({ output }) => output)).toEqual([0, 4]);
		const items = toOutputs(outcomeOutputs, out ?? [], [{ json: { a: 1 } }, { json: { b: 2 } }]);
		expect(items[0]).toMatchObject([{ json: { a: 1, outcome: {} }, pairedItem: { item: 0 } }]);
		expect(items[4]).toEqual([{ json: { error: 'wrong' }, pairedItem: { item: 1 } }]);
	});

	it('an item keeps its data and files, and one that is gone has its outcome alone', () => {
		const answer = { outcomes: [outcome(1, 'accepted')], reason: 'complete' as const };
		const out = routeItems(outcomeOutputs, sleeping([id(1)]), answer) ?? [];
		const binary = { file: { data: '', mimeType: 'application/pdf' } };
		const added = { outcome: { messageId: id(1), outcome: 'accepted', reason: 'complete' } };
		const [[item], ...others] = toOutputs(outcomeOutputs, out, [{ json: { a: 1 }, binary }]);
		expect(item).toMatchObject({ json: { a: 1, ...added }, binary, pairedItem: { item: 0 } });
		expect(others).toEqual([[], [], [], []]);
		const [[alone]] = toOutputs(outcomeOutputs, out, []);
		expect(alone).toEqual({ json: out[0].added, pairedItem: { item: 0 } });
		expect(alone).not.toHaveProperty('binary');
	});

	it('what was known before it slept outweighs what it is told, and an item without a fault is one', () => {
		const known = [outcome(1, 'refused')];
		const all = { ...sleeping([id(1), null]), faults: {}, known };
		const answer = { outcomes: [outcome(1, 'accepted')], reason: 'complete' as const };
		expect(routeItems(outcomeOutputs, all, answer)).toMatchObject([
			{ output: 1, added: { outcome: { outcome: 'refused' } } },
			{ output: 4, added: {} },
		]);
		expect(routeWithoutNews(outcomeOutputs, all, 'complete')).toMatchObject([
			{ output: 1, added: { outcome: { outcome: 'refused', reason: 'complete' } } },
			{ output: 4, added: {} },
		]);
	});

	it('nobody leaves while an outcome is missing', () => {
		const answer = { outcomes: [outcome(1, 'accepted')], reason: 'complete' as const };
		expect(routeItems(outcomeOutputs, sleeping([id(1), id(2)]), answer)).toBe(null);
	});
});
