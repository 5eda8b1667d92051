// What may become of a message, by the interface's table of transitions, and what a world does to the
// news of it: webhooks that are late, repeated, lost or nameless, polls that fail or come too soon.
import fc from 'fast-check';
import type { MessageType } from '../../../../webhook-receiver/src/core/event-contract.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A change of a message, so long after it was sent or put up for sending. */
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

export const FAULTS = [
	'not found',
	'page not found',
	'page',
	'no status',
	'status is no text',
	'other id',
	'no id',
	'error',
	'busy',
	'not let in',
	'reset',
] as const;
export type Fault = (typeof FAULTS)[number];

export interface World {
	messageType: MessageType;
	/** Whether who asked to watch it said of which type it is. */
	isTypeTold: boolean;
	isScheduled: boolean;
	changes: Change[];
	/** What the service shows of a message that failed: a status, or the one it had before. */
	showsFailure: boolean;
	naming: Naming;
	/** More happens than polls see: between two of them, and with little time between. */
	isQuick: boolean;
	watchedFrom: number;
	/** How far what the service answers is behind what it has told by webhook. */
	lag: number;
	/** Of the polls in turn; null for one that goes well. */
	faults: Array<Fault | null>;
	/** How long polls take. */
	takes: number;
	/** Every so many polls the answer of the one before comes once more, from a receiver that was slow. */
	echoes: number;
}

const TRACKED: Record<string, readonly string[]> = {
	SCHEDULED: ['SENT', 'FAILED', 'CANCELLED'],
	SENT: ['RECEIVED', 'RECEIVED', 'UNDELIVERED', 'FAILED', 'HELD'],
	HELD: ['RECEIVED', 'UNDELIVERED'],
	RECEIVED: ['OPENED', 'EXPIRED', 'UNDELIVERED', 'end'],
	UNDELIVERED: ['RECEIVED', 'RECEIVED', 'end'],
};
const REGISTERED: Record<string, readonly string[]> = {
	SCHEDULED: ['SENT', 'FAILED', 'CANCELLED'],
	SENT: ['ACCEPTED', 'REFUSED', 'EXPIRED', 'UNDELIVERED', 'RECEIVED', 'HELD'],
	HELD: ['ACCEPTED', 'EXPIRED'],
	RECEIVED: ['ACCEPTED', 'REFUSED', 'EXPIRED'],
	UNDELIVERED: ['ACCEPTED', 'EXPIRED', 'end'],
};
const SIMPLE: Record<string, readonly string[]> = {
	SCHEDULED: ['SENT', 'FAILED', 'CANCELLED'],
	SENT: ['RECEIVED', 'EXPIRED', 'UNDELIVERED', 'FAILED', 'HELD'],
	HELD: ['RECEIVED', 'EXPIRED'],
	UNDELIVERED: ['RECEIVED', 'EXPIRED', 'end'],
};

const HAS_WEBHOOK = ['SENT', 'RECEIVED', 'OPENED', 'UNDELIVERED', 'FAILED'];

export function isTracked({ messageType }: Pick<World, 'messageType'>): boolean {
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

/** Between two changes lies more time than between two polls, however many of these fail. */
const slowGap = fc.integer({ min: 4 * HOUR, max: 3 * DAY });
const quickGap = fc.integer({ min: 5 * MINUTE, max: 8 * HOUR });
/** Seconds, as services give them. */
const delay = fc
	.oneof(
		{ weight: 3, arbitrary: fc.integer({ min: 0, max: 20 }) },
		{ weight: 2, arbitrary: fc.integer({ min: 20, max: 3 * 3600 }) },
		{ weight: 2, arbitrary: fc.integer({ min: 3 * 3600, max: 6 * 86_400 }) },
	)
	.map((seconds) => seconds * 1000);
const delays = fc.array(delay, { maxLength: 2 });

const faults = fc.array(
	fc.oneof(
		{ weight: 4, arbitrary: fc.constant(null) },
		{ weight: 1, arbitrary: fc.constantFrom(...FAULTS) },
	),
	{ minLength: 1, maxLength: 40 },
);

const parts = {
	messageType: fc.constantFrom<MessageType>('AES', 'MT', 'LRE', 'LS', 'AS'),
	isTypeTold: fc.boolean(),
	isScheduled: fc.boolean(),
	choices: fc.array(fc.nat(60), { minLength: 1, maxLength: 8 }),
	gaps: fc.array(slowGap, { minLength: 8, maxLength: 8 }),
	quickGaps: fc.option(fc.array(quickGap, { minLength: 8, maxLength: 8 })),
	webhooks: fc.array(delays, { minLength: 8, maxLength: 8 }),
	showsFailure: fc.boolean(),
	naming: fc.constantFrom<Naming>('time', 'created', 'id', 'nothing'),
	watchedFrom: fc.oneof(fc.constant(0), fc.nat(30 * MINUTE), fc.nat(15 * DAY)),
	lag: fc.constantFrom(0, 5_000, 20_000),
	faults: faults.map(neverLong),
	takes: fc.constantFrom(0, 2_000, 14_000),
	echoes: fc.integer({ min: 2, max: 30 }),
};

export const worlds = fc.record(parts).map(toWorld);

/** In every row of the table for tracked mail, what leads on from one bounce to the next. */
const BOUNCES_ON = 6;

/** A mailbox that bounces and recovers again and again, faster than polls see it. */
export const bouncingWorlds = fc
	.record({
		...parts,
		messageType: fc.constantFrom<MessageType>('AES', 'MT'),
		choices: fc.array(
			fc.oneof(
				{ weight: 6, arbitrary: fc.constant(BOUNCES_ON) },
				{ weight: 1, arbitrary: fc.nat(60) },
			),
			{ minLength: 5, maxLength: 8 },
		),
		quickGaps: fc.array(quickGap, { minLength: 8, maxLength: 8 }),
		naming: fc.constant<Naming>('time'),
		watchedFrom: fc.oneof(fc.constant(0), fc.nat(DAY)),
	})
	.map(toWorld);

interface Parts extends Omit<World, 'changes' | 'isQuick'> {
	choices: number[];
	gaps: number[];
	quickGaps: number[] | null;
	webhooks: number[][];
}

function toWorld({ choices, gaps: slowGaps, quickGaps, webhooks, ...rest }: Parts): World {
	const steps = stepsOf(rest.messageType, choices);
	// Only times tell what came when polls have missed it.
	const isQuick = quickGaps !== null && rest.naming === 'time';
	const gaps = isQuick ? quickGaps : slowGaps;
	let at = rest.isScheduled ? 0 : -(gaps[0] ?? 0);
	const changes = steps.map((step, index): Change => {
		at += gaps[index] ?? 0;
		const has = isTracked(rest)
			? HAS_WEBHOOK.includes(step)
			: rest.messageType === 'LRE' && step === 'FAILED';
		return { at, step, webhooks: has ? (webhooks[index] ?? []) : [] };
	});
	const told = rest.naming === 'time' ? changes : inTime(changes, rest.naming);
	// That a time is not that of the change shows where a poll has seen the message before.
	const latest = rest.naming === 'created' ? 30 * MINUTE : Infinity;
	return { ...rest, isQuick, changes: told, watchedFrom: Math.min(rest.watchedFrom, latest) };
}

/** No more than two in a row tell nothing, so that polls see every change. */
function neverLong(faults: Array<Fault | null>): Array<Fault | null> {
	return [...faults.map((fault, index) => (index % 3 === 2 ? null : fault)), null];
}

/**
 * A webhook that does not name the time of its change can't be told from another one of its kind before or after it. Where a
 * kind comes twice, it comes before the next change; with nothing at all, it comes twice soon.
 */
function inTime(changes: readonly Change[], naming: Naming): Change[] {
	return changes.map((change, index) => {
		const isAmbiguous = changes.some(({ step }) => step === 'UNDELIVERED' || step === 'HELD');
		const next = changes[index + 1]?.at ?? Infinity;
		const limit = isAmbiguous ? Math.min(next - change.at - HOUR, 3 * HOUR) : Infinity;
		const first = Math.min(change.webhooks[0] ?? 0, limit);
		const webhooks = change.webhooks.map((delay) => {
			const kept = Math.min(delay, limit);
			return naming === 'nothing' ? Math.min(Math.max(kept, first), first + 9 * MINUTE) : kept;
		});
		return { ...change, webhooks };
	});
}
