// What may become of letters, consents and customers, by the interface's table of transitions, and of the
// news of it: webhooks that are late, repeated, lost or nameless, polls that fail or are overtaken.
import fc from 'fast-check';
import type { MessageType } from '../../../../webhook-receiver/src/core/event-contract.ts';
import type { Trouble } from './service.ts';

const HOUR = 3_600_000;

/** A change of a letter, so long after the town began. */
export interface Change {
	at: number;
	step: string;
	/** When its webhook comes, so long after it; none where there is none or it is lost. */
	webhooks: number[];
}

/**
 * What a webhook says of which one it is: the time of its change, that of the message, which all have
 * in common, an id of its own, or nothing.
 */
export type Naming = 'time' | 'created' | 'id' | 'nothing';

/** What the service answers instead of a status. */
const FAULTS: Record<string, Trouble> = {
	'not found': { status: 404, body: { code: 'message-not-found', message: 'No' } },
	'page not found': { status: 404, body: '<html>Not found</html>' },
	page: { status: 200, body: '<html>Maintenance</html>' },
	'no status': { status: 200, body: { evidences: [] } },
	'other id': { status: 200, body: { id: '999999999999', status: 'REFUSED', evidences: [] } },
	'no id': { status: 200, body: { status: 'REFUSED' } },
	error: { status: 500, body: 'oops' },
	reset: 'reset',
};
/** What holds up all polls, and so is rare. */
const HOLDS: Record<string, Trouble> = {
	busy: { status: 429, headers: { 'retry-after': '5' } },
	'not let in': { status: 401, body: { code: 'unauthorized' } },
};

export interface Letter {
	messageType: MessageType;
	/** Whether who asked to watch it said of which type it is. */
	isTypeTold: boolean;
	changes: Change[];
	/** What the service shows of a message that failed: a status, or the one it had before. */
	showsFailure: boolean;
	naming: Naming;
	/** Whether it is watched only after its first change. */
	isWatchedLate: boolean;
	/** Whether its webhooks come before a poll, after it, or while its answer is under way. */
	order: 'before' | 'after' | 'during';
	/** Of the polls in turn; null for one that goes well. */
	faults: Array<Trouble | null>;
}

const ONCE_SENT = ['SENT', 'SENT', 'SENT', 'SENT', 'SENT', 'SENT', 'FAILED', 'CANCELLED'];
const TRACKED: Record<string, readonly string[]> = {
	SCHEDULED: ONCE_SENT,
	SENT: ['RECEIVED', 'RECEIVED', 'UNDELIVERED', 'UNDELIVERED', 'FAILED', 'HELD'],
	HELD: ['RECEIVED', 'UNDELIVERED'],
	RECEIVED: ['UNDELIVERED', 'UNDELIVERED', 'UNDELIVERED', 'OPENED', 'EXPIRED'],
	UNDELIVERED: ['RECEIVED', 'RECEIVED', 'RECEIVED', 'RECEIVED', 'end'],
};
const REGISTERED: Record<string, readonly string[]> = {
	SCHEDULED: ONCE_SENT,
	SENT: ['ACCEPTED', 'REFUSED', 'EXPIRED', 'UNDELIVERED', 'RECEIVED', 'HELD'],
	HELD: ['ACCEPTED', 'EXPIRED'],
	RECEIVED: ['ACCEPTED', 'REFUSED', 'EXPIRED'],
	UNDELIVERED: ['ACCEPTED', 'EXPIRED', 'end'],
};
const SIMPLE: Record<string, readonly string[]> = {
	SCHEDULED: ONCE_SENT,
	SENT: ['RECEIVED', 'EXPIRED', 'UNDELIVERED', 'HELD'],
	HELD: ['RECEIVED', 'EXPIRED'],
	UNDELIVERED: ['RECEIVED', 'EXPIRED', 'end'],
};
const HAS_WEBHOOK = ['SENT', 'RECEIVED', 'OPENED', 'UNDELIVERED', 'FAILED'];

export function isTracked({ messageType }: Pick<Letter, 'messageType'>): boolean {
	return messageType === 'AES' || messageType === 'MT';
}

function stepsOf(messageType: MessageType, choices: readonly number[]): string[] {
	const table = isTracked({ messageType }) ? TRACKED : messageType === 'LRE' ? REGISTERED : SIMPLE;
	const steps: string[] = [];
	let step = 'SCHEDULED';
	for (const choice of choices) {
		const next = table[step] ?? ['end'];
		step = next[choice % next.length] ?? 'end';
		if (step === 'end') break;
		steps.push(step);
	}
	return steps;
}

/** No more than two in a row tell nothing, so that polls see every change. */
const faults = fc
	.array(
		fc.oneof(
			{ weight: 40, arbitrary: fc.constant(null) },
			{ weight: 10, arbitrary: fc.constantFrom(...Object.values(FAULTS)) },
			{ weight: 1, arbitrary: fc.constantFrom(...Object.values(HOLDS)) },
		),
		{ minLength: 1, maxLength: 40 },
	)
	.map((all) => [...all.map((fault, index) => (index % 3 === 2 ? null : fault)), null]);

export const letters: fc.Arbitrary<Letter> = fc
	.record({
		messageType: fc.constantFrom<MessageType>('AES', 'MT', 'AES', 'MT', 'LRE', 'LS', 'AS'),
		isTypeTold: fc.boolean(),
		choices: fc.array(fc.nat(60), { minLength: 4, maxLength: 7 }),
		// Between two changes lies more time than between two polls, however many of these fail.
		gaps: fc.array(fc.integer({ min: 8 * HOUR, max: 20 * HOUR }), { minLength: 7, maxLength: 7 }),
		delays: fc.array(
			fc.array(
				fc.oneof(
					fc.nat(HOUR / 3),
					fc.nat(HOUR / 3),
					fc.integer({ min: HOUR, max: 7 * HOUR }),
					fc.nat(48 * HOUR),
				),
				{ maxLength: 2 },
			),
			{ minLength: 7, maxLength: 7 },
		),
		showsFailure: fc.boolean(),
		naming: fc.constantFrom<Naming>('time', 'created', 'id', 'nothing'),
		isWatchedLate: fc.boolean(),
		order: fc.constantFrom<Letter['order']>('before', 'after', 'during'),
		faults,
	})
	.map(({ choices, gaps, delays, ...rest }) => {
		const steps = stepsOf(rest.messageType, choices);
		let at = 0;
		const changes = steps.map((step, place): Change => {
			at += gaps[place] ?? 0;
			const has = isTracked(rest)
				? HAS_WEBHOOK.includes(step)
				: rest.messageType === 'LRE' && step === 'FAILED';
			return { at, step, webhooks: has ? (delays[place] ?? []) : [] };
		});
		// That a time is not that of the change shows where a poll has seen the message before.
		const isWatchedLate = rest.isWatchedLate && rest.naming === 'time';
		return { ...rest, isWatchedLate, changes: changes.map(inTime(rest.naming)) };
	});

/**
 * Where a step may come twice, its webhook comes before the next change: whether a poll saw what it tells
 * of can't be decided later. One that is repeated may come at any time if it says which one it is.
 */
function inTime(naming: Naming) {
	return (change: Change, place: number, all: readonly Change[]): Change => {
		const isAmbiguous = all.some(({ step }) => step === 'UNDELIVERED' || step === 'HELD');
		const next = all[place + 1]?.at ?? Infinity;
		const limit = isAmbiguous ? next - change.at - HOUR : Infinity;
		const [first, ...repeated] = change.webhooks.toSorted((left, right) => left - right);
		if (first === undefined) return change;
		const isNamed = naming === 'time';
		const later = repeated.map((delay) => (isNamed ? delay : Math.min(delay, limit)));
		return { ...change, webhooks: [Math.min(first, limit), ...later] };
	};
}

export const STATES = {
	consents: ['PENDING', 'ACCEPTED', 'REFUSED', 'Withdrawn'],
	customers: ['PENDING', 'ACCEPTED', 'REVOKED', 'REFUSED', 'CANCELLED', 'SUSPENDED'],
};

/** What happens to a list, or to a request for one of its pages. */
export type ListStep =
	| { do: 'add' | 'change' | 'replace'; place: number; state: number }
	| { do: 'fail'; how: Trouble }
	| { do: 'nothing' };

const LIST_FAULTS: Trouble[] = [
	{ status: 200, body: '<html>Login</html>' },
	{ status: 200, body: [] },
	{ status: 404, body: { code: 'message-not-found' } },
	{ status: 403, body: { code: 'forbidden' } },
	{ status: 429, headers: { 'retry-after': '5' } },
	{ status: 500, body: '' },
];

/** One before each page that is asked for. */
export const listSteps: fc.Arbitrary<ListStep[]> = fc.array(
	fc.oneof(
		{ weight: 12, arbitrary: fc.constant<ListStep>({ do: 'nothing' }) },
		{
			weight: 6,
			arbitrary: fc.record({
				do: fc.constantFrom('add', 'change', 'change', 'change', 'replace'),
				place: fc.nat(30),
				state: fc.nat(5),
			}),
		},
		{
			weight: 1,
			arbitrary: fc.record({
				do: fc.constant('fail' as const),
				how: fc.constantFrom(...LIST_FAULTS),
			}),
		},
	),
	{ minLength: 300, maxLength: 300 },
);
