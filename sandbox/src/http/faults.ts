import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod/v4';
import { isMatch, matcherShape } from './request-matcher.ts';

/** What happens to one request. */
const faultSchema = z.discriminatedUnion('kind', [
	/** Rejected at once in the service's own format, never processed. */
	z.strictObject({
		kind: z.literal('status'),
		status: z.number().int().min(400).max(599),
		/** Seconds, or the header's literal text; no header if omitted. */
		retryAfter: z.union([z.number().min(0), z.string().min(1)]).optional(),
		code: z.string().optional(),
		message: z.string().optional(),
	}),
	/** Answered with exactly this: a redirect, a captive portal, half a JSON document. */
	z.strictObject({
		kind: z.literal('answer'),
		status: z.number().int().min(200).max(599),
		body: z.string().default(''),
		/** JSON by default; none for an empty body. */
		contentType: z.string().optional(),
		headers: z
			.record(z.string(), z.string())
			.default({})
			.refine(areHeaders, { message: 'these headers cannot be sent' }),
		/** True: fully processed before the answer. False: not at all. */
		processed: z.boolean().default(false),
	}),
	/** Processed normally, only later. */
	z.strictObject({ kind: z.literal('delay'), ms: z.number().min(0).max(600_000) }),
	/** Never processed: the connection is cut before the body is read. */
	z.strictObject({ kind: z.literal('cutBefore') }),
	/** Fully processed; the connection is cut before the answer. */
	z.strictObject({ kind: z.literal('cutAfter') }),
	/** Fully processed; the connection is cut halfway through the answer's body. */
	z.strictObject({ kind: z.literal('cutAnswer') }),
]);
export type Fault = z.infer<typeof faultSchema>;
export type FaultAnswer = Extract<Fault, { kind: 'answer' }>;

/** Which requests get a fault, and how often. */
export const ruleSchema = z.strictObject({
	...matcherShape,
	/** Number of matching requests to let through first. */
	skip: z.number().int().min(0).default(0),
	/** How many times; null until cleared. */
	times: z.number().int().min(1).nullable().default(1),
	fault: faultSchema,
});
export type FaultRule = z.infer<typeof ruleSchema>;

/** A rule that is in force. */
export const activeRuleSchema = ruleSchema.extend({
	matched: z.number().int().describe('Requests it was meant for'),
	happened: z.number().int().describe('Faults it made'),
});
type ActiveRule = z.infer<typeof activeRuleSchema>;

/** Decides which request gets which fault, in order of arrival. */
export class FaultPlan {
	#rules: ActiveRule[] = [];

	get rules(): readonly ActiveRule[] {
		return this.#rules;
	}

	add(rule: FaultRule): ActiveRule {
		const active = { ...rule, matched: 0, happened: 0 };
		this.#rules.push(active);
		return active;
	}

	clear(): void {
		this.#rules = [];
	}

	/** The fault for this request, from the first rule that has one for it. */
	take(request: { method: string; path: string }): Fault | null {
		for (const rule of this.#rules) {
			if (!isMatch(rule, request) || ++rule.matched <= rule.skip) continue;
			if (rule.times !== null && rule.happened >= rule.times) continue;
			rule.happened++;
			return rule.fault;
		}
		return null;
	}
}

function areHeaders(headers: Record<string, string>): boolean {
	try {
		for (const [name, value] of Object.entries(headers)) {
			validateHeaderName(name);
			validateHeaderValue(name, value);
		}
		return true;
	} catch {
		return false;
	}
}
