import type { Resume } from '../../../webhook-receiver/src/core/wait-contract';
import { pauseAfter } from '../consumer/outage';
import type { Consent } from '../consents/newest';
import type { ServiceMessage } from '../transport/readMessage';
import { PolledConsents, PolledLetter, type KnownOutcome, type Polled } from './polled';
import type { SleepingExecution } from './sleepingExecution';

/** One of the things that an execution waits for. */
interface Part {
	polled: Polled;
	known(): KnownOutcome;
}

interface Tracked {
	sleeper: SleepingExecution;
	parts: Part[];
	/** Wake-ups in vain. */
	failures: number;
	/** When to wake it at the earliest: never while a wake-up is under way. */
	notBefore: number;
}

/** A letter's id, or null for the list of consents. */
export type Question = string | null;

/** Whom to wake, and with what. */
export interface DueWakeUp {
	sleeper: SleepingExecution;
	resume: Resume;
}

/** The longest between two wake-ups of an execution. */
const LONGEST_WAKE_PAUSE_MS = 30_000;

/** Once its end has come, how long an execution waits for a service that does not answer. */
const PATIENCE_MS = 600_000;

/**
 * What sleeping executions wait for at one account of the service. Decisions only, no I/O; times are in milliseconds
 * since 1970.
 */
export class PollPlan {
	private readonly tracked = new Map<string, Tracked>();
	/** Those that somebody asleep waits for, with or without an outcome by now. */
	private readonly letters = new Map<string, PolledLetter>();
	private consents = new PolledConsents();
	/** When nothing is to be polled for. */
	private pause = { from: 0, until: 0 };

	/** Tracks an execution, for what it waits for now. */
	add(sleeper: SleepingExecution): void {
		const before = this.tracked.get(sleeper.executionId);
		if (before?.sleeper.waitId === sleeper.waitId) return;
		if (before) this.remove(before.sleeper);
		const parts = this.partsOf(sleeper);
		for (const { polled } of parts) polled.waiters++;
		this.tracked.set(sleeper.executionId, { sleeper, parts, failures: 0, notBefore: 0 });
	}

	/** Tracks it no longer, unless it waits for something else by now. */
	remove({ executionId, waitId }: SleepingExecution): void {
		const tracked = this.tracked.get(executionId);
		if (tracked?.sleeper.waitId !== waitId) return;
		this.tracked.delete(executionId);
		for (const { polled } of tracked.parts) {
			polled.waiters--;
			if (polled.waiters > 0) continue;
			if (polled.messageId === null) this.consents = new PolledConsents();
			else this.letters.delete(polled.messageId);
		}
	}

	get isEmpty(): boolean {
		return this.tracked.size === 0;
	}

	/** What to ask for, if anything, and when; earlier if somebody is to be woken before. */
	next(now: number): { question?: Question; at: number } {
		let question: Question | undefined;
		let turn = Infinity;
		let at = Infinity;
		for (const [polled, waiting] of this.waiting()) {
			const due = Math.max(this.pausedUntil(now), polled.dueAt(waiting, now));
			// Of several that are due, the one that was polled longest ago: one without answers holds up no other.
			const ownTurn = due <= now ? polled.triedAt : due;
			if (ownTurn >= turn) continue;
			question = polled.messageId;
			turn = ownTurn;
			at = due;
		}
		for (const tracked of this.tracked.values()) {
			if (isPaused(tracked, now)) at = Math.min(at, tracked.notBefore);
		}
		return { question, at };
	}

	/** A pause that began later than now began before the clock was set back, and is over. */
	private pausedUntil(now: number): number {
		return this.pause.from > now ? 0 : this.pause.until;
	}

	/** @param askedAt when the request left */
	status(message: ServiceMessage, askedAt: number): void {
		this.letters.get(message.id)?.shows(message, askedAt);
	}

	listed(consents: readonly Consent[], askedAt: number): void {
		this.consents.lists(consents, askedAt);
	}

	/**
	 * No usable answer came.
	 *
	 * @param pauseMs how long to ask for nothing; null if only this question has none
	 */
	unanswered(question: Question, askedAt: number, pauseMs: number | null): void {
		if (pauseMs !== null) {
			const until = Math.max(this.pausedUntil(askedAt), askedAt + pauseMs);
			this.pause = { from: askedAt, until };
		}
		const polled = question === null ? this.consents : this.letters.get(question);
		if (!polled) return;
		polled.triedAt = askedAt;
		polled.failures = pauseMs === null ? polled.failures + 1 : 0;
	}

	/** Whom to wake now, with what. None is handed out again before `notWoken`. */
	takeDue(now: number, most: number): DueWakeUp[] {
		const ready: DueWakeUp[] = [];
		for (const tracked of this.tracked.values()) {
			if (ready.length >= most) break;
			const { sleeper, parts } = tracked;
			const reason = isPaused(tracked, now) ? null : reasonToWake(tracked, now);
			if (reason === null) continue;
			tracked.notBefore = Infinity;
			const outcomes = parts.map(({ known }) => known().outcome);
			ready.push({ sleeper, resume: { waitId: sleeper.waitId, reason, outcomes } });
		}
		return ready;
	}

	/** The wake-up of an execution was in vain: it is made again. */
	notWoken({ executionId, waitId }: SleepingExecution, now: number): void {
		const tracked = this.tracked.get(executionId);
		if (tracked?.sleeper.waitId !== waitId) return;
		tracked.failures++;
		tracked.notBefore = now + pauseAfter(tracked.failures, 0, LONGEST_WAKE_PAUSE_MS);
	}

	private partsOf({ subjects, since }: SleepingExecution): Part[] {
		if ('consents' in subjects) {
			const polled = this.consents;
			return subjects.consents.map(({ consentId, contact = '' }) => ({
				polled,
				known: () => polled.known(consentId, contact, since),
			}));
		}
		const { trackedMailGoal } = subjects;
		return subjects.messages.map(({ messageId: id, messageType }) => {
			const polled = this.letters.get(id) ?? new PolledLetter(id);
			this.letters.set(id, polled);
			return { polled, known: () => polled.known({ messageType, trackedMailGoal }) };
		});
	}

	/** What to go on asking for, and who waits for a final outcome of it. */
	private waiting(): Map<Polled, SleepingExecution[]> {
		const waiting = new Map<Polled, SleepingExecution[]>();
		for (const { sleeper, parts } of this.tracked.values()) {
			for (const { polled } of parts.filter(isOpen)) {
				const others = waiting.get(polled);
				if (others) others.push(sleeper);
				else waiting.set(polled, [sleeper]);
			}
		}
		return waiting;
	}
}

/** A time further ahead than its longest pause is from before the clock was set back. */
function isPaused({ notBefore }: Tracked, now: number): boolean {
	return notBefore === Infinity || (notBefore > now && notBefore <= now + LONGEST_WAKE_PAUSE_MS);
}

/** Final outcomes stay. */
function isOpen({ known }: Part): boolean {
	return !known().isFinal;
}

/** Null while outcomes are missing and there is time. */
function reasonToWake({ sleeper, parts }: Tracked, now: number): 'complete' | 'deadline' | null {
	const open = parts.filter(isOpen);
	if (open.length === 0) return 'complete';
	const { end } = sleeper;
	const isAsked = open.every(({ polled }) => polled.answeredAt >= end);
	return now >= end && (isAsked || now >= end + PATIENCE_MS) ? 'deadline' : null;
}
