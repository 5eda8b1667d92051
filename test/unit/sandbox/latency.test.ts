import fc from 'fast-check';
import {
	LATENCY_PROFILES,
	LatencyPlan,
	latencyOf,
	latencyRuleSchema,
	latencySchema,
} from '../../../sandbox/src/http/latency.ts';

it('stays within what its profile says', () => {
	const ms = fc.integer({ min: 0, max: 600_000 });
	const drawn = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
	const share = fc.double({ min: 0, max: 1, noNaN: true });
	fc.assert(
		fc.property(ms, ms, share, drawn, (one, other, share, drawn) => {
			const [low, high] = [Math.min(one, other), Math.max(one, other)];
			expect(latencyOf({ kind: 'constant', ms: low }, drawn)).toBe(low);
			const jittered = latencyOf({ kind: 'jittered', ms: high, jitterMs: low }, drawn);
			expect(jittered).toBeGreaterThanOrEqual(high - low);
			expect(jittered).toBeLessThanOrEqual(high + low);
			const tail = latencyOf({ kind: 'slowTail', ms: low, tailMs: high, share }, drawn);
			expect(tail).toBeGreaterThanOrEqual(low);
			expect(tail).toBeLessThanOrEqual(high);
			if (drawn >= share) expect(tail).toBe(low);
		}),
	);
});

it('a slow tail is as heavy as it says', () => {
	const plan = new LatencyPlan();
	const latency = { kind: 'slowTail', ms: 10, tailMs: 1000, share: 0.1 } as const;
	plan.set([{ latency, seed: 5 }]);
	const taken = Array.from({ length: 5000 }, () => plan.take('GET', '/'));
	const slow = taken.filter((one) => one > 10);
	expect(slow.length / taken.length).toBeCloseTo(0.1, 1);
	expect(Math.max(...slow)).toBeGreaterThan(900);
});

it('the same seed makes the same sequence, whatever other paths get, and goes on from a snapshot', () => {
	const rules = ['/consents', '/messages/{id}'].map((path) =>
		latencyRuleSchema.parse({ path, latency: 'mobile', seed: 9 }),
	);
	const alone = new LatencyPlan();
	alone.set(rules);
	const sequence = Array.from({ length: 20 }, () => alone.take('GET', '/consents'));
	expect(new Set(sequence).size).toBe(20);
	const beside = new LatencyPlan();
	beside.set(rules);
	const mixed = Array.from({ length: 10 }, () => {
		beside.take('GET', '/messages/000000000001');
		return beside.take('GET', '/consents');
	});
	const restored = new LatencyPlan();
	restored.import(JSON.parse(JSON.stringify(beside.export())));
	const rest = Array.from({ length: 10 }, () => restored.take('GET', '/consents'));
	expect([...mixed, ...rest]).toEqual(sequence);
});

it('every named profile is one that could be one’s own', () => {
	for (const profile of Object.values(LATENCY_PROFILES))
		expect(latencySchema.parse(profile)).toEqual(profile);
});
