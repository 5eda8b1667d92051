// Lets a world go by: its webhooks and polls go through what the receiver decides with, and through
// the least of a store. Answers the events that were made and what a perfect observer would know.
import { markOf } from '../../../../webhook-receiver/src/core/mark.ts';
import { stepOf } from '../../../../webhook-receiver/src/core/event-kinds.ts';
import { undoes } from '../../../../webhook-receiver/src/core/statuses.ts';
import { normalise } from '../../../../webhook-receiver/src/core/normalise.ts';
import { observe, statusOf, watched } from '../../../../webhook-receiver/src/core/records.ts';
import type { NewEvent } from '../../../../webhook-receiver/src/core/changes.ts';
import type { LetterRecord } from '../../../../webhook-receiver/src/core/records.ts';
import { afterPoll } from '../../../../webhook-receiver/src/watch/after-poll.ts';
import { afterWebhook, nextPoll } from '../../../../webhook-receiver/src/watch/pace.ts';
import { understand } from '../../../../webhook-receiver/src/watch/service.ts';
import type { ServiceAnswer } from '../../../../webhook-receiver/src/watch/answers.ts';
import { newId as newIdOf } from '../../../../webhook-receiver/src/store/new-id.ts';
import { HOUR, MINUTE, isTracked } from './life.ts';
import type { Fault, World } from './life.ts';

export const ID = '000000000012';
const START = Date.UTC(2026, 0, 5, 9);
const DAY = 24 * HOUR;
const newId = () => newIdOf('evt');
const LIMIT = 365 * DAY;
const paceOf = ({ isQuick }: World) => ({
	delays: [{ age: 0, delay: isQuick ? 3 * HOUR : 20 * MINUTE }],
	limitMs: LIMIT,
});

export interface Outcome {
	events: NewEvent[];
	record: LetterRecord;
	/**
	 * Whether a webhook told of the change in this place of the life, or a poll saw it. A second delivery
	 * is only seen by who knows of the bounce before it.
	 */
	known: boolean[];
	/**
	 * Bounces and deliveries of which a webhook told only after a poll had seen a later status: whether
	 * what the poll saw came before or after it can't be decided.
	 */
	lateTold: number;
	/** Bounces and deliveries that a poll told of last, where the letter stands at the other. */
	misled: number;
}

/** One webhook that comes, at its time. */
interface Hook {
	at: number;
	body: Record<string, unknown>;
	change: number;
}

export function live(world: World): Outcome {
	const events: NewEvent[] = [];
	const known = world.changes.map(() => false);
	const polled = world.changes.map(() => false);
	const told = new Set<number>();
	let lateTold = 0;
	let misled = 0;
	let record: LetterRecord | null = null;
	let nextPollAt: number | null = null;
	const pace = paceOf(world);

	const ingest = ({ at: now, body, change }: Hook) => {
		if (tells(world, change, known)) known[change] = true;
		const step = world.changes[change]?.step;
		const isRound = step === 'UNDELIVERED' || step === 'RECEIVED';
		if (isRound && !told.has(change) && polled.slice(change + 1).includes(true)) lateTold++;
		told.add(change);
		const normalised = normalise(body);
		const event = { ...normalised.event, receivedAt: new Date(now).toISOString() };
		const mark = markOf(normalised);
		const next = observe(record, { kind: 'webhook', event, mark }, now, newId);
		record = next.record;
		events.push(...next.events);
		if (nextPollAt === null) return;
		if (record.watch?.endReason !== null) nextPollAt = null;
		else if (next.events.length > 0) nextPollAt = afterWebhook(record, nextPollAt, now);
	};
	/** Whether the answer counted. */
	const settle = (asked: LetterRecord, answer: ServiceAnswer | null, now: number): boolean => {
		if (record === null) return false;
		const isOvertaken = JSON.stringify(asked) !== JSON.stringify(record);
		const next = afterPoll(record, { messageId: ID, asked }, answer, now, pace, newId);
		({ record, nextPollAt } = next);
		events.push(...next.events);
		const last = next.events.at(-1);
		if (last && undoes(statusOf(record) ?? '', stepOf(last) ?? '')) misled++;
		return !isOvertaken;
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
	const fields = world.isTypeTold ? { messageType: world.messageType } : {};
	record = watched(record, fields, begin);
	nextPollAt = nextPoll(ID, record, begin, pace);
	const end = Math.max(begin, START + (world.changes.at(-1)?.at ?? 0)) + 8 * DAY;
	let before: { asked: LetterRecord; answer: ServiceAnswer } | null = null;
	for (let poll = 0; nextPollAt !== null && nextPollAt < end; ) {
		const at: number = nextPollAt;
		const hook = hooks[0];
		if (hook !== undefined && hook.at <= at) {
			goTo(hook.at);
			continue;
		}
		const fault = world.faults[poll % world.faults.length] ?? null;
		const asked: LetterRecord = record;
		const place = placeAt(world, at - START - world.lag);
		const answer = answerOf(world, place, fault);
		goTo(at + world.takes);
		const counts = settle(asked, answer, at + world.takes);
		if (fault === null && counts) {
			const ordered = world.naming === 'time' ? known : polled;
			if (sees(world, place, ordered)) known[place] = true;
			if (place >= 0) polled[place] = true;
		}
		if (before !== null && poll % world.echoes === 0) {
			settle(before.asked, before.answer, at + world.takes);
		}
		before = { asked, answer };
		poll++;
	}
	goTo(Infinity);
	return { events, record, known, lateTold, misled };
}

/** In the order in which they come. */
function hooksOf(world: World): Hook[] {
	const createdAt = START + Math.min(0, world.changes[0]?.at ?? 0);
	const hooks = world.changes.flatMap(({ at, step, webhooks }, change) => {
		const prefix = isTracked(world) ? world.messageType.toLowerCase() : 'lre';
		const body = {
			event: `${prefix}_${step.toLowerCase()}`,
			messageId: ID,
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
 * Whether a webhook tells an observer that its change has happened. Where all have the message's time, or
 * nothing, a second delivery looks like the first to who does not know of the bounce; with the message's
 * time a second bounce always does.
 */
function tells(world: World, place: number, known: readonly boolean[]): boolean {
	if (world.naming === 'time' || world.naming === 'id' || isFirst(world, place)) return true;
	const isLost = world.naming === 'created' && world.changes[place]?.step === 'UNDELIVERED';
	return !isLost && known[place - 1] === true;
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
