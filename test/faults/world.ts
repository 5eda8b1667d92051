// Receivers in processes of their own on one store, a service that posts letters' events until they
// are taken, and an n8n that pulls. Whatever happens in between, each event is executed once.
import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { RECEIVER_ATTENTION } from '../../webhook-receiver/src/core/event-contract.ts';
import type { DeliveryEvent } from '../../webhook-receiver/src/core/event-contract.ts';
import { KEY, later, temporaryFolder } from '../contract/receiver/harness.ts';
import { providerId, startProcess } from '../contract/receiver/process.ts';
import { Puller } from './puller.ts';
import { tenfoldAtNight } from '../support/ring.ts';

export type Process = Awaited<ReturnType<typeof startProcess>>;

const POSTS_A_SECOND = 30;
const LETTERS_AT_ONCE = 10;
const STATES = ['aes_sent', 'aes_received', 'aes_opened', 'aes_opened', 'aes_opened'];

/** No post takes longer: two attempts to store of five seconds, and what this machine adds. */
export const LIMIT_MS = 12_000;
/** How long a fault's aftermath may last. */
const AFTERMATH_MS = 60_000;

/** Repeats over and over what the scenarios do, for more than a quick look. */
export const ROUNDS = Number(process.env.FAULT_ROUNDS ?? tenfoldAtNight(1));

export interface WorldOptions {
	/** Environment of each receiver. */
	receivers: ReadonlyArray<Record<string, string>>;
	/** Of the file, if the store is embedded. */
	folder?: string;
	/** Headers of a post, if not the default signature. */
	headers?: Record<string, string>;
	perSecond?: number;
	/** How much text each event has besides. */
	padding?: number;
}

export class World {
	receivers: Process[] = [];
	readonly acknowledged = new Set<string>();
	/** Posts that were not taken, by the status or the error. */
	readonly refused = new Map<string, number>();
	/** The longest that an answer took, in milliseconds. */
	slowest = 0;
	readonly n8n: Puller;
	private readonly options: WorldOptions;
	private readonly folder: string;
	private readonly under = new Set<Promise<void>>();
	private made = 0;
	private turn = 0;
	private deadline = Infinity;
	private timer: NodeJS.Timeout | undefined;

	private constructor(options: WorldOptions) {
		this.options = options;
		this.folder = options.folder ?? temporaryFolder();
		this.n8n = new Puller(() => this.next());
	}

	/** Starts the receivers, one after the other; n8n pulls and the service posts from now on. */
	static async start(options: WorldOptions): Promise<World> {
		const world = new World(options);
		for (const index of options.receivers.keys()) await world.startReceiver(index);
		await world.receivers[0].pull({}, { key: KEY });
		world.n8n.start();
		world.timer = setInterval(() => world.postSome(), 1000 / POSTS_A_SECOND);
		later(() => world.end());
		return world;
	}

	async startReceiver(index: number): Promise<void> {
		this.receivers[index] = await startProcess(this.folder, this.options.receivers[index]);
	}

	/** Resolves once so many more events have been acknowledged. */
	async flows(count = 100): Promise<void> {
		const goal = this.acknowledged.size + count;
		await this.until(() => this.acknowledged.size >= goal, `${count} more are acknowledged`);
	}

	/** Resolves once so many more posts have been refused. */
	async refuses(count = 1): Promise<void> {
		const goal = this.refusals + count;
		await this.until(() => this.refusals >= goal, `${count} more are refused`);
	}

	/** The receiver's own word on whether it can store, and how long it took. */
	async readiness(index: number): Promise<{ status: number; ms: number; body: object }> {
		const begun = performance.now();
		// On a connection of its own: one that was kept may be closed just then.
		const answer = await new Promise<IncomingMessage>((resolve, reject) => {
			const url = `${this.receivers[index].url}/readyz`;
			get(url, { agent: false }, resolve).on('error', reject);
		});
		const body = (await json(answer)) as object;
		return { status: answer.statusCode ?? 0, ms: performance.now() - begun, body };
	}

	async untilReadiness(index: number, status: number): Promise<void> {
		const seen = async () => (await this.readiness(index)).status === status;
		await this.until(seen, `receiver ${index} says ${status}`);
	}

	async until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
		const deadline = Date.now() + AFTERMATH_MS;
		while (!(await holds())) {
			if (Date.now() > deadline) throw new Error(`Waited in vain until ${what}: ${this.report()}`);
			await sleep(20);
		}
	}

	/**
	 * Ends the load and waits until everything has been handed out.
	 *
	 * @returns the figure: acknowledged = stored = executed once, and in order
	 */
	async verdict(): Promise<string> {
		clearInterval(this.timer);
		this.deadline = Date.now() + AFTERMATH_MS;
		await Promise.all(this.under);
		const log = await this.log();
		// What was lost on its way to n8n comes again after a minute, or now.
		this.n8n.restart();
		await this.until(
			() => log.every(({ id }) => this.n8n.executed.has(id)),
			`all ${log.length} are executed`,
		);
		await this.n8n.stop();
		const stored = log.map(providerId);
		const { batches, executed } = this.n8n;
		const byLetter = Map.groupBy(
			batches.flatMap(({ events }) => events),
			({ messageId }) => messageId,
		);
		const isInOrder = (events: readonly DeliveryEvent[]) =>
			events.every((event, index) => index === 0 || event.sequence > events[index - 1].sequence);
		const order = (await this.log()).map(({ id }) => id);
		expect({
			'not acknowledged in the end': this.made - this.acknowledged.size,
			'acknowledged, not stored': [...this.acknowledged].filter((id) => !stored.includes(id)),
			'stored twice': stored.length - new Set(stored).size,
			'stored, not acknowledged': stored.filter((id) => !this.acknowledged.has(id)),
			'executed several times': [...executed].filter(([, times]) => times > 1),
			'executed, not stored': [...executed.keys()].filter((id) => !order.includes(id)),
			'letters out of order': [...byLetter].filter(([, events]) => !isInOrder(events)),
		}).toEqual({
			'not acknowledged in the end': 0,
			'acknowledged, not stored': [],
			'stored twice': 0,
			'stored, not acknowledged': [],
			'executed several times': [],
			'executed, not stored': [],
			'letters out of order': [],
		});
		expect(this.slowest).toBeLessThan(LIMIT_MS);
		return this.report();
	}

	report(): string {
		const refusals = [...this.refused].map(([why, count]) => `${count} × ${why}`).join(', ');
		const { size } = this.n8n.executed;
		const slowest = `slowest answer ${(this.slowest / 1000).toFixed(1)} s`;
		const same = this.acknowledged.size === size;
		const counts = same
			? `${size} acknowledged = stored = executed once`
			: `${this.acknowledged.size} acknowledged, ${size} executed`;
		return [counts, ...(refusals ? [refusals] : []), slowest].join('; ');
	}

	/** All events of the service, oldest first, from whichever receiver answers. */
	async log(): Promise<DeliveryEvent[]> {
		for (let tries = 1; ; tries++) {
			try {
				const all = await this.next().events();
				// What needs a person goes only to who asks for it.
				return all.filter(({ type }) => type !== RECEIVER_ATTENTION).reverse();
			} catch (error) {
				if (tries >= 50) throw error;
				await sleep(200);
			}
		}
	}

	private get refusals(): number {
		return [...this.refused.values()].reduce((sum, one) => sum + one, 0);
	}

	/** As a load balancer that takes turns and looks at nothing. */
	private next(): Process {
		return this.receivers[this.turn++ % this.receivers.length];
	}

	private postSome(): void {
		const count = Math.ceil((this.options.perSecond ?? 300) / POSTS_A_SECOND);
		const text = 'x'.repeat(this.options.padding ?? 0);
		const events = Array.from({ length: count }, () => ({ ...eventOf(this.made++), text }));
		const posting = this.insist(events).finally(() => this.under.delete(posting));
		this.under.add(posting);
	}

	private async insist(events: Array<{ id: string }>): Promise<void> {
		while (Date.now() < this.deadline) {
			const outcome = await this.post(this.next(), events);
			if (outcome === '200') return void events.map(({ id }) => this.acknowledged.add(id));
			this.refused.set(outcome, (this.refused.get(outcome) ?? 0) + 1);
			await sleep(200);
		}
	}

	private async post(receiver: Process, events: object[]): Promise<string> {
		const begun = performance.now();
		try {
			const { status } = await receiver.emit(JSON.stringify(events), this.options.headers);
			return String(status);
		} catch (error) {
			return (error as { cause?: { code?: string } }).cause?.code ?? String(error);
		} finally {
			this.slowest = Math.max(this.slowest, performance.now() - begun);
		}
	}

	private async end(): Promise<void> {
		clearInterval(this.timer);
		this.deadline = 0;
		await this.n8n.stop();
	}
}

/** Each letter has five events, between those of nine others. */
function eventOf(n: number) {
	const step = Math.floor(n / LETTERS_AT_ONCE);
	const letter = Math.floor(step / STATES.length) * LETTERS_AT_ONCE + (n % LETTERS_AT_ONCE);
	return {
		id: `e-${n}`,
		event: STATES[step % STATES.length],
		messageId: String(letter).padStart(12, '0'),
		timestamp: 1_893_456_000 + n,
	};
}
