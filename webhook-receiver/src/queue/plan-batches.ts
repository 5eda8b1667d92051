import type { DeliveryEvent } from '../core/event-contract.ts';
import { subjectOf } from '../core/lists.ts';
import { isWanted } from '../core/match.ts';
import { ACK_WAIT_MS } from '../core/pull-contract.ts';
import type { BatchSettlement, Wants } from '../core/pull-contract.ts';
import type { LoggedEvent } from '../sql/log.ts';
import { backOff } from '../time/back-off.ts';
import { futureFrom } from '../time/set-back.ts';

/** What goes into a batch of events. */
export interface BatchContent {
	events: DeliveryEvent[];
	/** Ids of what they are about. */
	subjects: string[];
	/** Characters in their JSON. */
	size: number;
}

/** Most characters of JSON in one batch, unless a single event is larger. */
export const LARGEST_BATCH_SIZE = 1_000_000;

/** Once an answer has this many characters of JSON, no further batch is added to it. */
export const LARGEST_ANSWER_SIZE = 4_000_000;

/**
 * Most batches that may be queued; beyond that the position stops at an event of a busy subject.
 */
export const MOST_QUEUED = 200;

/** An unsettled batch, as planning sees it. */
export interface OpenBatch extends Pick<Settleable, 'state' | 'holder' | 'due_at'> {
	number: number;
	updated_at: number;
	size: number;
	/** Ids of the letters, consents and customers its events are about. */
	subjects: readonly string[];
}

interface FreshBatch extends BatchContent {
	state: 'queued' | 'in-hand';
}

export interface PlanInput<B extends OpenBatch> {
	/** All open batches of the consumer, by number. */
	open: readonly B[];
	/**
	 * Events after the position, in order, read only as far as there is room; not necessarily all.
	 */
	log: Iterable<LoggedEvent>;
	position: number;
	wants: Wants;
	holder: string;
	atOnce: number;
	now: number;
}

export interface BatchPlan<B extends OpenBatch> {
	/** Open batches to hand out, oldest first. */
	again: B[];
	/** Batches to create and number in this order; those in hand are handed out after `again`. */
	fresh: FreshBatch[];
	/** The sequence up to which every wanted event is in a batch. */
	position: number;
	/** The position stopped before an event for which there is no room now. */
	isStopped: boolean;
	/** The holder has as many in hand as allowed. */
	isFull: boolean;
	/** When something not handed out now falls due without new events, or null. */
	wakeAt: number | null;
}

/**
 * What a consumer gets next: first open batches that are due, then new ones
 * from the log. Events of one subject (a letter, a consent, a customer) stay in order: a batch
 * that shares one with an earlier open one is not handed out, and an event of a busy one goes into a
 * queued batch for that one alone, so that others need not wait.
 */
export function planBatches<B extends OpenBatch>(input: PlanInput<B>): BatchPlan<B> {
	const { open, now } = input;
	const again = dueBatches(input);
	const formed = formBatches(input, again);
	const isHandedOut = new Set<OpenBatch>(again);
	const later = open.filter((batch) => !isHandedOut.has(batch)).map(({ due_at }) => due_at);
	if (again.length > 0 || formed.fresh.some(isInHand)) later.push(now + ACK_WAIT_MS);
	const times = later.filter((time) => time > now);
	const wakeAt = times.length === 0 ? null : times.reduce((left, right) => Math.min(left, right));
	return { again, ...formed, wakeAt };
}

/**
 * The open batches that are due. One already in this holder's hands needs no extra room, so it is
 * handed out again even when more than `atOnce` are in hand.
 */
function dueBatches<B extends OpenBatch>({ open, holder, atOnce, now }: PlanInput<B>): B[] {
	const isMine = (batch: B) => isHeldBy(batch, holder);
	const isLate = (batch: B) => batch.due_at <= now || batch.updated_at > futureFrom(now);
	const free = unblocked(open);
	const mine = open.filter(isMine);
	const unsettled = mine.filter((batch) => !isLate(batch)).length;
	const returning = free.filter((batch) => isMine(batch) && isLate(batch));
	const others = free.filter((batch) => !isMine(batch) && (isInHand(batch) || isLate(batch)));
	const due = [
		...returning.slice(0, Math.max(atOnce - unsettled, 0)),
		...others.slice(0, Math.max(atOnce - mine.length, 0)),
	].sort((left, right) => left.number - right.number);
	let size = 0;
	return due.filter((batch) => (size += batch.size) <= LARGEST_ANSWER_SIZE || batch === due[0]);
}

/** Batches that share no subject with an earlier one. */
function unblocked<B extends OpenBatch>(open: readonly B[]): B[] {
	const busy = new Set<string>();
	return open.filter(({ subjects }) => {
		const isFree = subjects.every((subject) => !busy.has(subject));
		for (const subject of subjects) busy.add(subject);
		return isFree;
	});
}

function formBatches<B extends OpenBatch>(
	{ open, log, position, wants, holder, atOnce }: PlanInput<B>,
	again: readonly B[],
): Pick<BatchPlan<B>, 'fresh' | 'position' | 'isStopped' | 'isFull'> {
	const fresh: FreshBatch[] = [];
	const busy = new Set(open.flatMap(({ subjects }) => subjects));
	/** The last queued batch of each subject, if any. */
	const behind = new Map<string, FreshBatch>();
	const added = again.filter((batch) => !isHeldBy(batch, holder)).length;
	let room = atOnce - open.filter((batch) => isHeldBy(batch, holder)).length - added;
	let queued = open.filter((batch) => !isInHand(batch)).length - again.filter(isQueued).length;
	let answerSize = again.reduce((sum, { size }) => sum + size, 0);
	let filling: FreshBatch | null = null;

	const hasSpace = (batch: FreshBatch, size: number) =>
		batch.events.length < wants.batchSize && batch.size + size <= LARGEST_BATCH_SIZE;
	const begin = (state: FreshBatch['state']) => {
		const batch: FreshBatch = { state, events: [], subjects: [], size: 0 };
		fresh.push(batch);
		return batch;
	};
	const canHandOut = () => room > 0 && answerSize < LARGEST_ANSWER_SIZE;
	const placeFor = ({ event, size }: LoggedEvent): FreshBatch | null => {
		const subject = subjectOf(event);
		if (filling !== null && !hasSpace(filling, size)) {
			for (const one of filling.subjects) busy.add(one);
			filling = null;
		}
		if (filling === null && !canHandOut()) return null;
		if (subject !== null && busy.has(subject)) {
			const last = behind.get(subject);
			if (last && hasSpace(last, size)) return last;
			if (queued >= MOST_QUEUED) return null;
			queued++;
			const next = begin('queued');
			behind.set(subject, next);
			return next;
		}
		if (filling === null) {
			room--;
			filling = begin('in-hand');
		}
		return filling;
	};

	for (const logged of log) {
		const { event, size } = logged;
		if (isWanted(wants, event)) {
			const batch = placeFor(logged);
			if (batch === null) return { fresh, position, isStopped: true, isFull: room <= 0 };
			batch.events.push(event);
			batch.size += size;
			if (isInHand(batch)) answerSize += size;
			const subject = subjectOf(event);
			if (subject !== null && !batch.subjects.includes(subject)) batch.subjects.push(subject);
		}
		position = event.sequence;
	}
	return { fresh, position, isStopped: false, isFull: room <= 0 };
}

function isInHand({ state }: Pick<OpenBatch, 'state'>): boolean {
	return state === 'in-hand';
}

function isQueued(batch: Pick<OpenBatch, 'state'>): boolean {
	return !isInHand(batch);
}

function isHeldBy(batch: OpenBatch, holder: string): boolean {
	return isInHand(batch) && batch.holder === holder;
}

/** `queued`: waits for its turn or a retry. `in-hand`: with n8n. `done`, `dead`: for the record. */
export const BATCH_STATES = ['queued', 'in-hand', 'done', 'dead'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export function isOpen({ state }: { state: BatchState }): boolean {
	return state === 'queued' || state === 'in-hand';
}

/** How often n8n may fail to start an execution before the batch is dead. About an hour. */
export const MOST_FAILURES = 20;

const PAUSES = { first: 1_000, longest: 5 * 60_000 };

/** The part of a batch that settling reads and changes. */
export interface Settleable {
	state: BatchState;
	/** The wait of a wake-up, or null. */
	wait: string | null;
	holder: string | null;
	/** When a queued batch may be handed out, or when the ack wait of one in hand ends. */
	due_at: number;
	/** How often n8n sent *nak*: hand-outs cut short by a crash don't count against a batch. */
	failures: number;
	reason: string | null;
}

/**
 * The batch after a settlement, or null if nothing changes: it is already settled, or the sender
 * does not have it in hand, which `inProgress` and `nak` require.
 */
export function settledBatch<Batch extends Settleable>(
	batch: Batch,
	{ outcome, reason }: Pick<BatchSettlement, 'outcome' | 'reason'>,
	holder: string,
	now: number,
): Batch | null {
	if (!isOpen(batch)) return null;
	const over = { ...batch, holder: null, reason: reason ?? null };
	if (outcome === 'ack') return { ...over, state: 'done' };
	if (outcome === 'term') return { ...over, state: 'dead' };
	if (batch.state !== 'in-hand' || batch.holder !== holder) return null;
	if (outcome === 'inProgress') return { ...batch, due_at: now + ACK_WAIT_MS };
	const failures = batch.failures + 1;
	// Only age makes a wake-up hopeless: see `IS_HOPELESS`.
	if (failures >= MOST_FAILURES && batch.wait === null) return { ...over, failures, state: 'dead' };
	return { ...over, failures, state: 'queued', due_at: now + backOff(failures, PAUSES) };
}
