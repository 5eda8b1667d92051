// Histories of waits, and what must be true of them: which are ready, with which outcomes, and who has
// them. It knows the contract alone, and nothing of how a receiver keeps its promises.
import * as fc from 'fast-check';
import { ACK_WAIT_MS } from '../../../webhook-receiver/src/core/pull-contract.ts';
import type { BatchSettlement } from '../../../webhook-receiver/src/core/pull-contract.ts';
import type { Outcome, TrackedMailGoal } from '../../../webhook-receiver/src/core/wait-contract.ts';

const SECOND = 1_000;
const DAY = 24 * 3_600 * SECOND;
/** How long after its deadline nobody needs a wake-up any more. */
const PATIENCE_MS = DAY;
const LONGEST_PAUSE_MS = 300 * SECOND;

export const INSTANCES = ['n8n', 'other-n8n'];
export const WAITS = [1, 2, 3].map((n) => `wait-0000-0000-000${n}`);
export const LETTERS = [1, 2, 3].map((n) => `00000000000${n}`);
const HOLDERS = ['first-process', 'other-process'];

/** `pick` selects among all wake-ups ever handed out, whosever they are. */
interface PickedSettlement {
	pick: number;
	outcome: BatchSettlement['outcome'];
}

export interface PutStep {
	kind: 'put';
	id: string;
	instance: string;
	letters: string[];
	goal: TrackedMailGoal;
	seconds: number;
}

export type Step =
	| PutStep
	| { kind: 'remove'; id: string }
	| { kind: 'happen'; letters: string[]; state: 'sent' | 'received' | 'opened' }
	| { kind: 'pull'; instance: string; holder: string; settle: PickedSettlement[] }
	| { kind: 'pass'; seconds: number }
	| { kind: 'erase'; letter: string }
	| { kind: 'restart' };

const is = <K extends string>(kind: K) => fc.constant(kind);
const letters = fc.subarray(LETTERS, { minLength: 1, maxLength: 2 });
const settle = fc.array(
	fc.record({
		pick: fc.nat(1_000),
		outcome: fc.oneof(
			{ weight: 3, arbitrary: fc.constantFrom('ack' as const, 'nak' as const) },
			fc.constantFrom('inProgress' as const, 'term' as const),
		),
	}),
	{ maxLength: 3 },
);

/** What n8n, letters, operators, time and crashes do. */
export const steps: fc.Arbitrary<Step[]> = fc.array(
	fc.oneof(
		{
			weight: 6,
			arbitrary: fc.record({
				kind: is('put'),
				id: fc.constantFrom(...WAITS),
				instance: fc.constantFrom(...INSTANCES),
				letters,
				goal: fc.constantFrom('opened' as const, 'received' as const),
				seconds: fc.constantFrom(0, 1, 60, 600, 3_600, 90_000),
			}),
		},
		{
			weight: 6,
			arbitrary: fc.record({
				kind: is('happen'),
				letters,
				state: fc.constantFrom('sent' as const, 'received' as const, 'opened' as const),
			}),
		},
		{
			weight: 10,
			arbitrary: fc.record({
				kind: is('pull'),
				instance: fc.constantFrom(...INSTANCES),
				holder: fc.constantFrom(...HOLDERS),
				settle,
			}),
		},
		{
			weight: 5,
			arbitrary: fc.record({
				kind: is('pass'),
				seconds: fc.constantFrom(1, 2, 30, 59, 60, 540, 3_600, 90_000),
			}),
		},
		fc.record({ kind: is('remove'), id: fc.constantFrom(...WAITS) }),
		{
			weight: 2,
			arbitrary: fc.record({ kind: is('erase'), letter: fc.constantFrom(...LETTERS) }),
		},
		fc.record({ kind: is('restart') }),
	),
	{ minLength: 1, maxLength: 30, size: 'max' },
);

interface KnownWait extends PutStep {
	secret: string;
	deadline: number;
	/** Of its letters, as they stand. */
	outcomes: Map<string, Outcome>;
	state: 'open' | 'queued' | 'in-hand' | 'done' | 'dead';
	/** Once it was handed out. */
	batch: string | null;
	readyAt: number;
	holder: string | null;
	/** When it may be handed out, or its ack wait ends. */
	dueAt: number;
	attempts: number;
	naks: number;
}

export class WaitModel {
	readonly waits = new Map<string, KnownWait>();
	readonly erased = new Set<string>();
	private readonly happened = new Map(LETTERS.map((letter) => [letter, new Set<string>()]));

	put(step: PutStep, secret: string, now: number): void {
		const fresh = { state: 'open', batch: null, holder: null, attempts: 0, naks: 0 } as const;
		const deadline = now + step.seconds * SECOND;
		const outcomes = new Map<string, Outcome>();
		this.waits.set(step.id, {
			...step,
			...fresh,
			secret,
			deadline,
			outcomes,
			readyAt: 0,
			dueAt: 0,
		});
	}

	happen(letter: string, state: string): void {
		this.happened.get(letter)?.add(state);
	}

	erase(letter: string): void {
		this.erased.add(letter);
		this.forget();
	}

	/** What is over when the receiver has done all there was to do. */
	rest(now: number): void {
		for (const wait of this.waits.values()) {
			if (wait.state !== 'open') continue;
			if (this.isComplete(wait) || wait.deadline <= now) {
				Object.assign(wait, { state: 'queued', readyAt: now, dueAt: now });
			}
		}
	}

	/** Those that may be given up, which happens at the latest a minute later. */
	hopeless(now: number): KnownWait[] {
		return [...this.waits.values()].filter(
			({ state, dueAt, readyAt, deadline }) =>
				(state === 'queued' || (state === 'in-hand' && dueAt <= now)) &&
				Math.max(readyAt, deadline) <= now - PATIENCE_MS,
		);
	}

	givenUp(wait: KnownWait): void {
		wait.state = 'dead';
		this.forget();
	}

	/** A settlement by a process of this n8n. */
	settle({ batch, outcome }: BatchSettlement, instance: string, holder: string, now: number): void {
		const wait = [...this.waits.values()].find((one) => one.batch === batch);
		if (wait?.instance !== instance || isEnded(wait)) return;
		if (outcome === 'ack') wait.state = 'done';
		else if (outcome === 'term') wait.state = 'dead';
		else if (wait.state !== 'in-hand' || wait.holder !== holder) return;
		else if (outcome === 'inProgress') wait.dueAt = now + ACK_WAIT_MS;
		else {
			const pause = Math.min(SECOND * 2 ** wait.naks, LONGEST_PAUSE_MS);
			Object.assign(wait, { state: 'queued', naks: wait.naks + 1, dueAt: now + pause });
		}
		this.forget();
	}

	/** Whether executions of this n8n still wait. */
	isWaiting(instance: string): boolean {
		return [...this.waits.values()].some((one) => one.instance === instance && !isEnded(one));
	}

	/** What a pull of this n8n is handed out now, by the ids of the waits. */
	due(instance: string, now: number): KnownWait[] {
		return [...this.waits.values()].filter(
			(wait) =>
				wait.instance === instance &&
				(wait.state === 'queued' || wait.state === 'in-hand') &&
				wait.dueAt <= now,
		);
	}

	handedOut(wait: KnownWait, batch: string, holder: string, now: number): void {
		const attempts = wait.attempts + 1;
		Object.assign(wait, { state: 'in-hand', batch, holder, attempts, dueAt: now + ACK_WAIT_MS });
	}

	/** What its execution is told. */
	resume(wait: KnownWait) {
		const reason = this.isComplete(wait) ? 'complete' : 'deadline';
		const outcomes = wait.letters.map((id) => ({ id, outcome: wait.outcomes.get(id) ?? 'none' }));
		return { waitId: wait.id, reason, outcomes };
	}

	private isComplete(wait: KnownWait): boolean {
		for (const letter of wait.letters) {
			const outcome = this.outcome(letter, wait);
			if (outcome !== null) wait.outcomes.set(letter, outcome);
		}
		return wait.letters.every((letter) => wait.outcomes.has(letter));
	}

	/** A letter is received before it is opened, whichever is heard of first. */
	private outcome(letter: string, { goal }: KnownWait): Outcome | null {
		if (this.erased.has(letter)) return 'erased';
		const happened = this.happened.get(letter);
		return (
			(['received', 'opened'] as const).find(
				(state) => happened?.has(state) && (state === 'opened' || state === goal),
			) ?? null
		);
	}

	/** Erased letters of waits that have ended go, and the waits with their last letter. */
	private forget(): void {
		for (const wait of this.waits.values()) {
			if (!isEnded(wait)) continue;
			wait.letters = wait.letters.filter((id) => !this.erased.has(id));
			if (wait.letters.length === 0) this.waits.delete(wait.id);
		}
	}
}

function isEnded({ state }: KnownWait): boolean {
	return state === 'done' || state === 'dead';
}
