// Histories of consumers, and a witness for them: it knows nothing about how a receiver decides, only
// what it accepted, handed out and was told, and throws if that can't be right.
import * as fc from 'fast-check';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { ACK_WAIT_MS } from '../../../webhook-receiver/src/core/pull-contract.ts';
import type {
	Batch,
	BatchSettlement,
	Wants,
} from '../../../webhook-receiver/src/core/pull-contract.ts';

export const WANTS: Readonly<Record<string, Wants>> = {
	'n8n~all': { events: ['*'], batchSize: 1 },
	'n8n~two': { events: ['*'], batchSize: 2 },
	'n8n~opened': { events: ['tracked_mail.opened'], batchSize: 3 },
	'n8n~status': { events: ['*'], filter: { statuses: ['SENT'] }, batchSize: 3 },
};
export const KEYS = Object.keys(WANTS);
export const HOLDERS = ['first-n8n', 'other-n8n'];

/** How much longer than a pull, none of which is held here, a holder may keep a consumer. */
export const LONGEST_MARGIN_MS = 15_000;
/** After this many naks a batch is dead. */
const MOST_NAKS = 20;

/** What a consumer asks. */
export interface Asked {
	holder: string;
	atOnce: number;
	startFromNow: string | null;
	settle: BatchSettlement[];
}

/** What it is told: why not, or its batches. */
export type Told = { refusal: string } | { batches: readonly Batch[] };

/** `pick` selects among all batches ever handed out. */
interface PickedSettlement {
	pick: number;
	outcome: BatchSettlement['outcome'];
}

export type Step =
	| { kind: 'ingest'; events: Array<{ message: number | null; state: string }> }
	| {
			kind: 'pull';
			key: string;
			holder: string;
			atOnce: number;
			startFromNow: string | null;
			settle: PickedSettlement[];
	  }
	| { kind: 'settle'; key: string; holder: string; settle: PickedSettlement[] }
	| { kind: 'release'; key: string; holder: string }
	| { kind: 'pass'; seconds: number }
	| { kind: 'restart' }
	| { kind: 'retry'; key: string; pick: number }
	| { kind: 'retryDead'; key: string }
	| { kind: 'replay'; pick: number }
	| { kind: 'erase'; message: number };

const key = fc.constantFrom(...KEYS);
const holder = fc.oneof({ weight: 4, arbitrary: fc.constant(HOLDERS[0]) }, fc.constant(HOLDERS[1]));
const settle = fc.array(
	fc.record({
		pick: fc.nat(1_000),
		outcome: fc.oneof(
			{ weight: 4, arbitrary: fc.constant('ack' as const) },
			fc.constantFrom('nak' as const, 'term' as const, 'inProgress' as const),
		),
	}),
	{ maxLength: 3 },
);
const event = fc.record({
	message: fc.constantFrom(1, 2, 3, null),
	state: fc.constantFrom('sent', 'opened'),
});
const is = <K extends string>(kind: K) => fc.constant(kind);

/** What n8n, operators, time and crashes do; by default fast-check generates no more than ten or so. */
export const steps: fc.Arbitrary<Step[]> = fc.array(
	fc.oneof(
		{
			weight: 5,
			arbitrary: fc.record({
				kind: is('ingest'),
				events: fc.array(event, { minLength: 1, maxLength: 5 }),
			}),
		},
		{
			weight: 11,
			arbitrary: fc.record({
				kind: is('pull'),
				key,
				holder,
				settle,
				atOnce: fc.nat(3),
				startFromNow: fc.oneof(
					{ weight: 10, arbitrary: fc.constant(null) },
					fc.constantFrom('once', 'again'),
				),
			}),
		},
		{ weight: 2, arbitrary: fc.record({ kind: is('settle'), key, holder, settle }) },
		{ weight: 1, arbitrary: fc.record({ kind: is('release'), key, holder }) },
		{
			weight: 2,
			arbitrary: fc.record({ kind: is('pass'), seconds: fc.integer({ min: 1, max: 90 }) }),
		},
		fc.record({ kind: is('restart') }),
		fc.record({ kind: is('retry'), key, pick: fc.nat(1_000) }),
		fc.record({ kind: is('retryDead'), key }),
		fc.record({ kind: is('replay'), pick: fc.nat(1_000) }),
		fc.record({ kind: is('erase'), message: fc.constantFrom(1, 2, 3) }),
	),
	{ minLength: 1, maxLength: 60, size: 'max' },
);

interface Seen {
	id: string;
	events: readonly string[];
	messages: readonly string[];
	attempts: number;
	naks: number;
	state: 'in-hand' | 'waiting' | 'done' | 'dead' | 'retried' | 'erased';
	holder: string;
	until: number;
	/** A retry or replay, in addition to its delivery from the log. */
	isCopy: boolean;
}

/** What one consumer got. */
export class Witness {
	readonly seen = new Map<string, Seen>();
	/** Batches created by an operator. */
	readonly copies = new Set<string>();
	private readonly key: string;
	private log: DeliveryEvent[] = [];
	/** From each event to the batch that delivered it from the log. */
	private readonly placed = new Map<string, Seen>();
	private readonly leftOut = new Set<string>();
	private lastAnew: string | null = null;
	private hasBegun = false;
	private holding: { holder: string; since: number; until: number } | null = null;
	private readonly wanted: Wants;

	constructor(key: string) {
		this.key = key;
		this.wanted = WANTS[key];
	}

	stored(event: DeliveryEvent): void {
		if (this.hasBegun && this.wants(event)) this.log.push(event);
	}

	took(asked: Asked, told: Told, now: number): void {
		const { holding } = this;
		const isOther = holding !== null && holding.holder !== asked.holder;
		if ('refusal' in told) {
			if (!isOther || now >= holding.until) this.fail('nobody holds it');
			const since = new Date(holding.since).toISOString();
			if (!told.refusal.includes(since)) this.fail(`it is held since ${since}: ${told.refusal}`);
		}
		for (const settlement of asked.settle) this.settled(settlement, asked.holder, now);
		if ('refusal' in told) return;
		const since = holding?.holder === asked.holder ? holding.since : now;
		this.holding = { holder: asked.holder, since, until: now + LONGEST_MARGIN_MS };
		this.startFromNow(asked.startFromNow);
		this.handedOut(asked, told.batches, now);
		this.hasBegun = true;
	}

	released(holder: string, now: number): void {
		if (this.holding?.holder !== holder) return;
		this.holding = null;
		for (const batch of this.inHandOf(holder)) batch.until = now;
	}

	settled({ batch: id, outcome }: BatchSettlement, holder: string, now: number): void {
		const batch = this.seen.get(id);
		if (batch === undefined || isOver(batch)) return;
		if (outcome === 'ack') batch.state = 'done';
		if (outcome === 'term') batch.state = 'dead';
		if (batch.state !== 'in-hand' || batch.holder !== holder) return;
		if (outcome === 'inProgress') batch.until = now + ACK_WAIT_MS;
		if (outcome === 'nak') batch.state = ++batch.naks === MOST_NAKS ? 'dead' : 'waiting';
	}

	/** Other letters' events stay in the batches, and a batch that has none is never seen again. */
	erased(messageId: string, events: ReadonlySet<string>): void {
		this.log = this.log.filter((event) => !events.has(event.id));
		for (const batch of this.seen.values()) {
			if (!batch.messages.includes(messageId)) continue;
			batch.messages = batch.messages.filter((message) => message !== messageId);
			batch.events = batch.events.filter((id) => !events.has(id));
			if (batch.events.length === 0 && batch.state !== 'retried') batch.state = 'erased';
		}
	}

	/** Once everything was handed out and acknowledged: nothing may be missing. */
	ended(): void {
		for (const { id } of this.log) {
			const batch = this.placed.get(id);
			if (this.leftOut.has(id)) continue;
			if (batch === undefined) this.fail(`${id} was lost`);
			else if (!isOver(batch)) this.fail(`${id} was never settled`);
		}
	}

	count(state: Seen['state']): number {
		return [...this.seen.values()].filter((batch) => batch.state === state).length;
	}

	wants(event: DeliveryEvent): boolean {
		const { events, filter } = this.wanted;
		const isOfType = events.includes('*') || events.includes(event.type);
		return isOfType && (!filter?.statuses || filter.statuses.includes(event.status ?? ''));
	}

	private startFromNow(value: string | null): void {
		if (value === null || value === this.lastAnew) return;
		this.lastAnew = value;
		for (const { id } of this.log) if (!this.placed.has(id)) this.leftOut.add(id);
	}

	private handedOut({ holder, atOnce }: Asked, batches: readonly Batch[], now: number): void {
		const before = new Set(this.inHandOf(holder).map(({ id }) => id));
		for (const { id, attempt, events } of batches) {
			const known = this.seen.get(id);
			const batch = known ?? this.firstSeen(id, events, holder);
			if (String(batch.events) !== String(events.map((event) => event.id))) {
				this.fail(`${id} has other events than before`);
			}
			if (attempt !== batch.attempts + 1) this.fail(`${id} has a wrong count of attempts`);
			if (isOver(batch)) this.fail(`${id} came after it was settled`);
			const isWithHolder = known?.state === 'in-hand' && known.holder === holder;
			if (isWithHolder && known.until > now) this.fail(`${id} came while it was in hand`);
			for (const other of this.seen.values()) {
				if (other === batch || isOver(other)) continue;
				if (batch.messages.some((message) => other.messages.includes(message))) {
					this.fail(`${id} came while ${other.id} of the same message was open`);
				}
			}
			Object.assign(batch, { attempts: attempt, state: 'in-hand', holder });
			batch.until = now + ACK_WAIT_MS;
			this.seen.set(id, batch);
		}
		const isMore = batches.some(({ id }) => !before.has(id));
		const inHand = this.inHandOf(holder).length;
		if (batches.length > atOnce || (isMore && inHand > atOnce)) {
			this.fail(`${inHand} in hand, where ${atOnce} may be`);
		}
	}

	private firstSeen(id: string, events: readonly DeliveryEvent[], holder: string): Seen {
		const isCopy = this.copies.has(id);
		const messages = events.flatMap(({ messageId }) => messageId ?? []);
		const ids = events.map((event) => event.id);
		const batch: Seen = {
			id,
			events: ids,
			messages,
			attempts: 0,
			naks: 0,
			state: 'waiting',
			holder,
			until: 0,
			isCopy,
		};
		if (events.length === 0 || events.length > this.wanted.batchSize)
			this.fail(`${id} has a wrong size`);
		if (events.some((event) => !this.wants(event))) this.fail(`${id} has what is not wanted`);
		if (isCopy) return batch;
		for (const event of events) {
			if (this.placed.has(event.id)) this.fail(`${event.id} came twice`);
			if (this.leftOut.has(event.id)) this.fail(`${event.id} was to be left out`);
			const index = this.log.findIndex((logged) => logged.id === event.id);
			if (index < 0) this.fail(`${event.id} is from before the beginning`);
			for (const earlier of this.log.slice(0, index)) {
				if (earlier.messageId !== event.messageId || event.messageId === null) continue;
				if (this.leftOut.has(earlier.id)) continue;
				const place = this.placed.get(earlier.id);
				if (place === undefined || (place !== batch && !isOver(place))) {
					this.fail(`${event.id} came before ${earlier.id} of the same message`);
				}
			}
			this.placed.set(event.id, batch);
		}
		return batch;
	}

	private inHandOf(holder: string): Seen[] {
		return [...this.seen.values()].filter(
			(batch) => batch.state === 'in-hand' && batch.holder === holder,
		);
	}

	private fail(what: string): never {
		throw new Error(`${this.key}: ${what}`);
	}
}

function isOver({ state }: Seen): boolean {
	return state !== 'in-hand' && state !== 'waiting';
}
