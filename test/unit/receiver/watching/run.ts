// Lets a world go by: its webhooks and polls go through what the receiver decides with, and through
// the least of a store. Answers the events that were made and what a perfect observer would know.
import { duplicateKey, storedKey } from '../../../../webhook-receiver/src/core/duplicates.ts';
import type { DeliveryEvent } from '../../../../webhook-receiver/src/core/event-contract.ts';
import { normalise } from '../../../../webhook-receiver/src/core/normalise.ts';
import {
	isFirstPoll,
	readWatch,
	settled,
	withWebhook,
} from '../../../../webhook-receiver/src/store/watch-rows.ts';
import type { WatchRow } from '../../../../webhook-receiver/src/store/watch-rows.ts';
import type { PollOutcome } from '../../../../webhook-receiver/src/watch/watch-store.ts';
import { nextPoll } from '../../../../webhook-receiver/src/watch/pace.ts';
import { understand } from '../../../../webhook-receiver/src/watch/service.ts';
import type { ServiceAnswer } from '../../../../webhook-receiver/src/watch/service.ts';
import { newWatch } from '../../../../webhook-receiver/src/watch/watch.ts';
import type { WatchRecord } from '../../../../webhook-receiver/src/watch/watch.ts';
import { HOUR, MINUTE, isTracked } from './life.ts';
import type { Fault, World } from './life.ts';

export const ID = '000000000012';
const START = Date.UTC(2026, 0, 5, 9);
const DAY = 24 * HOUR;
const LIMIT = 365 * DAY;
const paceOf = ({ isQuick }: World) => ({
	delays: [{ age: 0, delay: isQuick ? 3 * HOUR : 20 * MINUTE }],
	limitMs: LIMIT,
});
const DEDUP = { bodyWindowMs: 10 * MINUTE, keyRetentionMs: 400 * DAY };

type Stored = Omit<DeliveryEvent, 'id'>;

export interface Outcome {
	events: Stored[];
	watch: WatchRecord;
	/**
	 * Whether a webhook told of the change in this place of the life, or a poll saw it. A second delivery
	 * is only seen by who knows of the bounce before it.
	 */
	known: boolean[];
}

/** One webhook that comes, at its time. */
interface Hook {
	at: number;
	body: Record<string, unknown>;
	change: number;
}

export function live(world: World): Outcome {
	const events: Stored[] = [];
	const keys = new Map<string, number>();
	const known = world.changes.map(() => false);
	const polled = world.changes.map(() => false);
	let row: WatchRow | null = null;
	const pace = paceOf(world);

	const add = (event: Omit<Stored, 'sequence'>) => {
		events.push({ ...event, sequence: events.length + 1 });
	};
	const ingest = ({ at: now, body, change }: Hook) => {
		if (tells(world, change, known)) known[change] = true;
		const normalised = normalise(body);
		const key = duplicateKey(normalised, DEDUP);
		const bounces = events.filter(({ type }) => type === 'tracked_mail.undelivered');
		const stored = storedKey(key, normalised.event.occurredAt, bounces);
		if ((keys.get(stored) ?? -Infinity) > now) return;
		keys.set(stored, now + key.windowMs);
		const event = { ...normalised.event, receivedAt: new Date(now).toISOString() };
		const merged = row && withWebhook(row, event, key.byContent, now);
		if (merged) row = merged.row;
		if (merged?.isNew !== false) add(event);
	};
	const settle = (outcome: PollOutcome, now: number) => {
		if (row === null) return;
		const stored = isFirstPoll(row) ? (events as DeliveryEvent[]) : [];
		const next = settled(row, outcome, stored, now, pace);
		row = next.row;
		next.events.forEach(add);
	};

	const hooks = hooksOf(world);
	const goTo = (time: number) => {
		for (let hook = hooks[0]; hook !== undefined && hook.at <= time; hook = hooks[0]) {
			hooks.shift();
			ingest(hook);
		}
	};
	const begin = START + world.watchedFrom;
	goTo(begin);
	const told = world.isTypeTold ? { messageType: world.messageType } : {};
	const fresh = newWatch(ID, told, begin);
	row = {
		...{ id: 1, message_id: ID, revision: 0, ended_at: null },
		watch: JSON.stringify(fresh),
		next_poll_at: nextPoll(fresh, begin, pace),
	};
	const end = Math.max(begin, START + (world.changes.at(-1)?.at ?? 0)) + 8 * DAY;
	let before: PollOutcome | null = null;
	for (let poll = 0; row.next_poll_at !== null && row.next_poll_at < end; ) {
		const at: number = row.next_poll_at;
		const hook = hooks[0];
		if (hook !== undefined && hook.at <= at) {
			goTo(hook.at);
			continue;
		}
		const fault = world.faults[poll % world.faults.length] ?? null;
		const { revision } = row;
		const place = placeAt(world, at - START - world.lag);
		const answer = answerOf(world, place, fault);
		goTo(at + world.takes);
		settle({ messageId: ID, revision, answer }, at + world.takes);
		if (fault === null) {
			const ordered = world.naming === 'time' ? known : polled;
			if (sees(world, place, ordered)) known[place] = true;
			if (place >= 0) polled[place] = true;
		}
		if (before !== null && poll % world.echoes === 0) settle(before, at + world.takes);
		before = { messageId: ID, revision, answer };
		poll++;
	}
	goTo(Infinity);
	return { events, watch: readWatch(row), known };
}

/** In the order in which they come. */
function hooksOf(world: World): Hook[] {
	const createdAt = START + Math.min(0, world.changes[0]?.at ?? 0);
	const hooks = world.changes.flatMap(({ at, step, webhooks }, change) => {
		const prefix = isTracked(world) ? world.messageType.toLowerCase() : 'lre';
		const body = {
			...{ event: `${prefix}_${step.toLowerCase()}`, messageId: ID },
			...(world.naming === 'time' && { timestamp: new Date(START + at).toISOString() }),
			...(world.naming === 'created' && { createdAt: new Date(createdAt).toISOString() }),
			...(world.naming === 'id' && { eventId: `event-${change}` }),
		};
		return webhooks.map((delay) => ({ at: START + at + delay, body, change }));
	});
	return hooks.sort((left, right) => left.at - right.at);
}

/** The last change so long after the beginning; -1 before the first. */
function placeAt({ changes }: World, elapsed: number): number {
	return changes.findLastIndex(({ at }) => at <= elapsed);
}

/** Whether the service shows a status of its own for a change. */
function shows(world: World, place: number): boolean {
	return world.changes[place]?.step !== 'FAILED' || world.showsFailure;
}

/**
 * Whether a webhook tells an observer that its change has happened. Where all have the message's time,
 * a second delivery looks like the first to who does not know of the bounce, and a second bounce always.
 */
function tells(world: World, place: number, known: readonly boolean[]): boolean {
	if (world.naming !== 'created' || isFirst(world, place)) return true;
	return world.changes[place]?.step !== 'UNDELIVERED' && known[place - 1] === true;
}

/**
 * Whether a poll tells an observer that a change has happened, of which nobody has told yet.
 *
 * @param ordered changes of which the observer knows when they were
 */
function sees(world: World, place: number, ordered: readonly boolean[]): boolean {
	if (place < 0 || world.isQuick || !shows(world, place)) return false;
	return isFirst(world, place) || ordered[place - 1] === true;
}

/** Whether nothing before was the same step. */
function isFirst({ changes }: World, place: number): boolean {
	return changes.findIndex(({ step }) => step === changes[place]?.step) === place;
}

function answerOf(world: World, place: number, fault: Fault | null): ServiceAnswer {
	const shown = shows(world, place) ? place : place - 1;
	const status = world.changes[shown]?.step ?? 'SCHEDULED';
	const wasSent = world.changes.slice(0, shown + 1).some(({ step }) => step === 'SENT');
	const evidences = isTracked(world) || !wasSent ? [] : [{ eventType: 'SENT', url: 'https://x' }];
	// Ids lose their zeros on the way through some JSON.
	const body = { id: world.echoes % 2 ? ID : Number(ID), status, evidences };
	return read(fault, body);
}

function read(fault: Fault | null, body: { id: unknown; status: string; evidences: object[] }) {
	const answer = (statusCode: number, content: unknown, retryAfterMs: number | null = null) => {
		const text = typeof content === 'string' ? content : JSON.stringify(content);
		return understand(ID, { statusCode, text, retryAfterMs });
	};
	const { id, evidences, status } = body;
	switch (fault) {
		case null:
			return answer(200, body);
		case 'not found':
			return answer(404, { code: 'message-not-found', message: 'No' });
		case 'page not found':
			return answer(404, '<html>Not found</html>');
		case 'page':
			return answer(200, '<html>Maintenance</html>');
		case 'no status':
			return answer(200, { id, evidences });
		case 'status is no text':
			return answer(200, { ...body, status: { name: status } });
		case 'other id':
			return answer(200, { ...body, id: '000000000013', status: 'REFUSED' });
		case 'no id':
			return answer(200, { status: 'UP' });
		case 'error':
			return answer(500, 'oops');
		case 'busy':
			return answer(429, {}, 5_000);
		case 'not let in':
			return answer(401, { code: 'unauthorized' });
		case 'reset':
			return { kind: 'failed', problem: 'ECONNRESET' } as const;
	}
}
