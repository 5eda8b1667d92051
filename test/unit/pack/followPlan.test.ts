// What n8n itself asks for and whom it wakes, where it follows without a receiver: worlds of letters that change,
// executions that sleep, answers that fail, and restarts.
import fc from 'fast-check';

import { Plan } from '../../../nodes/shared/following/plan.ts';
import type { Sleeper } from '../../../nodes/shared/following/readSleeper.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let last = 0;

const sleeper = (ids: string[], more: Partial<Sleeper> = {}): Sleeper => ({
	executionId: String(++last),
	nodeId: 'node',
	waitId: `wait${last}`,
	secret: 'secret',
	resumeUrl: 'url',
	instance: 'this-n8n',
	subjects: {
		messages: ids.map((messageId) => ({ messageId, messageType: 'LRE' })),
		trackedMailGoal: 'opened',
	},
	since: 0,
	end: 24 * HOUR,
	...more,
});

const consentsOf = (...ids: string[]) => ({
	subjects: { consents: ids.map((consentId) => ({ consentId })) },
});

/** What the service answers of a letter. */
const letter = (id: string, status: string) => ({ id, status, evidences: [] });

/** What to ask for now. */
const asks = (plan: Plan, now: number) => {
	const { question, at } = plan.next(now);
	return at <= now ? question : undefined;
};

const outcomes = (woken: ReturnType<Plan['wake']>) =>
	woken.map(({ resume: { reason, outcomes: all } }) => [
		reason,
		...all.map(({ outcome }) => outcome),
	]);

describe('asking', () => {
	it('asks once for a letter that many wait for, and less often the older it is', () => {
		const plan = new Plan();
		for (let n = 0; n < 100; n++) plan.add(sleeper(['a'], { end: 90 * 24 * HOUR }));
		const asked: number[] = [];
		for (let now = 0; now < 3 * 24 * HOUR; now = Math.max(now + 1, plan.next(now).at)) {
			if (asks(plan, now) === undefined) continue;
			asked.push(now);
			plan.status(letter('a', 'SENT'), now);
		}
		const within = (from: number, to: number) => asked.filter((at) => at >= from && at < to).length;
		expect(within(0, 10 * MINUTE)).toBe(40);
		expect(within(10 * MINUTE, HOUR)).toBeLessThanOrEqual(51);
		expect(within(HOUR, 24 * HOUR)).toBeLessThanOrEqual(139);
		expect(within(24 * HOUR, 72 * HOUR)).toBeLessThanOrEqual(49);
	});

	it('does not take an old letter for a fresh one after a restart', () => {
		const plan = new Plan();
		const now = 40 * 24 * HOUR;
		plan.add(sleeper(['a'], { end: 90 * 24 * HOUR }));
		plan.status(letter('a', 'SENT'), now);
		expect(plan.next(now).at - now).toBe(6 * HOUR);
	});

	it('asks at once for who has just fallen asleep', () => {
		const plan = new Plan();
		plan.add(sleeper(['a']));
		plan.status(letter('a', 'SENT'), 0);
		plan.add(sleeper(['a'], { since: 1000 }));
		expect(asks(plan, 1000)).toBe('a');
	});

	it('asks for no letter that is done with; once nobody sleeps it asks for nothing, and forgets', () => {
		const plan = new Plan();
		const one = sleeper(['a', 'b']);
		plan.add(one);
		plan.status(letter('a', 'ACCEPTED'), 0);
		plan.status(letter('b', 'SENT'), 0);
		expect(asks(plan, HOUR)).toBe('b');
		plan.remove(one);
		expect([asks(plan, HOUR), plan.isEmpty]).toEqual([undefined, true]);
		plan.add(sleeper(['a']));
		expect(asks(plan, HOUR)).toBe('a');
	});

	it('goes on asking for a letter when one leaves who was done with it', () => {
		const plan = new Plan();
		const messages = [{ messageId: 'a', messageType: 'AES' as const }];
		const first = sleeper([], { subjects: { messages, trackedMailGoal: 'received' } });
		plan.add(first);
		plan.add(sleeper([], { subjects: { messages, trackedMailGoal: 'opened' } }));
		plan.status(letter('a', 'RECEIVED'), 0);
		plan.remove(first);
		expect(asks(plan, HOUR)).toBe('a');
		plan.status(letter('a', 'OPENED'), HOUR);
		expect(outcomes(plan.wake(HOUR, 9))).toEqual([['complete', 'opened']]);
	});

	it('who falls asleep for what another knows already is woken at once', () => {
		const plan = new Plan();
		plan.add(sleeper(['a', 'b']));
		plan.status(letter('a', 'ACCEPTED'), 0);
		plan.add(sleeper(['a'], { since: 1000 }));
		expect(outcomes(plan.wake(1000, 9))).toEqual([['complete', 'accepted']]);
	});

	it('waits as long as the service asks for, with everything', () => {
		const plan = new Plan();
		plan.add(sleeper(['a', 'b']));
		plan.failed('a', 0, 2 * HOUR);
		expect(asks(plan, 2 * HOUR - 1)).toBeUndefined();
		expect(asks(plan, 2 * HOUR)).toBeDefined();
	});

	it('a clock that is set back stops nothing, and hurries nothing', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 12 * HOUR }),
				fc.constantFrom<(plan: Plan, now: number) => void>(
					(plan, now) => plan.status(letter('a', 'SENT'), now),
					(plan, now) => plan.failed('a', now, null),
					(plan, now) => plan.failed('a', now, 20 * MINUTE),
				),
				fc.nat({ max: 30 * 24 * HOUR }),
				(back, answer, age) => {
					const plan = new Plan();
					const before = 40 * 24 * HOUR;
					plan.add(sleeper(['a'], { since: before - age, end: 90 * 24 * HOUR }));
					answer(plan, before);
					const asked: number[] = [];
					let now = before - back;
					for (const end = now + HOUR; now < end; now = Math.max(now + 1, plan.next(now).at)) {
						if (asks(plan, now) === undefined) continue;
						asked.push(now - (before - back));
						plan.status(letter('a', 'SENT'), now);
					}
					expect(asked[0]).toBe(0);
					expect(asked.length).toBeLessThanOrEqual(HOUR / 15_000);
				},
			),
			{ examples: [[6 * HOUR, (plan, now) => plan.status(letter('a', 'SENT'), now), 0]] },
		);
	});

	it('and whom it could not wake before, it wakes', () => {
		const plan = new Plan();
		const one = sleeper(['a'], { end: 90 * 24 * HOUR });
		plan.add(one);
		plan.status(letter('a', 'ACCEPTED'), 6 * HOUR);
		plan.wake(6 * HOUR, 9);
		plan.notWoken(one, 6 * HOUR);
		expect(outcomes(plan.wake(6 * HOUR, 9))).toEqual([]);
		expect(outcomes(plan.wake(0, 9))).toEqual([['complete', 'accepted']]);
	});

	it('of several that are due, asks for the one that was asked longest ago', () => {
		const plan = new Plan();
		const end = 90 * 24 * HOUR;
		plan.add(sleeper(['a'], { end }));
		plan.add(sleeper(['b'], { end, since: 25 * HOUR }));
		plan.status(letter('a', 'SENT'), 25 * HOUR);
		plan.status(letter('b', 'SENT'), 25 * HOUR + MINUTE);
		expect(asks(plan, 27 * HOUR)).toBe('a');
		plan.status(letter('a', 'SENT'), 27 * HOUR);
		expect(asks(plan, 27 * HOUR)).toBe('b');
	});

	it('asks often again after a change, of a letter or of a list', () => {
		const plan = new Plan();
		const end = 90 * 24 * HOUR;
		plan.add(sleeper(['a'], { end }));
		plan.status(letter('a', 'SENT'), 25 * HOUR);
		expect(plan.next(25 * HOUR).at).toBe(26 * HOUR);
		plan.status(letter('a', 'RECEIVED'), 26 * HOUR);
		expect(plan.next(26 * HOUR).at).toBe(26 * HOUR + MINUTE / 4);
		const other = new Plan();
		other.add(sleeper([], { ...consentsOf('one', 'two'), end }));
		const one = { id: 'one', type: 'EMAIL', contact: 'ada' };
		other.listed([{ ...one, state: 'PENDING' }], 25 * HOUR);
		expect(other.next(25 * HOUR).at).toBe(25 * HOUR + 10 * MINUTE);
		other.listed([{ ...one, state: 'PENDING' }], 26 * HOUR);
		expect(other.next(26 * HOUR).at).toBe(26 * HOUR + 10 * MINUTE);
		other.listed([{ ...one, state: 'REFUSED' }], 27 * HOUR);
		expect(other.next(27 * HOUR).at).toBe(27 * HOUR + MINUTE / 4);
	});

	it('asks for the list of consents again after a while if it had no answer', () => {
		const plan = new Plan();
		plan.add(sleeper([], consentsOf('one')));
		expect(plan.next(0)).toMatchObject({ question: null, at: 0 });
		plan.failed(null, 0, null);
		expect(plan.next(0).at).toBeGreaterThan(0);
	});

	it('forgets what an execution waited for before, and what nobody waits for', () => {
		const plan = new Plan();
		const one = sleeper(['a']);
		plan.add(one);
		plan.status(letter('a', 'ACCEPTED'), 0);
		const next = { ...sleeper(['b']), executionId: one.executionId };
		plan.add(next);
		plan.remove(one);
		expect(plan.isEmpty).toBe(false);
		plan.add(sleeper(['a']));
		expect(plan.wake(0, 9)).toEqual([]);
		const other = new Plan();
		const asking = sleeper([], consentsOf('one'));
		other.add(asking);
		other.listed([{ id: 'one', type: 'EMAIL', contact: 'ada', state: 'ACCEPTED' }], 0);
		other.remove(asking);
		other.add(asking);
		expect(other.wake(0, 9)).toEqual([]);
	});

	it('an answer that nobody waits for any more changes nothing', () => {
		const plan = new Plan();
		plan.status(letter('a', 'SENT'), 0);
		plan.failed('a', 0, null);
		plan.notWoken(sleeper(['a']), 0);
		plan.remove(sleeper(['a']));
		expect(plan.next(0)).toEqual({ question: undefined, at: Infinity });
	});

	it('a letter that the service does not know holds up no other', () => {
		const plan = new Plan();
		plan.add(sleeper(['a', 'b']));
		plan.failed('a', 0, null);
		expect(asks(plan, 0)).toBe('b');
	});
});

describe('waking', () => {
	it('at the end, after one more look, so that nobody leaves without what was known', () => {
		const plan = new Plan();
		plan.add(sleeper(['a'], { end: HOUR + 1 }));
		plan.status(letter('a', 'SENT'), HOUR);
		expect(plan.wake(HOUR + 1, 9)).toEqual([]);
		expect(asks(plan, HOUR + 1)).toBe('a');
		plan.status(letter('a', 'REFUSED'), HOUR + 1);
		expect(outcomes(plan.wake(HOUR + 1, 9))).toEqual([['complete', 'refused']]);
	});

	it('ten minutes later if the service does not answer', () => {
		const plan = new Plan();
		plan.add(sleeper(['a'], { end: HOUR }));
		plan.failed('a', HOUR, MINUTE);
		expect(plan.wake(HOUR + 10 * MINUTE - 1, 9)).toEqual([]);
		expect(outcomes(plan.wake(HOUR + 10 * MINUTE, 9))).toEqual([['deadline', 'none']]);
	});

	it('not again while one is open, later if it was in vain', () => {
		const plan = new Plan();
		const one = sleeper(['a']);
		plan.add(one);
		plan.status(letter('a', 'EXPIRED'), 0);
		expect(plan.wake(0, 9)).toHaveLength(1);
		plan.add(one);
		expect(plan.wake(HOUR, 9)).toEqual([]);
		plan.notWoken(one, HOUR);
		expect(plan.wake(HOUR, 9)).toEqual([]);
		expect(plan.wake(HOUR + MINUTE, 9)).toHaveLength(1);
	});

	it('says when to wake again, later each time that it was in vain', () => {
		const plan = new Plan();
		const one = sleeper(['a']);
		plan.add(one);
		plan.status(letter('a', 'EXPIRED'), 0);
		let pause = 0;
		for (let now = 0, tries = 0; tries < 3; tries++) {
			expect(plan.wake(now, 9)).toHaveLength(1);
			plan.notWoken({ ...one, waitId: 'before' }, now);
			expect(plan.next(now).at).toBe(Infinity);
			plan.notWoken(one, now);
			const { at } = plan.next(now);
			expect(at - now).toBeGreaterThan(pause);
			expect(plan.wake(at - 1, 9)).toEqual([]);
			[pause, now] = [at - now, at];
		}
	});

	it('no more at a time than there is room for, and at its end only who was asked for in full', () => {
		const plan = new Plan();
		for (const ids of [['a'], ['a'], ['a', 'b']]) plan.add(sleeper(ids, { end: HOUR }));
		plan.status(letter('a', 'ACCEPTED'), 0);
		expect(plan.wake(0, 1)).toHaveLength(1);
		expect(plan.wake(0, 9)).toHaveLength(1);
		plan.add(sleeper(['b', 'c'], { end: HOUR }));
		plan.status(letter('b', 'SENT'), HOUR);
		expect(outcomes(plan.wake(HOUR, 9))).toEqual([['deadline', 'accepted', 'none']]);
		plan.status(letter('c', 'SENT'), HOUR);
		expect(outcomes(plan.wake(HOUR, 9))).toEqual([['deadline', 'none', 'none']]);
	});

	it('[CONS-07][N] the answer to a newer consent of the contact counts', () => {
		const plan = new Plan();
		plan.add(sleeper([], consentsOf('one')));
		const listed = { type: 'EMAIL', contact: 'ada' };
		plan.listed([{ ...listed, id: 'one', state: 'PENDING' }], 0);
		expect(plan.wake(0, 9)).toEqual([]);
		plan.listed([{ ...listed, id: 'two', state: 'ACCEPTED' }], HOUR);
		expect(outcomes(plan.wake(HOUR, 9))).toEqual([['complete', 'accepted']]);
	});

	it('[CONS-07][N] one that took the place of a consent before it was listed answers for it', () => {
		const plan = new Plan();
		const listed = { type: 'EMAIL', contact: 'ada' };
		plan.add(sleeper([], { subjects: { consents: [{ consentId: 'other', contact: 'ben' }] } }));
		plan.listed([{ ...listed, id: 'refused before', state: 'REFUSED' }], 0);
		const consents = [{ consentId: 'one', contact: 'ada' }];
		plan.add(sleeper([], { subjects: { consents }, since: MINUTE }));
		plan.listed([{ ...listed, id: 'two', state: 'PENDING' }], HOUR);
		expect(plan.wake(HOUR, 9)).toEqual([]);
		plan.listed([{ ...listed, id: 'two', state: 'ACCEPTED' }], 2 * HOUR);
		expect(outcomes(plan.wake(2 * HOUR, 9))).toEqual([['complete', 'accepted']]);
	});

	it('[CONS-07][N] an answer counts, also after the contact was asked again; one before it does not', () => {
		const plan = new Plan();
		plan.add(sleeper([], consentsOf('two', 'other')));
		const ada = { type: 'EMAIL', contact: 'ada' };
		const ben = { id: 'other', type: 'EMAIL', contact: 'ben', state: 'PENDING' };
		plan.listed([{ ...ada, id: 'one', state: 'REFUSED' }, ben], 0);
		plan.listed([{ ...ada, id: 'two', state: 'PENDING' }, ben], 1000);
		plan.listed([{ ...ada, id: 'two', state: 'ACCEPTED' }, ben], 2000);
		plan.listed([{ ...ada, id: 'three', state: 'PENDING' }, ben], 3000);
		expect(plan.wake(4000, 9)).toEqual([]);
		plan.listed([{ ...ben, state: 'REFUSED' }], 5000);
		expect(outcomes(plan.wake(5000, 9))).toEqual([['complete', 'accepted', 'refused']]);
	});

	it('[STAT-05][N] mail that bounced and arrives after all has arrived', () => {
		const messages = [{ messageId: 'a', messageType: 'AES' as const }];
		const plan = new Plan();
		plan.add(sleeper([], { subjects: { messages, trackedMailGoal: 'received' }, end: HOUR }));
		plan.status(letter('a', 'UNDELIVERED'), 0);
		expect(plan.wake(0, 9)).toEqual([]);
		plan.status(letter('a', 'RECEIVED'), MINUTE);
		expect(outcomes(plan.wake(MINUTE, 9))).toEqual([['complete', 'received']]);
	});
});

const FINAL = ['ACCEPTED', 'REFUSED', 'EXPIRED'] as const;

/** A letter: when it gets which outcome, if ever. */
const letterArb = fc.record({
	at: fc.integer({ min: 0, max: 48 * 60 }),
	how: fc.constantFrom(...FINAL, null),
});

/** An execution: when it falls asleep, for which letters, and for how long; in minutes. */
const sleepArb = fc.record({
	since: fc.integer({ min: 0, max: 24 * 60 }),
	letters: fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { minLength: 1 }),
	length: fc.integer({ min: 1, max: 24 * 60 }),
});

const troubleArb = fc.record({
	from: fc.integer({ min: 0, max: 48 * 60 }),
	length: fc.integer({ min: 1, max: 120 }),
	retryAfter: fc.option(fc.integer({ min: 0, max: 30 * MINUTE })),
});

it('worlds: each leaves once, by what the letters were then, whatever fails and restarts in between', () => {
	const world = fc.record({
		letters: fc.array(letterArb, { minLength: 5, maxLength: 5 }),
		sleeps: fc.array(sleepArb, { minLength: 1, maxLength: 8 }),
		troubles: fc.array(troubleArb, { maxLength: 2 }),
		restarts: fc.array(fc.integer({ min: 0, max: 48 * 60 }), { maxLength: 3 }),
		lost: fc.array(fc.nat({ max: 7 }), { maxLength: 4 }),
	});
	fc.assert(
		fc.property(world, ({ letters, sleeps, troubles, restarts, lost }) => {
			const statusAt = (letter: number, now: number) => {
				const { at, how } = letters[letter];
				return how !== null && now >= at * MINUTE ? how : 'SENT';
			};
			const isAway = (now: number) =>
				troubles.some(({ from, length }) => {
					return now >= from * MINUTE && now < (from + length) * MINUTE;
				});
			const asleep = sleeps.map(({ since, letters: ids, length }) => {
				const end = (since + length) * MINUTE;
				return sleeper(ids.map(String), { since: since * MINUTE, end });
			});
			const left = new Map<string, number>();
			const inVain = new Set(lost);
			let plan = new Plan();
			let asked = 0;
			const restartAt = [...restarts].sort((a, b) => a - b);
			for (let now = 0; now < 72 * HOUR && left.size < asleep.length; ) {
				while (restartAt.length > 0 && restartAt[0] * MINUTE <= now) {
					restartAt.shift();
					plan = new Plan();
				}
				for (const one of asleep) if (one.since <= now && !left.has(one.waitId)) plan.add(one);
				for (const { sleeper: one, resume } of plan.wake(now, 4)) {
					if (inVain.delete(asleep.indexOf(one))) {
						plan.notWoken(one, now);
						continue;
					}
					expect(left.has(one.waitId)).toBe(false);
					left.set(one.waitId, now);
					plan.remove(one);
					const lasting = resume.outcomes.map(({ id }) => statusAt(Number(id), now));
					const known = resume.outcomes.map(({ outcome }) => outcome.toUpperCase());
					if (resume.reason === 'complete') expect(known).toEqual(lasting);
					else {
						expect(now).toBeGreaterThanOrEqual(one.end);
						// Unless the service was away, what had come by the end is known.
						const hadCome = resume.outcomes.map(({ id }) => statusAt(Number(id), one.end));
						if (!isAwayAround(one.end, isAway)) {
							for (const [n, status] of hadCome.entries()) {
								if (status !== 'SENT') expect(known[n]).toBe(status);
							}
						}
					}
				}
				const { question, at } = plan.next(now);
				if (question === undefined || at > now) {
					const events = [
						...asleep.map(({ since }) => since).filter((one) => one > now),
						...restartAt.map((one) => one * MINUTE),
						// Nobody sleeps longer than that without a look.
						Math.min(at, now + MINUTE),
					];
					now = Math.max(now + 1, Math.min(...events));
					continue;
				}
				if (question === null) throw new Error('Nobody waits for a consent.');
				asked++;
				if (isAway(now)) plan.failed(question, now, Math.max(MINUTE, troubles[0]?.retryAfter ?? 0));
				else plan.status(letter(question, statusAt(Number(question), now)), now);
				now += 250;
			}
			expect([...left.keys()].sort()).toEqual(asleep.map(({ waitId }) => waitId).sort());
			for (const { waitId, end } of asleep) {
				// At the latest ten minutes after its end, but for wake-ups that were in vain.
				expect(Number(left.get(waitId))).toBeLessThan(end + 15 * MINUTE);
			}
			expect(asked).toBeLessThan(5 * 1500 * (restarts.length + 1));
		}),
		{ numRuns: 40 },
	);
});

/** Within the time in which a service that is back is asked again, which it may itself have put off. */
function isAwayAround(end: number, isAway: (now: number) => boolean): boolean {
	for (let now = end - 36 * MINUTE; now <= end + 11 * MINUTE; now += 10_000) {
		if (isAway(now)) return true;
	}
	return false;
}
