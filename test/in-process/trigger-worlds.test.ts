// Whatever happens to n8n, the receiver and the network between them, and whatever n8n's concurrency
// limit, each event starts one execution, and those of a letter start in order. What n8n stored without
// its events is dead until a person has it handed out again.
import fc from 'fast-check';

import type { Fate } from '../support/wire.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { N8nDatabase, N8nProcess } from './pulling-n8n.ts';
import { until } from '../contract/receiver/harness.ts';
import { eventOf, managementToken, PulledReceiver } from './pulled-receiver.ts';
import { tenfoldAtNight } from '../support/ring.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

const WORLDS = Number(process.env.WORLDS ?? tenfoldAtNight(15));

/** Longer than the receiver waits for word of a batch. */
const LONGER_THAN_THE_ACK_WAIT = 90_000;

const fates: Fate[] = [
	'refuse',
	'loseAnswer',
	{ status: 502, body: '<html>Bad gateway</html>' },
	{ body: 'n8n is starting up' },
];

const step = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({ post: fc.array(fc.nat(4), { minLength: 1, maxLength: 6 }) }),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			end: fc.nat(9),
			status: fc.constantFrom('success', 'error', 'waiting'),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ cancel: fc.nat(9), reason: fc.constantFrom('manual', 'shutdown') }),
	},
	{ weight: 1, arbitrary: fc.record({ refuse: fc.integer({ min: 1, max: 3 }) }) },
	{ weight: 2, arbitrary: fc.record({ fail: fc.integer({ min: 1, max: 2 }) }) },
	{
		weight: 2,
		arbitrary: fc.record({
			spoil: fc.integer({ min: 1, max: 4 }),
			fate: fc.constantFrom(...fates),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.constantFrom('edit', 'republish', 'killN8n', 'restartReceiver', 'wait'),
	},
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const world = fc.record({
	steps: fc.array(step, { minLength: 5, maxLength: 25 }),
	options: fc.record({
		maxConcurrentExecutions: fc.integer({ min: 1, max: 4 }),
		batchSize: fc.constantFrom(1, 1, 3),
	}),
	limit: fc.constantFrom(1, 2, 5, Infinity),
});

jest.setTimeout(tenfoldAtNight(300_000));

it('each event starts one execution, those of a letter in order', async () => {
	await fc.assert(
		fc.asyncProperty(world, async ({ steps, options, limit }) => {
			const world = await World.open(options, limit);
			try {
				for (const one of steps) await world.take(one);
				await world.settle();
				await world.check();
			} finally {
				await world.close();
			}
		}),
		{ numRuns: WORLDS, endOnFailure: true },
	);
});

class World {
	private readonly receiver: PulledReceiver;
	private readonly database = new N8nDatabase();
	private readonly publishing;
	private readonly posted: string[] = [];
	private readonly processes: N8nProcess[] = [];
	private readonly limit: number;
	private readonly failedBeforeKill = new Set<string>();
	private n8n!: N8nProcess;

	private constructor(
		receiver: PulledReceiver,
		options: { maxConcurrentExecutions: number; batchSize: number },
		limit: number,
	) {
		this.receiver = receiver;
		this.limit = limit;
		this.publishing = { managementToken, parameters: { options } };
	}

	static async open(
		options: { maxConcurrentExecutions: number; batchSize: number },
		limit: number,
	): Promise<World> {
		const world = new World(await PulledReceiver.start(), options, limit);
		await world.startN8n();
		await world.n8n.publish(world.publishing);
		return world;
	}

	async take(step: Step): Promise<void> {
		if (typeof step === 'string') return await this[step]();
		if ('post' in step) {
			const events = step.post.map((letter) => eventOf(letter));
			this.posted.push(...events.map(({ timestamp }) => timestamp));
			return await this.receiver.serviceSends(events);
		}
		const { running } = this.database;
		if ('end' in step) running.at(step.end % (running.length || 1))?.end(step.status);
		else if ('cancel' in step) running.at(step.cancel % (running.length || 1))?.cancel(step.reason);
		else if ('refuse' in step) this.n8n.refusals = step.refuse;
		else if ('fail' in step) this.n8n.failures = step.fail;
		else this.spoil(step.spoil, step.fate);
		await this.wait();
	}

	/** All is well again, and goes on until there is nothing left to do, and nothing dead. */
	async settle(): Promise<void> {
		this.n8n.wire.fate = () => undefined;
		this.n8n.refusals = 0;
		this.n8n.failures = 0;
		this.n8n.endsAtOnce = true;
		await this.drain();
		await this.retryDead();
		await this.drain();
	}

	/** As a person does, who looks for the execution where the record asks for it. */
	private async retryDead(): Promise<void> {
		const { data } = await this.receiver.manage<{ data: Array<{ id: string; reason: string }> }>(
			'/batches?state=dead&limit=500',
		);
		for (const { id, reason } of data) {
			const isThere = this.database.keys.has(`registered-delivery~${id}`);
			if (isThere && reason.startsWith('n8n has an execution of this batch')) continue;
			await this.receiver.manage(`/batches/${id}/retry`, 'POST');
		}
	}

	private async drain(): Promise<void> {
		for (let round = 0; !(await this.receiver.isDrained()); round++) {
			if (round > 20) throw new Error('It does not end.');
			for (const execution of this.database.running) execution.end();
			this.receiver.advance(LONGER_THAN_THE_ACK_WAIT);
			await this.edit();
			await until(() => this.receiver.isDrained(), 'the end', 1_000).catch(() => undefined);
		}
	}

	async check(): Promise<void> {
		const { events, executions, failed } = this.database;
		expect(executions.filter(({ isOver }) => !isOver)).toEqual([]);
		const timeOf = ({ occurredAt }: { occurredAt: string | null }) => occurredAt ?? '';
		const times = events.map(timeOf);
		const lost = this.posted.filter((time) => !times.includes(time));
		expect([...times, ...lost].sort()).toEqual([...this.posted].sort());
		// n8n was killed after it had failed one, and before it could say so: the record does.
		const found = await this.foundAgain();
		const unsaid = [...failed].flatMap(([key, all]) =>
			found.has(key) && this.failedBeforeKill.has(key) ? all.map(timeOf) : [],
		);
		expect(unsaid).toEqual(expect.arrayContaining(lost));
		const handedOutAgain = new Set([...failed.values()].flat().map(timeOf));
		for (const letter of new Set(events.map(({ messageId }) => messageId))) {
			const own = times.filter(
				(time, index) => events[index].messageId === letter && !handedOutAgain.has(time),
			);
			expect(own).toEqual([...own].sort());
		}
		expect(this.n8n.errors).toEqual([]);
	}

	/** Keys of batches of which a later process found an execution. */
	private async foundAgain(): Promise<Set<string>> {
		const { data } = await this.receiver.manage<{ data: Array<{ id: string; reason: string }> }>(
			'/batches?state=done&limit=500',
		);
		const found = data.filter(({ reason }) => reason?.startsWith('n8n already had an execution'));
		return new Set(found.map(({ id }) => `registered-delivery~${id}`));
	}

	async close(): Promise<void> {
		for (const one of this.processes) {
			await one.close();
			one.wire.cut();
		}
		await this.receiver.end();
	}

	private spoil(count: number, fate: Fate): void {
		let left = count;
		this.n8n.wire.fate = () => (left-- > 0 ? fate : undefined);
	}

	private async edit(): Promise<void> {
		await this.n8n.close();
		await this.publish('update');
	}

	private async republish(): Promise<void> {
		await this.n8n.close();
		await this.wait();
		await this.publish('activate');
	}

	private async killN8n(): Promise<void> {
		for (const key of this.database.failed.keys()) this.failedBeforeKill.add(key);
		this.n8n.kill();
		await this.startN8n();
		await this.publish('init');
	}

	/** Until it goes well, as n8n does: an answer that is spoilt fails it. */
	private async publish(mode: 'activate' | 'update' | 'init'): Promise<void> {
		await until(async () => {
			try {
				await this.n8n.publish({ ...this.publishing, mode });
				return true;
			} catch {
				// A quick restart meets the holder that was killed.
				this.receiver.advance(LONGER_THAN_THE_ACK_WAIT);
				return false;
			}
		}, 'it is published');
	}

	private async restartReceiver(): Promise<void> {
		await this.receiver.stop();
		await this.receiver.start();
		this.n8n.wire.target = this.receiver.url;
	}

	/** Some turns of the event loop, for things to happen at the same time, or not. */
	private async wait(): Promise<void> {
		await this.receiver.consumers();
		await this.receiver.consumers();
	}

	private async startN8n(): Promise<void> {
		this.n8n = await N8nProcess.start(this.receiver.url, this.database);
		this.n8n.endsAtOnce = false;
		this.n8n.recover(this.limit);
		this.processes.push(this.n8n);
	}
}
