import type { NodeApiError } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type {
	Batch,
	PullAnswer,
	PullRequest,
	Wants,
} from '../../../webhook-receiver/src/core/pull-contract';
import {
	readReceiver,
	type ReceiverContext,
	type ReceiverCredential,
	type ReceiverFailure,
} from '../receiver';
import { shortened } from '../plainText';
import { absenceError, consumerError, unreadableCredential } from './consumerError';
import { HOLDER } from './holder';
import { Outage, PREDECESSOR_MS } from './outage';
import { pauseAfter } from './pace';
import { isFinal, isRefusal, isRival, pull, type Pulled } from './pull';
import { seatOf, type Seat } from './seats';
import { WakeUpDesk } from './wakeUpDesk';
import { learnOwnPort } from './ownPort';

/** How long a pull is held when nothing is due; the receiver hears at least so often what still runs. */
const HOLD_MS = 20_000;

/** A held pull that brings nothing takes longer than this, in milliseconds, or was not held. */
const EARLY_MS = 1_000;

/** Answers that come early may be chance; so many in a row are not. */
const MOST_EARLY = 5;

/** What ends once the consumer is closed is told in so many tries; n8n's own key has to do after that. */
const LAST_TRIES = 8;

/** What a consumer asks for. */
export interface ConsumerPlan {
	key: string;
	/** Workflow and node, for the operator. */
	name: string;
	/** Null: only wake-ups. */
	wants: Wants | null;
	/** How many executions may run at once. */
	atOnce: number;
	/** A value that was never used: leaves out what came before. Null to go on. */
	startAnew: string | null;
	/**
	 * When it opens. `answered`: only when the receiver answers. `accepted`: unless the receiver refuses;
	 * one that is away is waited for. `always`: n8n itself starts, and nobody would publish again what
	 * did not open.
	 */
	opens: 'answered' | 'accepted' | 'always';
}

/** What a node does for its consumer. */
export interface ConsumerHost {
	/** Starts an execution. Resolves once the batch is done with; rejects when it is to come again. */
	start(batch: Batch): Promise<void>;
	/** The receiver refuses until somebody corrects something. Told once; the pulling goes on. */
	refused(error: NodeApiError): void;
	/** Nothing has come from the receiver for long. Told once; the pulling goes on. */
	away(error: NodeApiError): void;
	/** Each answer that came while the consumer was open. */
	answered?(answer: PullAnswer): void;
}

/**
 * Pulls from the receiver for as long as it is open (design § 7). One pull is always held there; beside
 * it, what became of an execution is told at once, which brings the next batch in the same round trip.
 */
export class Consumer {
	isOpen = true;
	private readonly context: ReceiverContext;
	private readonly plan: ConsumerPlan;
	private readonly host: ConsumerHost;
	private readonly seat: Seat;
	private readonly wakeUps = new WakeUpDesk();
	/** Ends requests that are under way when the consumer closes. */
	private readonly closing = new AbortController();
	/** Ends pauses, when the receiver answers again or the consumer closes. */
	private pauses = new AbortController();
	private credential: ReceiverCredential | null = null;
	private startAnew: string | null;
	private isTelling = false;

	/**
	 * Opens with a first pull, which brings no batches yet.
	 *
	 * @throws NodeApiError when the receiver refuses; n8n's own error when the node has no credential
	 */
	static async open(
		context: ReceiverContext,
		plan: ConsumerPlan,
		host: ConsumerHost,
	): Promise<Consumer> {
		const consumer = new Consumer(context, plan, host);
		consumer.credential = await readReceiver(context);
		const pulled = await consumer.ask({ holdMs: 0, atOnce: 0 });
		if ('failure' in pulled && consumer.staysShut(pulled.failure)) {
			throw consumerError(context, pulled.failure);
		}
		consumer.begin();
		return consumer;
	}

	private constructor(context: ReceiverContext, plan: ConsumerPlan, host: ConsumerHost) {
		learnOwnPort(context);
		this.context = context;
		this.plan = plan;
		this.host = host;
		this.startAnew = plan.startAnew;
		this.seat = seatOf(plan.key);
	}

	/** Lets go of the consumer. What still runs is not waited for: its end is told when it comes. */
	async close(): Promise<void> {
		if (!this.isOpen) return;
		this.stop();
		if (!this.seat.outage.isRefused) await this.ask({ holdMs: 0 });
	}

	private staysShut(failure: ReceiverFailure): boolean {
		const { outage } = this.seat;
		if (this.plan.opens === 'answered') return true;
		if (!isRefusal(failure)) return false;
		return outage.isRefused ? outage.isShown(Date.now()) : this.plan.opens === 'accepted';
	}

	private begin(): void {
		this.seat.consumer?.stop();
		this.seat.consumer = this;
		void this.hold();
	}

	private stop(): void {
		this.isOpen = false;
		this.closing.abort();
		this.endPauses();
	}

	/** Keeps one pull at the receiver. */
	private async hold(): Promise<void> {
		let early = 0;
		while (this.isOpen) {
			const began = Date.now();
			const pulled = await this.ask({ holdMs: HOLD_MS });
			if ('failure' in pulled) {
				const { failure } = pulled;
				this.failed(failure);
				const { failures } = this.seat.outage;
				// The process before is believed to be there for half a minute: no reason to sleep longer.
				const grown = isRival(failure) ? Math.min(failures, 3) : failures;
				await this.pause(pauseAfter(grown, Math.random()));
				continue;
			}
			// A receiver that holds nothing must not be asked without a pause.
			early = isEmpty(pulled.answer) && Date.now() - began < EARLY_MS ? early + 1 : 0;
			if (early > MOST_EARLY) await this.pause(EARLY_MS);
		}
	}

	/** Says at once what there is to say. What comes meanwhile goes with the next pull, in one. */
	private tell(): void {
		if (this.isTelling) return;
		this.isTelling = true;
		void this.tellAll().finally(() => {
			this.isTelling = false;
		});
	}

	private async tellAll(): Promise<void> {
		for (let tries = 1; this.seat.hand.hasNews || this.wakeUps.hasNews; tries++) {
			const pulled = await this.ask({ holdMs: 0 });
			if ('answer' in pulled) continue;
			const isOver = this.seat.consumer !== this || tries >= LAST_TRIES || isFinal(pulled.failure);
			if (!this.isOpen && isOver) return;
			this.failed(pulled.failure);
			await this.pause(pauseAfter(tries, Math.random()));
		}
	}

	/** One pull, and what its answer brings. */
	private async ask(how: Pick<PullRequest, 'holdMs' | 'atOnce'>): Promise<Pulled> {
		const { name, wants, atOnce } = this.plan;
		const settle = this.seat.hand.report();
		const wakeUps = this.wakeUps.report();
		const pulled = await this.pull({
			...{ holder: HOLDER, name, wants, atOnce, settle, wakeUps },
			...{ startAnew: this.startAnew, since: this.seat.since, leaving: !this.isOpen },
			...how,
		});
		if ('failure' in pulled) return pulled;
		this.seat.hand.confirm(settle);
		this.wakeUps.confirm(wakeUps);
		this.startAnew = null;
		this.seat.since = pulled.answer.now;
		this.seat.outage = new Outage();
		if (this.isOpen) this.endPauses();
		this.take(pulled.answer);
		return pulled;
	}

	private async pull(request: PullRequest): Promise<Pulled> {
		const abortSignal = this.isOpen ? this.closing.signal : undefined;
		for (;;) {
			const known = this.credential;
			const credential = known ?? (await this.readCredential());
			if ('failure' in credential) return credential;
			const how = { credential, abortSignal };
			const pulled = await pull(this.context, this.plan.key, request, how);
			// What failed may have been corrected since. Reading it each time would take n8n 45 ms.
			this.credential = 'answer' in pulled ? credential : null;
			if ('answer' in pulled || pulled.failure.status !== 401 || known === null) return pulled;
		}
	}

	private async readCredential(): Promise<ReceiverCredential | { failure: ReceiverFailure }> {
		try {
			return await readReceiver(this.context);
		} catch (error) {
			return { failure: unreadableCredential(error) };
		}
	}

	private take(answer: PullAnswer): void {
		const { hand, consumer } = this.seat;
		for (const batch of hand.take(answer.batches)) {
			if (consumer?.isOpen) void consumer.run(batch);
			else hand.settle(batch.id, 'nak', 'The workflow is not published any more.');
		}
		void this.wakeUps.take(this.context, answer.wakeUps).finally(() => this.tell());
		if (this.isOpen) this.host.answered?.(answer);
	}

	private async run(batch: Batch): Promise<void> {
		const { seat } = this;
		try {
			await this.host.start(batch);
			seat.hand.settle(batch.id, 'ack');
		} catch (error) {
			seat.hand.settle(batch.id, 'nak', shortened((error as Error).message));
		}
		seat.consumer?.tell();
	}

	private failed(failure: ReceiverFailure): void {
		if (!this.isOpen) return;
		const { outage, since } = this.seat;
		const patience = isRival(failure) && since === null ? PREDECESSOR_MS : 0;
		const word = outage.failed({ refusal: isFinal(failure), patience }, Date.now());
		if (word === 'refused') this.host.refused(consumerError(this.context, failure));
		if (word === 'away') this.host.away(absenceError(this.context, failure));
	}

	private async pause(ms: number): Promise<void> {
		// It ends early by an abort, which is no error here.
		await sleep(ms, this.pauses.signal).catch(() => undefined);
	}

	private endPauses(): void {
		this.pauses.abort();
		this.pauses = new AbortController();
	}
}

function isEmpty({ batches, wakeUps }: PullAnswer): boolean {
	return batches.length === 0 && wakeUps.length === 0;
}
