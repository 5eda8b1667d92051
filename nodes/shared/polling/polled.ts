import type { Change } from '../../../webhook-receiver/src/core/changes';
import { observeListed, type ListedRecord } from '../../../webhook-receiver/src/core/listed';
import { outcomeOf, type Expectation } from '../../../webhook-receiver/src/core/outcome';
import { observe, watched, type LetterRecord } from '../../../webhook-receiver/src/core/records';
import type { AwaitedOutcome } from '../../../webhook-receiver/src/core/wait-contract';
import { pauseAfter } from '../consumer/outage';
import type { Consent } from '../consents/newest';
import type { ServiceMessage } from '../transport/readMessage';
import type { SleepingExecution } from './sleepingExecution';

/** From this time after the last change on, how long to wait between two requests; all in milliseconds. */
const PACE = [
	{ age: 30 * 86_400_000, delay: 6 * 3_600_000 },
	{ age: 86_400_000, delay: 3_600_000 },
	{ age: 3_600_000, delay: 600_000 },
	{ age: 600_000, delay: 60_000 },
	{ age: -Infinity, delay: 15_000 },
];

/** The list of consents is one request for many: it need not be read as rarely as an old letter. */
const LONGEST_LIST_DELAY = 600_000;

/** Longest pause between requests for this that get no usable answer, while others do. */
const LONGEST_ASK_PAUSE_MS = 3_600_000;

/** What is known of a letter or a consent that somebody waits for. */
export interface KnownOutcome {
	outcome: AwaitedOutcome;
	isFinal: boolean;
}

/** A question to the service, and when to ask it. Times in milliseconds since 1970. */
export abstract class Polled {
	/** Of a letter; null for the list of consents. */
	readonly messageId: string | null = null;
	/** How many wait for it; it goes with the last. */
	waiters = 0;
	/** When the request left that was answered last. */
	answeredAt = -Infinity;
	/** When the last request left, whatever came of it. */
	triedAt = 0;
	/** Consecutive requests for this that got no usable answer, while others did. */
	failures = 0;
	/** When an answer last showed a change; the first answer does not count, since it may show an old one. */
	private changedAt = -Infinity;
	protected readonly longestDelay: number = Infinity;

	/** @param waiting for a final outcome of it; at least one */
	dueAt(waiting: readonly SleepingExecution[], now: number): number {
		// The clock was set back since: no pause may last until it has come up again.
		if (this.triedAt > now) return now;
		if (this.failures > 0) return this.triedAt + pauseAfter(this.failures, 0, LONGEST_ASK_PAUSE_MS);
		const fellAsleep = Math.max(...waiting.map(({ since }) => since));
		const newest = fellAsleep > now ? this.answeredAt : fellAsleep;
		// An execution that has just fallen asleep learns at once what is known.
		if (newest > this.answeredAt) return this.triedAt;
		const age = this.triedAt - Math.max(this.changedAt, newest);
		const delay = PACE.find((step) => age >= step.age)?.delay ?? 0;
		// Asks once more at the end of each wait, so that none leaves without an outcome that has come by then.
		const ends = waiting.map(({ end }) => end).filter((end) => end > this.answeredAt);
		return Math.min(this.triedAt + Math.min(delay, this.longestDelay), ...ends);
	}

	protected answered(isNews: boolean, askedAt: number): void {
		const isChange = isNews && this.answeredAt !== -Infinity;
		this.changedAt = isChange ? askedAt : Math.min(this.changedAt, askedAt);
		this.answeredAt = askedAt;
		this.triedAt = askedAt;
		this.failures = 0;
	}
}

export class PolledLetter extends Polled {
	override readonly messageId: string;
	private record: LetterRecord | null = null;
	/** What the record says, by what is expected: every step of the plan reads it of every letter. */
	private readonly told = new Map<string, KnownOutcome>();

	constructor(messageId: string) {
		super();
		this.messageId = messageId;
	}

	/** @param askedAt when the request left */
	shows({ id, status, evidences }: ServiceMessage, askedAt: number): void {
		const before = this.record ?? watched(null, {}, askedAt);
		const seen = { kind: 'status', messageId: id, status, evidences } as const;
		const { record, events } = observe(before, seen, askedAt, newId);
		this.record = record;
		this.told.clear();
		this.answered(events.length > 0, askedAt);
	}

	known(expected: Expectation): KnownOutcome {
		const key = `${expected.messageType} ${expected.trackedMailGoal}`;
		const told = this.told.get(key);
		if (told) return told;
		const messageType = this.record?.messageType ?? expected.messageType;
		const known = knownOf(this.messageId, this.record?.changes ?? [], { ...expected, messageType });
		this.told.set(key, known);
		return known;
	}
}

/** The service lists only the newest consent of each contact (rule CONS-07). */
export class PolledConsents extends Polled {
	private readonly records = new Map<string, ListedRecord>();
	/** By contact, the ids of all that were listed, oldest first. */
	private readonly idsOf = new Map<string, string[]>();
	protected override readonly longestDelay = LONGEST_LIST_DELAY;

	lists(consents: readonly Consent[], askedAt: number): void {
		let isNews = false;
		for (const { id, state, contact } of consents) {
			const before = this.records.get(id) ?? null;
			const entry = { id, state, contact, createdAt: null, raw: {} };
			// Only whether there is an event depends on `isAddition`, and events go nowhere here.
			const seen = { list: 'consents', entry, isAddition: false } as const;
			const { record } = observeListed(before, seen, askedAt, newId);
			this.records.set(id, record);
			isNews ||= record.changes !== before?.changes;
			if (before === null) this.idsOf.set(contact, [...(this.idsOf.get(contact) ?? []), id]);
		}
		this.answered(isNews, askedAt);
	}

	/**
	 * An answer to a newer consent of the contact counts, too. One may have taken the place of this before the list
	 * was read; then only what was seen since counts, since an older one may have been answered before.
	 *
	 * @param since when it was not yet asked for
	 */
	known(consentId: string, contact: string, since: number): KnownOutcome {
		const record = this.records.get(consentId);
		const all = this.idsOf.get(record?.contact ?? contact) ?? [];
		const changes = all
			.slice(record ? all.indexOf(consentId) : 0)
			.flatMap((id) => this.records.get(id)?.changes ?? [])
			.filter(({ at }) => record !== undefined || at >= since);
		return knownOf(consentId, changes, null);
	}
}

/** Its events go nowhere. */
const newId = () => '';

function knownOf(
	id: string,
	changes: readonly Change[],
	expected: Expectation | null,
): KnownOutcome {
	const { outcome, isFinal } = outcomeOf(changes, expected);
	return { outcome: { id, ...outcome, eventId: null }, isFinal };
}
