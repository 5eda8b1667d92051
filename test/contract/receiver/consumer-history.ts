// Runs a history against a store, with a witness for each consumer.
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import type { Take } from '../../../webhook-receiver/src/pull/consumer-rows.ts';
import { HOLD_MS, KEYS, WANTS, Witness } from './consumer-model.ts';
import type { Step } from './consumer-model.ts';
import type { Opened } from './store-environment.ts';
import { arrival, tracesOf } from './stores.ts';

const YEAR = 366 * 24 * 3_600_000;
const BEGINNING = Date.UTC(2026, 0, 31, 9, 30);

export async function happen(opened: Opened, steps: readonly Step[]): Promise<void> {
	const history = new History(opened);
	try {
		for (const step of steps) await history.step(step);
		await history.end();
	} finally {
		await history.close();
	}
}

class History {
	private opened: Opened;
	private readonly witnesses = new Map(KEYS.map((key) => [key, new Witness(key)]));
	private events: DeliveryEvent[] = [];
	private now = BEGINNING;
	private posted = 0;

	constructor(opened: Opened) {
		this.opened = opened;
	}

	close = () => this.opened.end();

	async step(step: Step): Promise<void> {
		if (step.kind === 'ingest') return this.ingest(step);
		if (step.kind === 'restart') return this.restart();
		if (step.kind === 'replay') return this.replay(step.pick);
		if (step.kind === 'erase') return this.erase(step.message);
		if (step.kind === 'pass') {
			this.now += step.seconds * 1000;
			return;
		}
		const { key } = step;
		const witness = this.witness(key);
		if (step.kind === 'pull') {
			const { holder, atOnce, startFromNow } = step;
			await this.take(key, { holder, atOnce, startFromNow, settle: this.picked(step) });
		} else if (step.kind === 'settle') {
			const settle = this.picked(step);
			await this.consumers.settle(key, step.holder, settle, this.now);
			for (const one of settle) witness.settled(one, step.holder, this.now);
		} else if (step.kind === 'release') {
			await this.consumers.release(key, step.holder, this.now);
			witness.released(step.holder, this.now);
		} else if (step.kind === 'retry') await this.retry(key, step.pick);
		else await this.retryDead(key);
	}

	/** Hands out and acknowledges everything still open. */
	async end(): Promise<void> {
		await this.restart();
		this.now += 2 * HOLD_MS;
		for (const [key, witness] of this.witnesses) {
			let rounds = 0;
			for (let settle: Take['settle'] = []; ; ) {
				if (++rounds > 10_000) throw new Error(`${key} comes to no end`);
				const taken = await this.take(key, { holder: 'last-n8n', atOnce: 3, settle });
				if (taken.kind === 'held') throw new Error(`${key} is still held`);
				settle = taken.batches.map(({ id }) => ({ batch: id, outcome: 'ack' }));
				if (taken.batches.length > 0 || taken.more) continue;
				if (taken.wakeAt === null) break;
				this.now = taken.wakeAt;
			}
			witness.ended();
		}
		const all = await this.consumers.list(this.now);
		for (const { key, queued, inHand, dead, behind, oldestAt } of all) {
			const figures = { queued, inHand, dead, behind, oldestAt };
			const expected = { queued: 0, inHand: 0, behind: 0, oldestAt: null };
			expect(figures).toEqual({ ...expected, dead: this.witness(key).count('dead') });
		}
	}

	private get consumers() {
		return this.opened.store.consumers;
	}

	private witness(key: string): Witness {
		return this.witnesses.get(key) as Witness;
	}

	private async restart(): Promise<void> {
		this.opened = await this.opened.reopen();
	}

	private async ingest({ events }: Step & { kind: 'ingest' }): Promise<void> {
		const raws = events.map(({ message, state }) => ({
			id: `post-${++this.posted}`,
			event: `aes_${state}`,
			messageId: message,
		}));
		const { store } = this.opened;
		const { accepted } = await store.intake.add(arrival(this.now, ...raws));
		for (const event of (await store.log.slice({ limit: accepted, before: null })).reverse()) {
			this.events.push(event);
			for (const witness of this.witnesses.values()) witness.stored(event);
		}
	}

	private async take(
		key: string,
		more: Pick<Take, 'holder' | 'atOnce' | 'settle'> & Partial<Take>,
	) {
		const wants = WANTS[key];
		const shown = { name: key, node: '', url: null };
		const fresh = { key, ...shown, wants, holdMs: HOLD_MS, startFromNow: null, since: null };
		const take = { ...fresh, ...more };
		const taken = await this.consumers.take(take, this.now);
		this.witness(key).took(take, taken, this.now);
		return taken;
	}

	private picked({ key, settle }: Step & { kind: 'pull' | 'settle' }): Take['settle'] {
		const ids = [...this.witness(key).seen.keys()];
		return settle.map(({ pick, outcome }) => ({
			batch: ids[pick % ids.length] ?? 'bat_unknown',
			outcome,
		}));
	}

	private async retry(key: string, pick: number): Promise<void> {
		const witness = this.witness(key);
		const batch = [...witness.seen.values()][pick % witness.seen.size];
		if (batch === undefined) return;
		const record = await this.consumers.retry(batch.id, this.now);
		expect(record !== null).toBe(batch.state === 'done' || batch.state === 'dead');
		if (!record) return;
		expect(record).toMatchObject({ consumer: key, state: 'queued', attempts: 0 });
		batch.state = 'retried';
		witness.copies.add(record.id);
	}

	private async retryDead(consumer: string): Promise<void> {
		const witness = this.witness(consumer);
		const dead = [...witness.seen.values()].filter(({ state }) => state === 'dead');
		await this.copying(async () => {
			expect(await this.consumers.retryDead(consumer, this.now)).toBe(dead.length);
		});
		for (const batch of dead) batch.state = 'retried';
	}

	private async replay(pick: number): Promise<void> {
		const event = this.events[pick % this.events.length];
		if (event === undefined) return;
		await this.copying(async () => {
			const known = await this.consumers.list(this.now);
			const wanting = known.filter(({ key }) => this.witness(key).wants(event));
			const consumers = wanting.map(({ key }) => key).sort();
			const replayed = await this.consumers.replay(event.id, this.now);
			expect({ consumers: replayed?.consumers.sort() }).toEqual({ consumers });
		});
	}

	private async erase(message: number): Promise<void> {
		const messageId = String(message).padStart(12, '0');
		const erased = this.events.filter((event) => event.messageId === messageId);
		await this.opened.store.erase({ messageId }, this.now + YEAR);
		expect(await tracesOf(this.opened.store, messageId)).toEqual([]);
		this.events = this.events.filter((event) => event.messageId !== messageId);
		const ids = new Set(erased.map(({ id }) => id));
		for (const witness of this.witnesses.values()) witness.erased(messageId, ids);
	}

	/** Batches made meanwhile are copies. */
	private async copying(make: () => Promise<void>): Promise<void> {
		const all = async () =>
			await this.consumers.batches({ limit: 10_000, before: null, state: null });
		const before = new Set((await all()).map(({ id }) => id));
		await make();
		for (const { id, consumer } of await all()) {
			if (!before.has(id)) this.witness(consumer).copies.add(id);
		}
	}
}
