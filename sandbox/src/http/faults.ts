import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod/v4';
import { iso, type Clock } from '../state/clock.ts';
import { isMatch, mayMatch, matcherShape, type MatchableRequest } from './request-matcher.ts';

/** A fault of a single request or connection. */
export const faultSchema = z.discriminatedUnion('kind', [
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
		/** Resets the connection after the answer, even while the client is still sending. */
		reset: z.boolean().default(false),
	}),
	/** Processed normally, only later: evenly between `ms - jitterMs` and `ms + jitterMs`. */
	z
		.strictObject({
			kind: z.literal('delay'),
			ms: z.number().min(0).max(600_000),
			jitterMs: z.number().min(0).optional(),
		})
		.refine(({ ms, jitterMs = 0 }) => jitterMs <= ms, {
			path: ['jitterMs'],
			message: 'must not be above ms',
		}),
	/** Never processed: the connection is cut before the body is read. */
	z.strictObject({ kind: z.literal('cutBefore') }),
	/** Never processed: the connection is cut after part of the body. */
	z.strictObject({ kind: z.literal('cutBody'), afterBytes: z.number().int().min(0).default(1) }),
	/** Fully processed; the connection is cut before the answer. */
	z.strictObject({ kind: z.literal('cutAfter') }),
	/** Fully processed; the connection is cut halfway through the answer's body. */
	z.strictObject({ kind: z.literal('cutAnswer') }),
	/** No request at all: the connection is cut once the client begins the TLS handshake. */
	z.strictObject({ kind: z.literal('cutHandshake') }),
]);
export type Fault = z.infer<typeof faultSchema>;
export type RequestFault = Exclude<Fault, { kind: 'cutHandshake' }>;
export type FaultAnswer = Extract<Fault, { kind: 'answer' }>;

/** The faults a random mix draws from, by name. */
const MIXED: Record<string, RequestFault> = {
	tooManyRequests: { kind: 'status', status: 429, retryAfter: 1 },
	unavailable: { kind: 'status', status: 503, retryAfter: 1 },
	unavailableSilent: answer(503, ''),
	serverError: { kind: 'status', status: 500 },
	badGateway: answer(502, '<!doctype html><title>502</title><h1>502</h1>'),
	delay: { kind: 'delay', ms: 200 },
	cutBefore: { kind: 'cutBefore' },
	cutBody: { kind: 'cutBody', afterBytes: 1 },
	cutAfter: { kind: 'cutAfter' },
	cutAnswer: { kind: 'cutAnswer' },
};
const MIXED_NAMES = Object.keys(MIXED) as [string, ...string[]];

const where = {
	...matcherShape,
	/** Number of matching requests to let through first. */
	skip: z.number().int().min(0).default(0),
	/** How many times; null until cleared. */
	times: z.number().int().min(1).nullable().optional(),
	/** For how long from now on, by the sandbox's clock; until cleared if omitted. */
	forMs: z.number().int().min(1).optional(),
};

const oneFaultSchema = z.strictObject({ ...where, fault: faultSchema });
const mixSchema = z.strictObject({
	...where,
	seed: z.number().int(),
	rates: z.partialRecord(z.enum(MIXED_NAMES), z.number().min(0).max(1)),
});

export const ruleSchema = z.union([
	oneFaultSchema.refine(
		({ fault, ...rule }) =>
			fault.kind !== 'cutHandshake' || Object.keys(matcherShape).every((name) => !(name in rule)),
		{ message: 'a handshake comes before all that a request is told by' },
	),
	mixSchema.refine(({ rates }) => sum(Object.values(rates)) <= 1, {
		message: 'rates add up to over 1',
	}),
]);

const counts = {
	id: z.string(),
	until: z.iso.datetime().nullable().describe('When it ends by itself'),
	matched: z.number().int().describe('Requests it was meant for'),
	happened: z.number().int().describe('Faults it made'),
};

/** A rule that is in force. */
export const activeRuleSchema = z.union([oneFaultSchema.extend(counts), mixSchema.extend(counts)]);
export type FaultRule = z.infer<typeof ruleSchema>;

export interface ActiveRule {
	id: string;
	rule: FaultRule;
	/** When it ends by itself, or null. */
	until: number | null;
	/** Requests matched. */
	matched: number;
	/** Faults applied. */
	happened: number;
	/** Random numbers drawn so far. */
	drawn: number;
}

/** Decides which request or connection gets which fault, in order of arrival. */
export class FaultPlan {
	readonly #clock: Clock;
	/** Plain, for snapshots. */
	state: { rules: ActiveRule[]; count: number } = { rules: [], count: 0 };

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	add(rule: FaultRule): string {
		const id = `fault_${++this.state.count}`;
		const until = rule.forMs === undefined ? null : this.#clock.now() + rule.forMs;
		this.state.rules.push({ id, rule, until, matched: 0, happened: 0, drawn: 0 });
		return id;
	}

	clear(): void {
		this.state.rules = [];
	}

	list() {
		return this.state.rules.map(({ id, rule, until, matched, happened }) => ({
			id,
			...rule,
			until: until === null ? null : iso(until),
			matched,
			happened,
		}));
	}

	/** Whether a rule needs the body first; those after it wait with it. */
	waitsForBody(request: MatchableRequest): boolean {
		return this.state.rules.some(({ rule }) => mayMatch(rule, request));
	}

	/** The fault for this request, from the first rule that has one for it. */
	take(request: MatchableRequest): RequestFault | null {
		for (const active of this.state.rules) {
			const isMeant = !isOfHandshakes(active.rule) && isMatch(active.rule, request);
			const fault = isMeant ? this.#drawn(active) : null;
			if (fault) return fault as RequestFault;
		}
		return null;
	}

	/** Whether to cut this connection in its handshake. */
	takeHandshake(): boolean {
		return this.state.rules.some(
			(active) => isOfHandshakes(active.rule) && this.#drawn(active) !== null,
		);
	}

	#drawn(active: ActiveRule): Fault | null {
		const { rule, until } = active;
		if (until !== null && this.#clock.now() >= until) return null;
		// Once by default; what is for a while, or a mix, has no limit.
		const limit = 'rates' in rule || until !== null ? null : 1;
		const times = rule.times === undefined ? limit : rule.times;
		if (++active.matched <= rule.skip || (times !== null && active.happened >= times)) return null;
		const fault = 'fault' in rule ? rule.fault : mixed(rule.rates, next(active));
		if (fault) active.happened++;
		if (fault?.kind !== 'delay' || fault.jitterMs === undefined) return fault;
		return { ...fault, ms: fault.ms + (2 * next(active) - 1) * fault.jitterMs };
	}
}

/** The next number of the rule's random sequence, the same in each run. */
const next = (active: ActiveRule): number =>
	randomAt('rates' in active.rule ? active.rule.seed : 0, active.drawn++);

/** The number from 0 to 1 at this place of a seed's sequence (mulberry32). */
function randomAt(seed: number, index: number): number {
	const state = (seed + Math.imul(index + 1, 0x6d2b79f5)) >>> 0;
	let mixed = Math.imul(state ^ (state >>> 15), state | 1);
	mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
	return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

function isOfHandshakes(rule: FaultRule): boolean {
	return 'fault' in rule && rule.fault.kind === 'cutHandshake';
}

/** The fault whose share of the range 0 to 1 contains the number, or none. */
function mixed(rates: Partial<Record<string, number>>, drawn: number): Fault | null {
	let upTo = 0;
	for (const name of MIXED_NAMES) {
		upTo += rates[name] ?? 0;
		if (drawn < upTo) return MIXED[name] ?? null;
	}
	return null;
}

function answer(status: number, body: string): FaultAnswer {
	const contentType = body ? 'text/html; charset=utf-8' : undefined;
	const plain = { headers: {}, processed: false, reset: false };
	return { kind: 'answer', status, body, contentType, ...plain };
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

function sum(numbers: Array<number | undefined>): number {
	// Rounded: ten tenths make one, but not in floating point.
	const total = numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
	return Math.round(total * 1e9) / 1e9;
}
