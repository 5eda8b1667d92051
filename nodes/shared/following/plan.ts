import type { Change } from '../../../webhook-receiver/src/core/changes';
import {
	type EventKind,
	kindOfState,
	kindOfStatus,
} from '../../../webhook-receiver/src/core/event-kinds';
import { outcomeOf } from '../../../webhook-receiver/src/core/outcome';
import type { Resume, WaitMessage } from '../../../webhook-receiver/src/core/wait-contract';
import type { Consent } from '../consents/newest';
import type { Subjects } from '../waiting/sleeping';
import { LONGEST_LIST_DELAY, PACE } from './pace';

/** An execution that sleeps in one of our nodes, as n8n's API shows it. */
export interface Sleeper {
	executionId: string;
	waitId: string;
	/** Of the wait: the node accepts a wake-up only with it. */
	secret: string;
	resumeUrl: string;
	subjects: Subjects;
	/** When the wait ends, or a part of it, in milliseconds since 1970. */
	end: number;
	/** When it fell asleep, likewise. */
	since: number;
}

/** What to ask the service for next: the status of a letter, or the list of consents. */
export type Question = { messageId: string } | 'consents';

/** What is known of a letter, or of the list of consents. Times in milliseconds since 1970. */
interface Asked {
	/** When the request left whose answer is known. */
	answeredAt: number | null;
	/** When it was asked last, with or without an answer. */
	triedAt: number;
	/** Consecutive requests without a usable answer to this alone. */
	failures: number;
	/** When an answer first showed a change since the first look, which may show an old one; null if none did. */
	changedAt: number | null;
}

interface Letter extends Asked {
	/** Null while no answer has shown one. */
	status: string | null;
	/** When it was first seen. */
	seenAt: number;
	/** What that means, by what is waited for. */
	outcomes: Map<string, Known>;
}

/** What an outcome is known to be. */
type Known = ReturnType<typeof outcomeOf>;

const NOTHING = outcomeOf([], null);

/** A consent, and since when it is listed so; null if it was at the first look. */
type Listed = Consent & { changedAt: number | null };

/** Once its end has come, how long an execution waits for a service that does not answer. */
const PATIENCE_MS = 600_000;

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 300_000;
const LONGEST_LETTER_PAUSE = 3_600_000;
const LONGEST_WAKING_PAUSE = 30_000;

const NEVER: Asked = { answeredAt: null, triedAt: 0, failures: 0, changedAt: null };
const NEVER_SEEN: Letter = { ...NEVER, status: null, seenAt: 0, outcomes: new Map() };

/** What to ask, from when on, and when that was asked last. */
interface Due {
	question: Question;
	at: number;
	triedAt: number;
}

/** What sleeping executions wait for at one account of the service. Decisions only, no I/O. */
export class Plan {
	private readonly sleepers = new Map<string, Sleeper>();
	/** By letter: who waits for it; null when that has changed. */
	private waiters: Map<string, Array<[Sleeper, WaitMessage]>> | null = null;
	private readonly letters = new Map<string, Letter>();
	private list: Asked = NEVER;
	/** By contact, the newest consent: the service lists no other (rule CONS-07). */
	private readonly consents = new Map<string, Listed>();
	private readonly contacts = new Map<string, string>();
	/** By wait: wake-ups under way, and when to make those again that were in vain. */
	private readonly waking = new Map<string, { failures: number; againAt: number }>();
	private heldUntil = 0;
	private troubles = 0;

	/** Takes an execution in, or what it waits for by now. */
	add(sleeper: Sleeper): void {
		const before = this.sleepers.get(sleeper.executionId);
		if (before?.waitId === sleeper.waitId) return;
		this.remove(before);
		this.sleepers.set(sleeper.executionId, sleeper);
		this.waiters = null;
	}

	/** It no longer waits for this. */
	remove(sleeper: Sleeper | undefined): void {
		if (sleeper === undefined) return;
		const { executionId, waitId } = sleeper;
		this.waking.delete(waitId);
		if (this.sleepers.get(executionId)?.waitId !== waitId) return;
		this.sleepers.delete(executionId);
		this.waiters = null;
	}

	get isEmpty(): boolean {
		return this.sleepers.size === 0;
	}

	/** What to ask for now; at most one thing at a time. */
	next(now: number): Question | null {
		const due = this.questions(now).filter(({ at }) => at <= now);
		// The one that was asked longest ago, or one that never gets an answer would hold up the others.
		const [first] = due.sort((a, b) => a.triedAt - b.triedAt || a.at - b.at);
		return first?.question ?? null;
	}

	/** When there is something to do next: to ask, or to wake. */
	nextAt(now: number): number {
		const asking = this.questions(now).map(({ at }) => at);
		const ends = [...this.sleepers.values()].flatMap(({ end, waitId }) => {
			const again = this.waking.get(waitId)?.againAt ?? end;
			return again > now ? [again] : end + PATIENCE_MS > now ? [end + PATIENCE_MS] : [];
		});
		return Math.min(...asking, ...ends);
	}

	/** @param askedAt when the request left */
	status(messageId: string, status: string, askedAt: number): void {
		const asked = { answeredAt: askedAt, triedAt: askedAt, failures: 0 };
		this.troubles = 0;
		const known = this.letters.get(messageId);
		if (known?.status === status) {
			this.letters.set(messageId, { ...known, ...asked });
			return;
		}
		const changedAt = known?.status == null ? null : askedAt;
		const letter = { ...asked, status, changedAt, seenAt: askedAt, outcomes: new Map() };
		this.letters.set(messageId, letter);
	}

	listed(consents: readonly Consent[], askedAt: number): void {
		const isFirst = this.list.answeredAt === null;
		let { changedAt } = this.list;
		for (const consent of consents) {
			const before = this.consents.get(consent.contact);
			this.contacts.set(consent.id, consent.contact);
			if (before?.id === consent.id && before.state === consent.state) continue;
			if (!isFirst) changedAt = askedAt;
			this.consents.set(consent.contact, { ...consent, changedAt: isFirst ? null : askedAt });
		}
		this.list = { changedAt, answeredAt: askedAt, triedAt: askedAt, failures: 0 };
		this.troubles = 0;
	}

	/**
	 * No usable answer came.
	 *
	 * @param waitMs how long the service asks to wait; null if it does not say
	 * @param isGeneral whether it is about more than this question
	 */
	failed(question: Question, askedAt: number, waitMs: number | null, isGeneral: boolean): void {
		const failure = { triedAt: askedAt, isGeneral };
		if (question === 'consents') this.list = afterFailure(this.list, failure);
		else {
			const { messageId } = question;
			const known = this.letters.get(messageId) ?? NEVER_SEEN;
			this.letters.set(messageId, afterFailure(known, failure));
		}
		if (!isGeneral) return;
		this.troubles++;
		const pause = Math.max(waitMs ?? 0, backOff(this.troubles, LONGEST_PAUSE));
		this.heldUntil = Math.max(this.heldUntil, askedAt + pause);
	}

	/** Whom to wake now, with what. None is handed out again before `notWoken`. */
	wake(now: number, most: number): Array<{ sleeper: Sleeper; resume: Resume }> {
		const ready: Array<{ sleeper: Sleeper; resume: Resume }> = [];
		for (const sleeper of this.sleepers.values()) {
			if (ready.length >= most) break;
			const { failures = 0, againAt = 0 } = this.waking.get(sleeper.waitId) ?? {};
			const resume = againAt > now ? null : this.resumeOf(sleeper, now);
			if (resume === null) continue;
			this.waking.set(sleeper.waitId, { failures, againAt: Infinity });
			ready.push({ sleeper, resume });
		}
		return ready;
	}

	/** The wake-up of an execution was in vain: it is made again. */
	notWoken({ waitId }: Sleeper, now: number): void {
		const waking = this.waking.get(waitId);
		if (waking === undefined) return;
		const failures = waking.failures + 1;
		this.waking.set(waitId, { failures, againAt: now + backOff(failures, LONGEST_WAKING_PAUSE) });
	}

	private waiting(): Map<string, Array<[Sleeper, WaitMessage]>> {
		if (this.waiters !== null) return this.waiters;
		const waiters = new Map<string, Array<[Sleeper, WaitMessage]>>();
		for (const sleeper of this.sleepers.values()) {
			if (!('messages' in sleeper.subjects)) continue;
			for (const message of sleeper.subjects.messages) {
				const others = waiters.get(message.messageId);
				if (others === undefined) waiters.set(message.messageId, [[sleeper, message]]);
				else others.push([sleeper, message]);
			}
		}
		for (const messageId of this.letters.keys()) {
			if (!waiters.has(messageId)) this.letters.delete(messageId);
		}
		this.waiters = waiters;
		return waiters;
	}

	private questions(now: number): Due[] {
		const all: Due[] = [];
		for (const [messageId, waiting] of this.waiting()) {
			const open = waiting.filter((one) => !this.letter(...one).isFinal);
			const letter = this.letters.get(messageId) ?? NEVER;
			const sleepers = open.map(([one]) => one);
			const at = this.dueAt(letter, sleepers, now);
			if (at !== null) all.push({ question: { messageId }, at, triedAt: letter.triedAt });
		}
		const open = [...this.sleepers.values()].filter(
			({ subjects }) =>
				'consents' in subjects &&
				subjects.consents.some(({ consentId }) => !this.consent(consentId).isFinal),
		);
		const at = this.dueAt(this.list, open, now, LONGEST_LIST_DELAY);
		if (at !== null) all.push({ question: 'consents', at, triedAt: this.list.triedAt });
		return all;
	}

	/** Null if nobody waits for it. */
	private dueAt(
		{ failures, triedAt, answeredAt, changedAt }: Asked,
		open: readonly Sleeper[],
		now: number,
		longest = Infinity,
	): number | null {
		if (open.length === 0) return null;
		const age = now - Math.max(changedAt ?? 0, ...open.map(({ since }) => since));
		const delay = PACE.find((step) => age >= step.age)?.delay ?? 0;
		const pause = failures > 0 ? backOff(failures, LONGEST_LETTER_PAUSE) : Math.min(delay, longest);
		// Nobody leaves without an outcome that has come by then, and nobody waits for one that was known.
		const ends = failures > 0 ? [] : open.map(({ end }) => end);
		const before = answeredAt ?? -Infinity;
		const next = Math.min(triedAt + pause, ...ends.filter((end) => end > before));
		const unseen = open.some(({ since }) => since > before) && failures === 0;
		return Math.max(this.heldUntil, unseen ? triedAt : next);
	}

	/** What wakes it; null while outcomes are missing and there is time. */
	private resumeOf({ subjects, waitId, end }: Sleeper, now: number): Resume | null {
		const all: Array<[string, Known, Asked | null]> =
			'messages' in subjects
				? subjects.messages.map((message) => [
						message.messageId,
						this.letter({ subjects }, message),
						this.letters.get(message.messageId) ?? null,
					])
				: subjects.consents.map(({ consentId }) => [consentId, this.consent(consentId), this.list]);
		const open = all.filter(([, { isFinal }]) => !isFinal);
		const isAsked = open.every(([, , asked]) => (asked?.answeredAt ?? -Infinity) >= end);
		const isOver = now >= end && (isAsked || now >= end + PATIENCE_MS);
		if (open.length > 0 && !isOver) return null;
		const outcomes = all.map(([id, { told }]) => ({ id, ...told, eventId: null }));
		return { waitId, reason: open.length > 0 ? 'deadline' : 'complete', outcomes };
	}

	private letter(
		{ subjects }: Pick<Sleeper, 'subjects'>,
		{ messageId, messageType }: WaitMessage,
	): Known {
		const letter = this.letters.get(messageId);
		if (letter === undefined || !('trackedMailGoal' in subjects)) return NOTHING;
		const expected = { messageType, trackedMailGoal: subjects.trackedMailGoal };
		const key = Object.values(expected).join();
		const known = letter.outcomes.get(key);
		if (known !== undefined) return known;
		const { status, seenAt } = letter;
		const kind = status === null ? null : kindOfStatus(status, messageType);
		const outcome = outcomeOf(
			kind && status ? [seen(kind, status.toUpperCase(), seenAt)] : [],
			expected,
		);
		letter.outcomes.set(key, outcome);
		return outcome;
	}

	private consent(consentId: string): Known {
		const contact = this.contacts.get(consentId);
		const listed = contact === undefined ? undefined : this.consents.get(contact);
		if (listed === undefined) return NOTHING;
		const { state, changedAt } = listed;
		return outcomeOf([seen(kindOfState('consents', state), state, changedAt)], null);
	}
}

/** Of what fails for all, a letter is not asked less often: all are held up. */
function afterFailure<T extends Asked>(
	asked: T,
	{ triedAt, isGeneral }: { triedAt: number; isGeneral: boolean },
): T {
	return { ...asked, triedAt, failures: isGeneral ? 0 : asked.failures + 1 };
}

/** @param at null if it has been so since before the first look */
function seen(kind: EventKind | null, step: string, at: number | null): Change {
	const eventId = at === null ? null : '';
	return { type: kind?.type ?? null, step, at: at ?? 0, by: 'poll', mark: null, eventId };
}

function backOff(failures: number, longest: number): number {
	return Math.min(FIRST_PAUSE * 2 ** Math.min(failures - 1, 30), longest);
}
