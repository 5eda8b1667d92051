// What a generated world consists of: an input, how the node is set, what the service does, and how often
// the node is run.
import fc from 'fast-check';

import type { Plan, Step } from './service.ts';

export const OPERATIONS = [
	'send',
	'resend',
	'resendTo',
	'customers',
	'consents',
	'remind',
] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface World {
	/** Another for each: names and keys are made of it. */
	number: number;
	operation: Operation;
	/** Entries of each input item; 0 for an item that fails its check. */
	items: number[];
	steps: Plan['steps'];
	handshakes: Plan['handshakes'];
	/** Entries that the service refuses, by item and place. */
	refusedAt: Array<[item: number, at: number]>;
	namesThem: boolean;
	settings: {
		continues: boolean;
		retries: boolean;
		isolates: boolean;
		groups: boolean;
		concurrency: number;
		/** Expressions that come out different at every try. */
		isVolatile: boolean;
	};
	/** Of letters: none, kept by n8n, or kept by a receiver. */
	keys: 'none' | 'n8n' | 'receiver';
	/** How often a failed execution is retried from n8n's list. */
	retriesFromList: number;
	/** Further executions with the same keys, and whether they run beside the first. */
	again: { count: number; atOnce: boolean };
	/** The first execution is stopped when so many requests have come in, or never. */
	stopAt: number | null;
}

/** Answers that the interface does not promise. */
const answers = fc.constantFrom(
	{ status: 200, contentType: 'text/html', body: '<html><h1>Sign in</h1></html>' },
	{ status: 201, contentType: 'text/html', body: '<html>Created</html>' },
	{ status: 201, body: '' },
	{ status: 204, body: '' },
	{ status: 200, body: {} },
	{ status: 201, body: 'null' },
	{ status: 201, body: '[]' },
	{ status: 201, body: '[null]' },
	{ status: 201, body: { messages: [] } },
	{ status: 201, body: { messages: [null] } },
	{ status: 201, body: { messages: [{ id: 'none' }] } },
	{ status: 201, body: { customers: {} } },
	{ status: 201, body: '{"messages":[{"id":"0000' },
	{ status: 202, body: { message: 'Later' } },
	{ status: 301, headers: { location: '/elsewhere' }, body: '' },
	{ status: 303, headers: { location: 'https://localhost:9/' }, body: '' },
	{ status: 307, headers: { location: '/messages/bulk_send' }, body: '' },
	{ status: 500, body: { message: 'Oops', code: 'oops' } },
	{ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' },
	{ status: 503, body: '' },
);

/** Refusals, which the service means. */
const refusals = fc.constantFrom(
	{ status: 400, body: { message: 'No' } },
	{ status: 402, body: { message: 'Pay', code: 'payment-request-rejected' } },
	{ status: 403, contentType: 'text/html', body: '<h1>Forbidden</h1>' },
	{ status: 413, body: '' },
	{ status: 422, body: { message: 'No', code: 'customer-not-found' } },
	{ status: 429, headers: { 'retry-after': '0' }, body: '' },
	{ status: 429, headers: { 'retry-after': '3600' }, body: '' },
	{ status: 503, headers: { 'retry-after': '0' }, body: '' },
);

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: fc.constant({ kind: 'right' as const }) },
	{
		weight: 4,
		arbitrary: fc.record({
			kind: fc.constant('answer' as const),
			isDone: fc.boolean(),
			answer: answers,
		}),
	},
	{
		weight: 2,
		arbitrary: refusals.map((answer) => ({ kind: 'answer' as const, isDone: false, answer })),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant('cutAnswer' as const),
			part: fc.double({ min: 0, max: 0.99, noNaN: true }),
			rst: fc.boolean(),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({ kind: fc.constant('cutRequest' as const), bytes: fc.nat(400) }),
	},
	{ weight: 1, arbitrary: fc.constant({ kind: 'early' as const, status: 413 }) },
);

/**
 * Who is asked for the entry at this place. Each world has names of its own: of one whose execution was
 * stopped, a request may still be on its way.
 */
export function nameOf({ operation, number }: World, item: number, at: number): string {
	const digits = `${number}${item}${at}`;
	if (operation === 'resend' || operation === 'resendTo') return digits.padStart(12, '0');
	if (operation === 'remind') return `00000000-0000-4000-8000-${digits.padStart(12, '0')}`;
	return `w${number}i${item}e${at}@x.example`;
}

/** The service's plan for a world. */
export function planOf(world: World): Plan {
	const refused = world.refusedAt.map(([item, at]) => nameOf(world, item, at));
	const { steps, handshakes, namesThem } = world;
	return { steps, handshakes, refused, namesThem };
}

export const world: fc.Arbitrary<Omit<World, 'number'>> = fc
	.record({
		operation: fc.oneof(
			{ weight: 2, arbitrary: fc.constant('send' as const) },
			{ weight: 1, arbitrary: fc.constantFrom(...OPERATIONS) },
		),
		items: fc.array(
			fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3 })),
			{
				minLength: 1,
				maxLength: 5,
			},
		),
		steps: fc.array(step, { maxLength: 8 }),
		handshakes: fc.array(
			fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
			{
				maxLength: 6,
			},
		),
		refusedAt: fc.array(fc.tuple(fc.nat(4), fc.nat(2)), { maxLength: 2 }),
		namesThem: fc.boolean(),
		settings: fc.record({
			continues: fc.boolean(),
			retries: fc.boolean(),
			isolates: fc.boolean(),
			groups: fc.boolean(),
			concurrency: fc.integer({ min: 1, max: 3 }),
			isVolatile: fc.boolean(),
		}),
		keys: fc.constantFrom('none' as const, 'n8n' as const, 'receiver' as const),
		retriesFromList: fc.nat(2),
		again: fc.record({ count: fc.nat(2), atOnce: fc.boolean() }),
		stopAt: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 4 }),
	})
	.map(({ settings, keys, ...one }) => ({
		...one,
		// Where bad entries are isolated the node has to go on (its own rule).
		settings: { ...settings, isolates: settings.isolates && settings.continues },
		keys: one.operation === 'send' ? keys : ('none' as const),
	}));
