import type { NextFunction, Request, Response } from 'express';
import { z } from 'zod/v4';
import { seededRandom } from '../world/random.ts';
import { isAt, placeShape } from './place.ts';

const ms = z.number().min(0).max(600_000);

/** Added response time, in milliseconds. */
export const latencySchema = z.discriminatedUnion('kind', [
	/** The same each time. */
	z.strictObject({ kind: z.literal('constant'), ms }),
	/** Evenly between `ms - jitterMs` and `ms + jitterMs`. */
	z
		.strictObject({ kind: z.literal('jittered'), ms, jitterMs: ms })
		.refine(({ ms, jitterMs }) => jitterMs <= ms, {
			path: ['jitterMs'],
			message: 'must not be above ms',
		}),
	/** Most take `ms`; this share of them is spread evenly between `ms` and `tailMs`. */
	z
		.strictObject({ kind: z.literal('slowTail'), ms, tailMs: ms, share: z.number().min(0).max(1) })
		.refine(({ ms, tailMs }) => tailMs >= ms, {
			path: ['tailMs'],
			message: 'must not be below ms',
		}),
]);
export type Latency = z.infer<typeof latencySchema>;

/** Latencies by name. */
export const LATENCY_PROFILES = {
	nearby: { kind: 'constant', ms: 5 },
	office: { kind: 'jittered', ms: 40, jitterMs: 20 },
	mobile: { kind: 'jittered', ms: 300, jitterMs: 200 },
	'slow-tail': { kind: 'slowTail', ms: 50, tailMs: 3000, share: 0.05 },
	overloaded: { kind: 'slowTail', ms: 1500, tailMs: 10_000, share: 0.2 },
} satisfies Record<string, Latency>;
const PROFILE_NAMES = Object.keys(LATENCY_PROFILES) as Array<keyof typeof LATENCY_PROFILES>;

export const latencyRuleSchema = z.strictObject({
	...placeShape,
	/** One by name, or one of your own. */
	latency: z.union([z.enum(PROFILE_NAMES), latencySchema]),
	/** The same seed makes the same sequence of latencies. */
	seed: z.number().int().default(1),
});
export type LatencyRule = z.infer<typeof latencyRuleSchema>;

/** What a snapshot keeps. */
export type LatencyState = Array<{ rule: LatencyRule; drawn: number }>;

/** Decides how long each answer takes. */
export class LatencyPlan {
	#rules: Array<{ rule: LatencyRule; drawn: number; draw: () => number }> = [];

	get rules(): LatencyRule[] {
		return this.#rules.map(({ rule }) => rule);
	}

	set(rules: LatencyRule[]): void {
		this.import(rules.map((rule) => ({ rule, drawn: 0 })));
	}

	export(): LatencyState {
		return this.#rules.map(({ rule, drawn }) => ({ rule, drawn }));
	}

	import(kept: LatencyState): void {
		this.#rules = kept.map(({ rule, drawn }) => {
			const draw = seededRandom(rule.seed);
			for (let count = 0; count < drawn; count++) draw();
			return { rule, drawn, draw };
		});
	}

	/** Milliseconds by which to hold this request; the first rule for it decides. */
	take(method: string, path: string): number {
		const active = this.#rules.find(({ rule }) => isAt(rule, method, path));
		if (!active) return 0;
		const { latency } = active.rule;
		active.drawn++;
		return latencyOf(
			typeof latency === 'string' ? LATENCY_PROFILES[latency] : latency,
			active.draw(),
		);
	}
}

/** @param drawn one random number from 0 to 1, so that requests and draws stay in step */
export function latencyOf(latency: Latency, drawn: number): number {
	switch (latency.kind) {
		case 'constant':
			return latency.ms;
		case 'jittered':
			return latency.ms + (2 * drawn - 1) * latency.jitterMs;
		case 'slowTail': {
			const { ms, tailMs, share } = latency;
			// The part of the range that means "slow" says how slow, too.
			return drawn < share ? ms + (drawn / share) * (tailMs - ms) : ms;
		}
	}
}

/** Holds requests before anything happens to them. */
export const addLatency =
	(plan: LatencyPlan) =>
	(request: Request, response: Response, next: NextFunction): void => {
		const wait = plan.take(request.method, request.path);
		if (wait === 0) return next();
		holdFor(wait, response, next);
	};

/** In real time; never, if the client disconnects first. */
export function holdFor(ms: number, response: Response, next: NextFunction): void {
	const timer = setTimeout(next, ms);
	response.once('close', () => clearTimeout(timer));
}
