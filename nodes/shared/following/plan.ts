import type { Resume } from '../../../webhook-receiver/src/core/wait-contract';
import { pauseAfter } from '../consumer/outage';
import type { Consent } from '../consents/newest';
import type { ServiceMessage } from '../transport/readMessage';
import { ConsentList, Letter, type Asked, type Known } from './asked';
import type { Sleeper } from './readSleeper';

/** One of the things that an execution waits for. */
interface Part {
	asked: Asked;
	known(): Known;
}

interface Asleep {
	sleeper: Sleeper;
	parts: Part[];
	/** Wake-ups in vain. */
	failures: number;
	/** When to wake it at the earliest: never while a wake-up is under way. */
	notBefore: number;
}

/** A letter's id, or null for the list of consents. */
export type Question = string | null;

/** Whom to wake, and with what. */
export interface Ready {
	sleeper: Sleeper;
	resume: Resume;
}

/** The longest between two wake-ups of an execution. */
const LONGEST_PAUSE_MS = 30_000;

/** Once its end has come, how long an execution waits for a service that does not answer. */
const PATIENCE_MS = 600_000;

/**
 * What sleeping executions wait for at one account of the service. Decisions only, no I/O; times are in milliseconds
 * since 1970.
 */
export class Plan {
	private readonly asleep = new Map<string, Asleep>();
	/** Those that somebody asleep waits for, with or without an outcome by now. */
	private readonly letters = new Map<string, Letter>();
	private consents = new ConsentList();
	/** When nothing is to be asked for. */
	private held = { from: 0, until: 0 };

	/** Takes an execution in, or what it waits for by now. */
	add(sleeper: Sleeper): void {
		const before = this.asleep.get(sleeper.executionId);
		if (before?.sleeper.waitId === sleeper.waitId) return;
		if (before) this.remove(before.sleeper);
		const parts = this.partsOf(sleeper);
		for (const { asked } of parts) asked.parts++;
		this.asleep.set(sleeper.executionId, { sleeper, parts, failures: 0, notBefore: 0 });
	}

	/** It no longer waits for this. */
	remove({ executionId, waitId }: Sleeper): void {
		const asleep = this.asleep.get(executionId);
		if (asleep?.sleeper.waitId !== waitId) return;
		this.asleep.delete(executionId);
		for (const { asked } of asleep.parts) {
			asked.parts--;
			if (asked.parts > 0) continue;
			if (asked.messageId === null) this.consents = new ConsentList();
			else this.letters.delete(asked.messageId);
		}
	}

	get isEmpty(): boolean {
		return this.asleep.size === 0;
	}

	/** What to ask for, if anything, and when; earlier if somebody is to be woken before. */
	next(now: number): { question?: Question; at: number } {
		let question: Question | undefined;
		let turn = Infinity;
		let at = Infinity;
		for (const [asked, waiting] of this.waiting()) {
			const due = Math.max(this.heldUntil(now), asked.dueAt(waiting, now));
			// Of several that are due, the one that was asked longest ago: one without answers holds up no other.
			const ownTurn = due <= now ? asked.triedAt : due;
			if (ownTurn >= turn) continue;
			question = asked.messageId;
			turn = ownTurn;
			at = due;
		}
		for (const asleep of this.asleep.values()) {
			if (isPaused(asleep, now)) at = Math.min(at, asleep.notBefore);
		}
		return { question, at };
	}

	/** A hold that began later than now began before the clock was set back, and is over. */
	private heldUntil(now: number): number {
		return this.held.from > now ? 0 : this.held.until;
	}

	/** @param askedAt when the request left */
	status(message: ServiceMessage, askedAt: number): void {
		this.letters.get(message.id)?.take(message, askedAt);
	}

	listed(consents: readonly Consent[], askedAt: number): void {
		this.consents.take(consents, askedAt);
	}

	/**
	 * No usable answer came.
	 *
	 * @param holdMs how long to ask for nothing; null if only this question has none
	 */
	failed(question: Question, askedAt: number, holdMs: number | null): void {
		if (holdMs !== null) {
			const until = Math.max(this.heldUntil(askedAt), askedAt + holdMs);
			this.held = { from: askedAt, until };
		}
		const asked = question === null ? this.consents : this.letters.get(question);
		if (!asked) return;
		asked.triedAt = askedAt;
		asked.failures = holdMs === null ? asked.failures + 1 : 0;
	}

	/** Whom to wake now, with what. None is handed out again before `notWoken`. */
	wake(now: number, most: number): Ready[] {
		const ready: Ready[] = [];
		for (const asleep of this.asleep.values()) {
			if (ready.length >= most) break;
			const { sleeper, parts } = asleep;
			const reason = isPaused(asleep, now) ? null : reasonToWake(asleep, now);
			if (reason === null) continue;
			asleep.notBefore = Infinity;
			const outcomes = parts.map(({ known }) => known().outcome);
			ready.push({ sleeper, resume: { waitId: sleeper.waitId, reason, outcomes } });
		}
		return ready;
	}

	/** The wake-up of an execution was in vain: it is made again. */
	notWoken({ executionId, waitId }: Sleeper, now: number): void {
		const asleep = this.asleep.get(executionId);
		if (asleep?.sleeper.waitId !== waitId) return;
		asleep.failures++;
		asleep.notBefore = now + pauseAfter(asleep.failures, 0, LONGEST_PAUSE_MS);
	}

	private partsOf({ subjects, since }: Sleeper): Part[] {
		if ('consents' in subjects) {
			const asked = this.consents;
			return subjects.consents.map(({ consentId, contact = '' }) => ({
				asked,
				known: () => asked.known(consentId, contact, since),
			}));
		}
		const { trackedMailGoal } = subjects;
		return subjects.messages.map(({ messageId: id, messageType }) => {
			const asked = this.letters.get(id) ?? new Letter(id);
			this.letters.set(id, asked);
			return { asked, known: () => asked.known({ messageType, trackedMailGoal }) };
		});
	}

	/** What to go on asking for, and who waits for a final outcome of it. */
	private waiting(): Map<Asked, Sleeper[]> {
		const waiting = new Map<Asked, Sleeper[]>();
		for (const { sleeper, parts } of this.asleep.values()) {
			for (const { asked } of parts.filter(isOpen)) {
				const others = waiting.get(asked);
				if (others) others.push(sleeper);
				else waiting.set(asked, [sleeper]);
			}
		}
		return waiting;
	}
}

/** A time further ahead than its longest pause is from before the clock was set back. */
function isPaused({ notBefore }: Asleep, now: number): boolean {
	return notBefore === Infinity || (notBefore > now && notBefore <= now + LONGEST_PAUSE_MS);
}

/** Final outcomes stay. */
function isOpen({ known }: Part): boolean {
	return !known().isFinal;
}

/** Null while outcomes are missing and there is time. */
function reasonToWake({ sleeper, parts }: Asleep, now: number): 'complete' | 'deadline' | null {
	const open = parts.filter(isOpen);
	if (open.length === 0) return 'complete';
	const { end } = sleeper;
	const isAsked = open.every(({ asked }) => asked.answeredAt >= end);
	return now >= end && (isAsked || now >= end + PATIENCE_MS) ? 'deadline' : null;
}
