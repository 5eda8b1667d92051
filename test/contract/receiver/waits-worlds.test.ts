// Over HTTP, on both stores: whatever happens to waits, each is told to its own n8n as soon as it is over,
// not before, with the outcomes known by then, and until somebody says that it was.
import * as fc from 'fast-check';
import type { BatchSettlement } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { cleanUp } from './harness.ts';
import { Restartable } from './restartable.ts';
import { STORES } from './store-environment.ts';
import { INSTANCES, LETTERS, WAITS, WaitModel, steps } from './wait-model.ts';
import type { PutStep, Step } from './wait-model.ts';

afterEach(cleanUp);

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

it.each(STORES)(
	'$name wakes each execution with what it waits for, no other, and no more once it is awake',
	async (kind) => {
		await fc.assert(
			fc.asyncProperty(steps, async (all) => {
				const place = await Restartable.on(kind);
				const world = new World(place);
				for (const step of all) await world.step(step);
				await world.end();
				await place.end();
			}),
			// Each world starts receivers: to look for a shorter one takes many minutes.
			{ numRuns: kind.runs, endOnFailure: true },
		);
	},
	600_000,
);

/** Runs a history against a receiver, beside the model of what must become of it. */
class World {
	private readonly place: Restartable;
	private readonly model = new WaitModel();
	private puts = 0;
	/** The wake-ups ever handed out. */
	private readonly batches: string[] = [];

	constructor(place: Restartable) {
		this.place = place;
	}

	async step(step: Step): Promise<void> {
		if (step.kind === 'put') return this.put(step);
		if (step.kind === 'restart') return this.place.restart();
		if (step.kind === 'pass') return this.pass(step.seconds);
		if (step.kind === 'remove') {
			expect((await this.manage('DELETE', `/waits/${step.id}`)).status).toBe(204);
			this.model.waits.delete(step.id);
		} else if (step.kind === 'erase') {
			await this.manage('DELETE', `/letters/${step.letter}`);
			this.model.erase(step.letter);
		} else if (step.kind === 'happen') {
			const { letters, state } = step;
			// What it was told before stays.
			await this.rest();
			const events = letters.map((messageId) => ({ event: `aes_${state}`, messageId }));
			expect((await this.place.receiver.emit(events)).status).toBe(200);
			for (const letter of letters) this.model.happen(letter, state);
		} else {
			const settle = step.settle.map(({ pick, outcome }) => ({
				batch: this.batches[pick % this.batches.length] ?? 'bat_unknown',
				outcome,
			}));
			await this.pull(step.instance, step.holder, settle);
		}
	}

	/** Every wait is over, is told, is never heard of again, and goes with the last of its letters. */
	async end(): Promise<void> {
		await this.pass(2 * DAY - MINUTE);
		for (const instance of INSTANCES) await this.pull(instance, 'last-process', []);
		const settle = this.batches.map((batch) => ({ batch, outcome: 'ack' as const }));
		for (const instance of INSTANCES) await this.pull(instance, 'last-process', settle);
		await this.place.restart();
		await this.pass(MINUTE);
		for (const letter of LETTERS) await this.step({ kind: 'erase', letter });
		for (const instance of INSTANCES) await this.pull(instance, 'last-process', []);
	}

	private get now(): number {
		return this.place.clock.now();
	}

	private manage(method: string, path: string, body?: object) {
		return this.place.receiver.manage(method, path, body);
	}

	private async put(step: PutStep): Promise<void> {
		const { id, instance, letters, goal, seconds } = step;
		const secret = `secret-of-the-put-of-this-number-${++this.puts}`;
		const { status } = await this.manage('PUT', `/waits/${id}`, {
			instance,
			secret,
			resumeUrl: resumeUrlOf(secret),
			messages: letters.map((messageId) => ({ messageId, messageType: 'AES' })),
			deadline: new Date(this.now + seconds * 1_000).toISOString(),
			trackedMailGoal: goal,
		});
		const isRefused = letters.some((letter) => this.model.erased.has(letter));
		expect(status).toBe(isRefused ? 410 : 200);
		if (!isRefused) this.model.put(step, secret, this.now);
	}

	private async pass(seconds: number): Promise<void> {
		await this.rest();
		this.place.clock.advance(seconds * 1_000);
		await this.rest();
		if (seconds >= MINUTE) expect(this.model.hopeless(this.now)).toEqual([]);
	}

	private async pull(instance: string, holder: string, settle: BatchSettlement[]): Promise<void> {
		await this.rest();
		const { model, now } = this;
		const asked = { wants: null, holder, wakeUps: settle };
		const told = await this.place.receiver.pulled(asked, { key: `${instance}~process` });
		for (const one of settle) model.settle(one, instance, holder, now);
		expect(told.waiting).toBe(model.isWaiting(instance));
		const due = model.due(instance, now).sort((one, other) => (one.id < other.id ? -1 : 1));
		const wakeUps = told.wakeUps.sort((one, other) =>
			one.resume.waitId < other.resume.waitId ? -1 : 1,
		);
		const plain = wakeUps.map(({ secret, resumeUrl, resume }) => {
			const outcomes = resume.outcomes.map(({ id, outcome }) => ({ id, outcome }));
			return { secret, resumeUrl, resume: { ...resume, outcomes } };
		});
		const expected = due.map((wait) => {
			const { secret } = wait;
			return { secret, resumeUrl: resumeUrlOf(secret), resume: model.resume(wait) };
		});
		expect(plain).toEqual(expected);
		for (const [index, wait] of due.entries()) {
			const { id } = wakeUps[index];
			expect(id).toBe(wait.batch ?? id);
			model.handedOut(wait, id, holder, now);
			this.batches.push(id);
		}
		await this.compare();
	}

	/** Lets the receiver do all there is to do. */
	private async rest(): Promise<void> {
		await this.place.receiver.atRest();
		this.model.rest(this.now);
		for (const wait of this.model.hopeless(this.now)) {
			const { status, body } = await this.manage('GET', `/waits/${wait.id}`);
			if (status === 404 || body.state === 'dead') this.model.givenUp(wait);
		}
	}

	/** What the receiver shows of each wait. */
	private async compare(): Promise<void> {
		for (const id of WAITS) {
			const wait = this.model.waits.get(id);
			const { status, body } = await this.manage('GET', `/waits/${id}`);
			const shown = wait && { instance: wait.instance, state: wait.state, attempts: wait.attempts };
			expect({ id, status, body }).toMatchObject(
				shown === undefined ? { id, status: 404 } : { id, status: 200, body: shown },
			);
		}
	}
}

function resumeUrlOf(secret: string): string {
	return `http://127.0.0.1:9/webhook-waiting/7?signature=${secret}`;
}
