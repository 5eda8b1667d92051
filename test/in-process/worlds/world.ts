// What a generated world consists of: an input, how the node is set, what the service and the receiver do,
// and which executions there are.
//
// What is left to Send Once Keys, or to a receiver that keeps them, no world has: an execution that
// is started again rather than retried, a sub-workflow that its parent runs again, and two n8n processes.
import fc from 'fast-check';

import type { Fate } from '../../support/key-receiver.ts';
import { firstname, inAddress, keyKind, type KeyKind } from '../../support/characters.ts';
import type { StubAnswer } from '../../support/stub-service.ts';
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
	items: Item[];
	/** What all of its addresses have in the middle, and the first name of all. */
	inAddress: string;
	firstname: string;
	steps: Plan['steps'];
	handshakes: Plan['handshakes'];
	/** Entries that the service refuses, by item and place. */
	refusedAt: Array<[item: number, at: number]>;
	namesThem: boolean;
	settings: {
		onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
		/** How often the error output leads back into the node. */
		rounds: number;
		/** What comes back is the item as it was before the node. */
		restores: boolean;
		retries: boolean;
		groups: boolean;
		concurrency: number;
		/** Expressions that come out different at every try. */
		isVolatile: boolean;
	};
	/** Of letters: none, kept by n8n, or kept by a receiver. */
	keys: 'none' | 'n8n' | 'receiver';
	/** By request to the receiver; what is beyond the list gets through. */
	fates: Fate[];
	/** One after the other; the executions of a chapter are at once. */
	story: Chapter[];
}

export interface Item {
	/** 0 for an item that fails its check. */
	entries: number;
	/** What it has of the item before it: nothing, its key, or all. */
	repeats: 'nothing' | 'key' | 'letter';
	/** Of its key, if that is its own. */
	key: KeyKind;
}

export interface Chapter {
	/** All leases of what was before have ended. */
	isLater: boolean;
	acts: Act[];
}

export interface Act {
	/** Which of the failed executions it retries, from n8n's list; null: a new execution. */
	retries: number | null;
	/** What a new execution does, under the same keys as all. */
	use: Use;
	/** The account has a new token by now. */
	isRenewed: boolean;
	/** How keys are written. */
	spelling: number;
	/** The node was cut and pasted by now. */
	isPasted: boolean;
	/** Stopped when so many requests have come in, or never. */
	stopAt: number | null;
}

/** What makes a letter another one, though its key is the same. */
export interface Use {
	account: keyof typeof ACCOUNTS;
	sender: string | null;
	type: 'LS' | 'AS';
	people: number;
}

/** Accounts: n8n's credential, its token, and the host of the service. */
export const ACCOUNTS = {
	own: { id: 'own', token: 'own', host: 'localhost' },
	other: { id: 'other', token: 'other', host: 'localhost' },
	elsewhere: { id: 'other', token: 'other', host: '127.0.0.1' },
	/** The credential that had been `own`, with another address. */
	moved: { id: 'own', token: 'own', host: '127.0.0.1' },
};

const CUSTOMERS = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];

/** The end of an account's second token. */
export const RENEWED = '-renewed';

/** How the service sees who sent what: its host, the account, the customer and the type. */
export function markOf({ operation }: World, { account, sender, type }: Use): string {
	const { host, token } = ACCOUNTS[account];
	return [host, token, ...(operation === 'send' ? [sender, type] : [])].join(' ');
}

export const USUAL: Use = { account: 'own', sender: null, type: 'LS', people: 0 };

/** Executions of a world, at most. */
const MOST_EXECUTIONS = 12;

/** The item whose key an item has. */
export function keyOf({ items }: World, item: number): number {
	return items[item].repeats === 'nothing' ? item : keyOf({ items } as World, item - 1);
}

/** The item whose letter an item is. */
export function letterOf({ items }: World, item: number): number {
	return items[item].repeats === 'letter' ? letterOf({ items } as World, item - 1) : item;
}

/**
 * Who is asked for the entry at this place. Each world has names of its own: of one whose execution was
 * stopped, a request may still be on its way. So has each new execution, unless keys make it the same
 * letter.
 */
export function nameOf(
	{ operation, number, inAddress: middle = '' }: World,
	variant: number,
	item: number,
	at: number,
): string {
	const digits = `${number}${String(variant).padStart(2, '0')}${item}${at}`;
	if (operation === 'resend' || operation === 'resendTo') return digits.padStart(12, '0');
	if (operation === 'remind') return `00000000-0000-4000-8000-${digits.padStart(12, '0')}`;
	return `w${number}${middle}v${variant}i${item}e${at}@x.example`;
}

/** The service's plan for a world. */
export function planOf(world: World): Plan {
	const refused = world.refusedAt.flatMap(([item, at]) =>
		Array.from({ length: MOST_EXECUTIONS }, (_, variant) => nameOf(world, variant, item, at)),
	);
	const { steps, handshakes, namesThem } = world;
	return { steps, handshakes, refused, namesThem };
}

/** Answers that the interface does not promise. */
const answers = fc.constantFrom<StubAnswer>(
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
);

/** Bodies of whoever stands before the service. */
const pages = fc.constantFrom<StubAnswer>(
	{ contentType: 'text/html', body: '<html><h1>Not now</h1></html>' },
	{ contentType: 'text/plain', body: 'upstream request timeout' },
	{ body: '' },
	{ body: {} },
	{ body: [] },
	{ body: { error: { status: 'upstream' } } },
	{ body: { title: 'Unavailable', detail: 'No upstream' } },
	{ body: { success: false, errors: [{ code: 1015, message: 'No' }] } },
	{ body: { errors: [{ message: 'No', path: ['send'] }], data: null } },
	{ body: { message: 'No', code: 'UPSTREAM_TIMEOUT' } },
	{ headers: { age: '30' }, body: { message: 'No', code: 'message-bad-contacts' } },
);

const waits = fc.constantFrom<StubAnswer>(
	{},
	{},
	{ headers: { 'retry-after': '0' } },
	{ headers: { 'retry-after': '3600' } },
);

const answered = (status: fc.Arbitrary<number>) =>
	fc.tuple(status, pages, waits).map(([code, page, wait]): StubAnswer => {
		const headers = { ...page.headers, ...wait.headers };
		return { status: code, ...page, headers };
	});

/** Statuses that by their meaning come before a request is taken. */
export const BEFORE = [400, 401, 403, 404, 405, 407, 429, 431];

/** All others may come from a proxy that has passed the request on. */
const AFTER = [
	402, 406, 408, 409, 410, 413, 421, 422, 423, 424, 425, 428, 451, 499, 500, 501, 502, 503, 503,
	504, 507, 511, 520, 522, 524, 529, 530,
];

/** The service's own refusals, in the interface's words. */
export const REFUSALS: StubAnswer[] = [
	{ status: 402, body: { message: 'Pay', code: 'payment-request-rejected' } },
	{ status: 409, body: { message: 'No', code: 'already-sent' } },
	{ status: 422, body: { message: 'No', code: 'customer-not-found' } },
	{ status: 422, body: { errors: [{ field: 'ids', rule: 'fixedLength', message: 'No' }] } },
];

const answeredWith = (isDone: fc.Arbitrary<boolean>, answer: fc.Arbitrary<StubAnswer>) =>
	fc.record({ kind: fc.constant('answer' as const), isDone, answer });

const clear: Array<fc.WeightedArbitrary<Step>> = [
	{ weight: 6, arbitrary: fc.constant({ kind: 'right' as const }) },
	{ weight: 3, arbitrary: answeredWith(fc.constant(false), fc.constantFrom(...REFUSALS)) },
	{
		weight: 2,
		arbitrary: answeredWith(fc.constant(false), answered(fc.constantFrom(...BEFORE))),
	},
];

const any: Array<fc.WeightedArbitrary<Step>> = [
	...clear,
	{ weight: 3, arbitrary: answeredWith(fc.boolean(), answers) },
	{ weight: 4, arbitrary: answeredWith(fc.boolean(), answered(fc.constantFrom(...AFTER))) },
	{ weight: 1, arbitrary: fc.constant({ kind: 'oneId' as const }) },
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('cutAnswer' as const),
			part: fc.nat(99).map((percent) => percent / 100),
			rst: fc.boolean(),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ kind: fc.constant('cutRequest' as const), bytes: fc.nat(400) }),
	},
	{ weight: 1, arbitrary: fc.constant({ kind: 'early' as const, status: 413 }) },
];

/** What is no answer to a claim. */
const notClaims = fc.constantFrom<StubAnswer>(
	{ body: { claims: [] } },
	{ body: { claims: [null] } },
	{ body: { claims: [{ state: 'leaving', mine: true }] } },
	{ body: { claims: Array(9).fill({ key: 'other', state: 'waiting' }) } },
);

const fate: fc.Arbitrary<Fate> = fc.record({
	isDone: fc.boolean(),
	answer: fc.oneof(
		fc.constantFrom('own' as const, 'late' as const, 'cut' as const),
		answered(fc.constantFrom(200, 500, 502, 503, 504)),
		notClaims,
	),
});

const use: fc.Arbitrary<Use> = fc.oneof(
	{ weight: 7, arbitrary: fc.constant(USUAL) },
	{
		weight: 2,
		arbitrary: fc
			.record({
				account: fc.constantFrom(...(Object.keys(ACCOUNTS) as Array<keyof typeof ACCOUNTS>)),
				sender: fc.constantFrom(...CUSTOMERS),
				type: fc.constant('AS' as const),
				people: fc.constant(1),
			})
			.chain((other) => fc.constantFrom<keyof Use>(...MEMBERS).map((one) => only(one, other))),
	},
);
const MEMBERS = ['account', 'sender', 'type', 'people'] as const;
const only = (member: keyof Use, other: Use): Use => ({ ...USUAL, [member]: other[member] });

const actOf = (retries: fc.Arbitrary<number | null>): fc.Arbitrary<Act> =>
	fc.record({
		retries,
		use,
		isRenewed: fc.boolean(),
		spelling: fc.nat(11),
		isPasted: fc.boolean(),
		stopAt: fc.oneof(
			{ weight: 9, arbitrary: fc.constant(null) },
			{ weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
		),
	});

const chapterOf = (act: fc.Arbitrary<Act>, maxLength: number): fc.Arbitrary<Chapter> =>
	fc.record({ isLater: fc.boolean(), acts: fc.array(act, { minLength: 1, maxLength }) });

/** Mostly retries of one and the same. */
const retried = fc.oneof(
	{ weight: 4, arbitrary: fc.constant(0) },
	{ weight: 1, arbitrary: fc.nat(2) },
	{ weight: 1, arbitrary: fc.constant(null) },
);

const story: fc.Arbitrary<Chapter[]> = fc
	.tuple(
		fc.integer({ min: 1, max: 3 }).chain((most) => chapterOf(actOf(fc.constant(null)), most)),
		fc.array(chapterOf(actOf(retried), 3), { maxLength: 3 }),
	)
	.map(([first, further]) => [first, ...further]);

const settings = fc
	.record({
		onError: fc.oneof(
			{ weight: 4, arbitrary: fc.constant('stopWorkflow' as const) },
			{ weight: 1, arbitrary: fc.constant('continueRegularOutput' as const) },
			{ weight: 2, arbitrary: fc.constant('continueErrorOutput' as const) },
		),
		rounds: fc.nat(2),
		restores: fc.boolean(),
		retries: fc.boolean(),
		groups: fc.boolean(),
		concurrency: fc.integer({ min: 1, max: 3 }),
		isVolatile: fc.boolean(),
	})
	.map((one) => ({ ...one, rounds: one.onError === 'continueErrorOutput' ? one.rounds : 0 }));

export const world: fc.Arbitrary<Omit<World, 'number'>> = fc
	.record({
		operation: fc.oneof(
			{ weight: 2, arbitrary: fc.constant('send' as const) },
			{ weight: 1, arbitrary: fc.constantFrom(...OPERATIONS) },
		),
		items: fc.array(
			fc.record({
				entries: fc.oneof(
					{ weight: 1, arbitrary: fc.constant(0) },
					{ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) },
				),
				repeats: fc.oneof(
					{ weight: 5, arbitrary: fc.constant('nothing' as const) },
					{ weight: 1, arbitrary: fc.constantFrom('key' as const, 'letter' as const) },
				),
				key: keyKind,
			}),
			{ minLength: 1, maxLength: 5 },
		),
		inAddress,
		firstname,
		steps: fc.oneof(
			{ weight: 1, arbitrary: fc.array(fc.oneof(...any), { maxLength: 12 }) },
			{ weight: 1, arbitrary: fc.array(fc.oneof(...clear), { maxLength: 12 }) },
		),
		handshakes: fc.array(
			fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
			{ maxLength: 6 },
		),
		refusedAt: fc.array(fc.tuple(fc.nat(4), fc.nat(2)), { maxLength: 1 }),
		namesThem: fc.boolean(),
		settings,
		keys: fc.constantFrom('none' as const, 'n8n' as const, 'receiver' as const),
		fates: fc.oneof(fc.constant<Fate[]>([]), fc.array(fate, { maxLength: 12 })),
		story,
	})
	.map(({ items, ...one }) => {
		const keys = one.operation === 'send' ? one.keys : ('none' as const);
		// n8n saves nothing of an execution that is stopped, so its retry begins with the first round, and only
		// a key knows what left in a later one (docs/never-twice.md).
		const forgets = one.story.some(({ acts }) => acts.some(({ stopAt }) => stopAt !== null));
		const rounds = keys === 'none' && forgets ? 0 : one.settings.rounds;
		// Without keys, equal items are letters of their own.
		const isKeyed = (at: number) => keys !== 'none' && at > 0;
		return {
			...one,
			keys,
			fates: keys === 'receiver' ? one.fates : [],
			settings: { ...one.settings, rounds },
			items: items.map((item, at) =>
				isKeyed(at) ? item : { ...item, repeats: 'nothing' as const },
			),
		};
	});
