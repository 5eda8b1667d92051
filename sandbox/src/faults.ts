import { z } from 'zod/v4';
import { seededRandom } from './random.ts';

/** What goes wrong with one request. */
export const faultSchema = z.discriminatedUnion('kind', [
	/** Answered at once and never processed. */
	z.strictObject({
		kind: z.literal('status'),
		status: z.number().int().min(400).max(599),
		/** Seconds, or the text of the header as it is; none when left out. */
		retryAfter: z.union([z.number().min(0), z.string().min(1)]).optional(),
		body: z.enum(['json', 'html', 'empty']).default('json'),
		code: z.string().optional(),
		message: z.string().optional(),
	}),
	/** Processed as ever, only later. */
	z.strictObject({ kind: z.literal('delay'), ms: z.number().min(0).max(600_000) }),
	/** Never processed: the connection is cut before the body is read. */
	z.strictObject({ kind: z.literal('cutBefore') }),
	/** Never processed: the connection is cut once a part of the body has come. */
	z.strictObject({ kind: z.literal('cutBody'), afterBytes: z.number().int().min(0).default(1) }),
	/** Processed in full, and the connection cut before the answer. */
	z.strictObject({ kind: z.literal('cutAfter') }),
	/** Processed in full, and the connection cut halfway through the body of the answer. */
	z.strictObject({ kind: z.literal('cutAnswer') }),
]);
export type Fault = z.infer<typeof faultSchema>;

/** The faults a random mix draws from, by name. */
const MIXED: Record<string, Fault> = {
	tooManyRequests: { kind: 'status', status: 429, retryAfter: 1, body: 'json' },
	unavailable: { kind: 'status', status: 503, retryAfter: 1, body: 'json' },
	unavailableSilent: { kind: 'status', status: 503, body: 'empty' },
	serverError: { kind: 'status', status: 500, body: 'json' },
	badGateway: { kind: 'status', status: 502, body: 'html' },
	delay: { kind: 'delay', ms: 200 },
	cutBefore: { kind: 'cutBefore' },
	cutBody: { kind: 'cutBody', afterBytes: 1 },
	cutAfter: { kind: 'cutAfter' },
	cutAnswer: { kind: 'cutAnswer' },
};
const MIXED_NAMES = Object.keys(MIXED) as [string, ...string[]];

const where = {
	/** Any method when left out. */
	method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).optional(),
	/** As in the interface, `/messages/{id}`: a part in braces or `*` stands for any. Any path when left out. */
	path: z.string().startsWith('/').optional(),
	/** So many requests that match pass first. */
	skip: z.number().int().min(0).default(0),
	/** How often; until cleared with null. */
	times: z.number().int().min(1).nullable().optional(),
};

export const ruleSchema = z.union([
	z.strictObject({ ...where, fault: faultSchema }),
	z
		.strictObject({
			...where,
			seed: z.number().int(),
			rates: z.partialRecord(z.enum(MIXED_NAMES), z.number().min(0).max(1)),
		})
		.refine(({ rates }) => sum(Object.values(rates)) <= 1, { message: 'rates add up to over 1' }),
]);
export type FaultRule = z.infer<typeof ruleSchema>;

interface ActiveRule {
	id: string;
	rule: FaultRule;
	/** Requests that matched. */
	matched: number;
	/** Faults that happened. */
	happened: number;
	draw: (() => number) | null;
}

/** Which request meets which fault; decided in the order the requests come. */
export class FaultPlan {
	#rules: ActiveRule[] = [];
	#count = 0;

	add(rule: FaultRule): string {
		const draw = 'rates' in rule ? seededRandom(rule.seed) : null;
		const id = `fault_${++this.#count}`;
		this.#rules.push({ id, rule, matched: 0, happened: 0, draw });
		return id;
	}

	clear(): void {
		this.#rules = [];
	}

	list() {
		return this.#rules.map(({ id, rule, matched, happened }) => ({
			id,
			...rule,
			matched,
			happened,
		}));
	}

	/** The fault of this request: of the first rule that has one for it. */
	take(method: string, path: string): Fault | null {
		for (const active of this.#rules) {
			const fault = matches(active.rule, method, path) ? drawn(active) : null;
			if (fault) return fault;
		}
		return null;
	}
}

function matches(rule: FaultRule, method: string, path: string): boolean {
	if (rule.method !== undefined && rule.method !== method) return false;
	if (rule.path === undefined) return true;
	const wanted = rule.path.split('/');
	const given = path.split('/');
	return (
		wanted.length === given.length &&
		wanted.every((part, index) => part === '*' || /^\{.*\}$/.test(part) || part === given[index])
	);
}

function drawn(active: ActiveRule): Fault | null {
	const { rule, draw } = active;
	// Once unless told otherwise; a mix goes on.
	const times = rule.times === undefined ? (draw ? null : 1) : rule.times;
	if (++active.matched <= rule.skip || (times !== null && active.happened >= times)) return null;
	const fault = 'fault' in rule ? rule.fault : mixed(rule.rates, draw?.() ?? 1);
	if (fault) active.happened++;
	return fault;
}

/** The fault whose share of the range from 0 to 1 the number falls into, or none. */
function mixed(rates: Partial<Record<string, number>>, drawn: number): Fault | null {
	let upTo = 0;
	for (const name of MIXED_NAMES) {
		upTo += rates[name] ?? 0;
		if (drawn < upTo) return MIXED[name] ?? null;
	}
	return null;
}

function sum(numbers: Array<number | undefined>): number {
	// Rounded: ten tenths are one, though not in floating point.
	const total = numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
	return Math.round(total * 1e9) / 1e9;
}
