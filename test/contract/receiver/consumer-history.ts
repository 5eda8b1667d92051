// Runs a history against a receiver, with a witness for each consumer.
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import type { BatchSettlement } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { KEYS, LONGEST_MARGIN_MS, WANTS, Witness } from './consumer-model.ts';
import type { Asked, Step, Told } from './consumer-model.ts';
import type { Restartable } from './restartable.ts';

const MINUTE = 60_000;

export async function happen(place: Restartable, steps: readonly Step[]): Promise<void> {
	const history = new History(place);
	for (const step of steps) await history.step(step);
	await history.end();
}

class History {
	private readonly place: Restartable;
	private readonly witnesses = new Map(KEYS.map((key) => [key, new Witness(key)]));
	private events: DeliveryEvent[] = [];
	private posted = 0;

	constructor(place: Restartable) {
		this.place = place;
	}

	async step(step: Step): Promise<void> {
		if (step.kind === 'ingest') return this.ingest(step);
		if (step.kind === 'restart') return this.place.restart();
		if (step.kind === 'replay') return this.replay(step.pick);
		if (step.kind === 'erase') return this.erase(step.message);
		if (step.kind === 'pass') return this.place.clock.advance(step.seconds * 1_000);
		const { key } = step;
		const witness = this.witness(key);
		if (step.kind === 'pull') {
			const { holder, atOnce, startFromNow } = step;
			await this.pull(key, { holder, atOnce, startFromNow, settle: this.picked(step) });
		} else if (step.kind === 'settle') {
			const settle = this.picked(step);
			await this.receiver.pulled({ wants: null, holder: step.holder, settle }, { key });
			for (const one of settle) witness.settled(one, step.holder, this.now);
		} else if (step.kind === 'release') {
			await this.receiver.pulled({ holder: step.holder, leaving: true }, { key });
			witness.released(step.holder, this.now);
		} else if (step.kind === 'retry') await this.retry(key, step.pick);
		else await this.retryDead(key);
	}

	/** Hands out everything still open, a few times each, and acknowledges it. */
	async end(): Promise<void> {
		await this.place.restart();
		this.place.clock.advance(LONGEST_MARGIN_MS);
		for (const [key, witness] of this.witnesses) {
			let settle: BatchSettlement[] = [];
			for (let rounds = 0; ; rounds++) {
				if (rounds > 1_000) throw new Error(`${key} comes to no end`);
				const asked = { holder: 'last-n8n', atOnce: 3, startFromNow: null, settle };
				const told = await this.pull(key, asked);
				if ('refusal' in told) throw new Error(`${key} is still held`);
				settle = told.batches.map(({ id: batch, attempt }) => ({
					batch,
					outcome: attempt < 3 ? 'nak' : 'ack',
				}));
				if (told.batches.length > 0) continue;
				const { queued, inHand, behind, dead, oldestAt } = await this.shown(key);
				if (queued + inHand + behind === 0) {
					expect({ dead, oldestAt }).toEqual({ dead: witness.count('dead'), oldestAt: null });
					break;
				}
				this.place.clock.advance(MINUTE);
			}
			witness.ended();
		}
	}

	private get receiver() {
		return this.place.receiver;
	}

	private get now(): number {
		return this.place.clock.now();
	}

	private witness(key: string): Witness {
		return this.witnesses.get(key) as Witness;
	}

	private async shown(key: string) {
		const consumer = (await this.receiver.consumers()).find((one) => one.key === key);
		if (consumer === undefined) throw new Error(`${key} is gone`);
		return consumer;
	}

	private async post(path: string) {
		return this.receiver.manage('POST', path);
	}

	private async ingest({ events }: Step & { kind: 'ingest' }): Promise<void> {
		const raws = events.map(({ message, state }) => ({
			id: `post-${++this.posted}`,
			event: `aes_${state}`,
			messageId: message,
		}));
		expect((await this.receiver.emit(raws)).status).toBe(200);
		// Of a letter that was erased nothing is stored any more, and the receiver has events of its own.
		const ids = new Set<unknown>(raws.map(({ id }) => id));
		const stored = (await this.receiver.events()).filter(({ raw }) =>
			ids.has((raw as { id?: unknown } | null)?.id),
		);
		for (const event of stored.reverse()) {
			this.events.push(event);
			for (const witness of this.witnesses.values()) witness.stored(event);
		}
	}

	private async pull(key: string, asked: Asked): Promise<Told> {
		const { status, body } = await this.receiver.pull({ ...asked, wants: WANTS[key] }, { key });
		if (status !== 200 && status !== 409) throw new Error(`${status}: ${JSON.stringify(body)}`);
		const told = (status === 409 ? { refusal: body.message } : { batches: body.batches }) as Told;
		this.witness(key).took(asked, told, this.now);
		return told;
	}

	private picked({ key, settle }: Step & { kind: 'pull' | 'settle' }): BatchSettlement[] {
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
		const { status, body } = await this.post(`/batches/${batch.id}/retry`);
		expect(status).toBe(batch.state === 'done' || batch.state === 'dead' ? 202 : 404);
		if (status === 404) return;
		expect(body).toMatchObject({ consumer: key, state: 'queued', attempts: 0 });
		batch.state = 'retried';
		witness.copies.add(body.id as string);
	}

	private async retryDead(consumer: string): Promise<void> {
		const witness = this.witness(consumer);
		const dead = [...witness.seen.values()].filter(({ state }) => state === 'dead');
		await this.copying(async () => {
			const { body } = await this.post(`/batches/retry?state=dead&consumer=${consumer}`);
			expect(body).toEqual({ retried: dead.length });
		});
		for (const batch of dead) batch.state = 'retried';
	}

	private async replay(pick: number): Promise<void> {
		const event = this.events[pick % this.events.length];
		if (event === undefined) return;
		await this.copying(async () => {
			const known = await this.receiver.consumers();
			const wanting = known.filter(({ key }) => this.witness(key).wants(event));
			const consumers = wanting.map(({ key }) => key).sort();
			const { body } = await this.post(`/events/${event.id}/replay`);
			expect({ consumers: (body.consumers as string[]).sort() }).toEqual({ consumers });
		});
	}

	private async erase(message: number): Promise<void> {
		const messageId = String(message).padStart(12, '0');
		const erased = this.events.filter((event) => event.messageId === messageId);
		await this.receiver.manage('DELETE', `/letters/${messageId}`);
		this.events = this.events.filter((event) => event.messageId !== messageId);
		const ids = new Set(erased.map(({ id }) => id));
		for (const witness of this.witnesses.values()) witness.erased(messageId, ids);
	}

	/** Batches made meanwhile are copies. */
	private async copying(make: () => Promise<void>): Promise<void> {
		const [newest] = await this.receiver.batches();
		await make();
		for (const { id, consumer, number } of await this.receiver.batches()) {
			if (number > (newest?.number ?? 0)) this.witness(consumer).copies.add(id);
		}
	}
}
