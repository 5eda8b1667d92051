import { sleep } from 'n8n-workflow';

import type {
	Batch,
	PullAnswer,
	PullRequest,
} from '../../../webhook-receiver/src/core/pull-contract';
import type { NodeContext } from '../transport/context';
import { readReceiver, type ReceiverCredential } from '../transport/receiver';
import type { RequestFailure } from '../transport/serviceError';
import { shortened } from '../fields/plainText';
import { HOLDER } from './consumerKey';
import type { ConsumerHost, ConsumerPlan } from './consumerPlan';
import { consumerState, type ConsumerState, type OpenConsumer } from './consumerState';
import { Outage, pauseAfter, PREDECESSOR_MS } from './outage';
import {
	absenceError,
	consumerError,
	isRefusal,
	stopsPublishing,
	isRival,
	type Pulled,
	sendPull,
	unreadableCredential,
} from './pull';
import { type WakeUps, wakeUpsFrom } from './wakeUps';

/**
 * How long a pull stays open when nothing is due; also how often the receiver hears what still runs.
 */
const OPEN_MS = 20_000;

/** In milliseconds: an empty answer in less time means that the pull was not held. */
const EARLY_MS = 1_000;

/** Milliseconds for n8n to start one answer's executions before it sends the next pull. */
const START_MS = 40;

/** A few early answers may be chance; this many in a row are not. */
const MOST_EARLY = 5;

/**
 * Tries to report executions that end after the consumer closed; after that n8n's own key must do.
 */
const LAST_TRIES = 8;

/**
 * Pulls from the receiver for as long as it is open. One pull is held there, except for the moment in which
 * n8n starts what the last one brought. Settlements go out at once beside it, which brings the next batch in
 * the same round trip.
 */
export class Consumer implements OpenConsumer {
	isOpen = true;
	private readonly context: NodeContext;
	private readonly plan: ConsumerPlan;
	private readonly host: ConsumerHost;
	private readonly state: ConsumerState;
	/** Those of the receiver that it pulled from last. */
	private wakeUps: WakeUps;
	/** Aborts requests in progress when the consumer closes. */
	private readonly closing = new AbortController();
	/** Ends pauses when the receiver answers again or the consumer closes. */
	private pauses = new AbortController();
	private credential: ReceiverCredential | null;
	private startFromNow: string | null;
	private isReporting = false;

	/**
	 * Opens with a first pull, which brings no batches yet.
	 *
	 * @throws NodeApiError when the receiver rejects it; n8n's own error when the node has no
	 * credential
	 */
	static async open(
		context: NodeContext,
		plan: ConsumerPlan,
		host: ConsumerHost,
	): Promise<Consumer> {
		const consumer = new Consumer(context, plan, host, await readReceiver(context));
		const pulled = await consumer.pull({ openMs: 0, atOnce: 0 });
		if ('failure' in pulled && consumer.mustFailToOpen(pulled.failure)) {
			throw consumerError(context, pulled.failure);
		}
		consumer.state.consumer?.stop();
		consumer.state.consumer = consumer;
		void consumer.keepPulling();
		return consumer;
	}

	private constructor(
		context: NodeContext,
		plan: ConsumerPlan,
		host: ConsumerHost,
		credential: ReceiverCredential,
	) {
		this.credential = credential;
		this.wakeUps = wakeUpsFrom(credential.receiverUrl);
		this.context = context;
		this.plan = plan;
		this.host = host;
		this.startFromNow = plan.startFromNow;
		this.state = consumerState(plan.key);
	}

	/** Releases the consumer without waiting for what still runs; that is settled when it ends. */
	async close(): Promise<void> {
		if (!this.isOpen) return;
		this.stop();
		if (!this.state.outage.isRefused) await this.pull({ openMs: 0 });
	}

	private mustFailToOpen(failure: RequestFailure): boolean {
		const { outage } = this.state;
		if (this.plan.opens === 'answered') return true;
		if (!stopsPublishing(failure)) return false;
		return outage.isRefused ? outage.isShown(Date.now()) : this.plan.opens === 'accepted';
	}

	stop(): void {
		this.isOpen = false;
		this.closing.abort();
		this.endPauses();
	}

	/** Keeps one pull at the receiver. */
	private async keepPulling(): Promise<void> {
		let early = 0;
		while (this.isOpen) {
			const began = Date.now();
			const pulled = await this.pull({ openMs: OPEN_MS });
			if (!this.isOpen) return;
			if ('failure' in pulled) {
				const { failure } = pulled;
				this.failed(failure);
				const { failures } = this.state.outage;
				// The previous process counts as alive for half a minute: sleep no longer.
				const grown = isRival(failure) ? Math.min(failures, 3) : failures;
				await this.pause(pauseAfter(grown, Math.random()));
				continue;
			}
			// A receiver that leaves no pull open must not be asked without a pause.
			early = bringsNothing(pulled.answer) && Date.now() - began < EARLY_MS ? early + 1 : 0;
			if (early > MOST_EARLY) await this.pause(EARLY_MS);
			if (pulled.answer.batches.length > 0) await this.pause(START_MS);
		}
	}

	/** Reports everything pending at once. What arrives meanwhile goes with the next pull. */
	report(): void {
		if (this.isReporting) return;
		this.isReporting = true;
		void this.reportAll().finally(() => {
			this.isReporting = false;
		});
	}

	private async reportAll(): Promise<void> {
		for (let tries = 1; this.state.inFlight.hasNews || this.wakeUps.inFlight.hasNews; tries++) {
			const pulled = await this.pull({ openMs: 0 });
			if ('answer' in pulled) continue;
			const isOver =
				this.state.consumer !== this || tries >= LAST_TRIES || isRefusal(pulled.failure);
			if (!this.isOpen && isOver) return;
			this.failed(pulled.failure);
			await this.pause(pauseAfter(tries, Math.random()));
		}
	}

	/** One pull and the handling of its answer. */
	private async pull(limits: Pick<PullRequest, 'openMs' | 'atOnce'>): Promise<Pulled> {
		const { shown, wants, atOnce } = this.plan;
		const settle = this.state.inFlight.report();
		const pulled = await this.send({
			holder: HOLDER,
			...shown,
			wants,
			atOnce,
			settle,
			startFromNow: this.startFromNow,
			since: this.state.since,
			leaving: !this.isOpen,
			...limits,
		});
		if ('failure' in pulled) return pulled;
		this.state.inFlight.confirm(settle);
		this.startFromNow = null;
		this.state.since = pulled.answer.now;
		this.state.outage = new Outage();
		this.handle(pulled.answer);
		if (this.isOpen) this.endPauses();
		return pulled;
	}

	private async send(request: Omit<PullRequest, 'wakeUps'>): Promise<Pulled> {
		const abortSignal = this.isOpen ? this.closing.signal : undefined;
		for (;;) {
			const known = this.credential;
			const credential = known ?? (await this.readReceiverAgain());
			if ('failure' in credential) return credential;
			// Another receiver, if the credential was changed, has wake-ups of its own.
			this.wakeUps = wakeUpsFrom(credential.receiverUrl);
			const { inFlight } = this.wakeUps;
			const wakeUps = inFlight.report();
			const options = { credential, abortSignal };
			const body = { ...request, wakeUps };
			const pulled = await sendPull(this.context, this.plan.key, body, options);
			if ('answer' in pulled) inFlight.confirm(wakeUps);
			// The credential may have been fixed since. Reading it each time would take n8n 45 ms.
			this.credential = 'answer' in pulled ? credential : null;
			if ('answer' in pulled || pulled.failure.status !== 401 || known === null) return pulled;
		}
	}

	private async readReceiverAgain(): Promise<ReceiverCredential | { failure: RequestFailure }> {
		try {
			return await readReceiver(this.context);
		} catch (error) {
			return { failure: unreadableCredential(error) };
		}
	}

	private handle(answer: PullAnswer): void {
		const { inFlight, consumer } = this.state;
		for (const batch of inFlight.take(answer.batches)) {
			if (consumer?.isOpen) void consumer.run(batch);
			else inFlight.settle(batch.id, 'nak', 'The workflow is not published any more.');
		}
		const tell = () => (this.state.consumer ?? this).report();
		this.wakeUps.take(this.context, answer.wakeUps, tell);
		if (this.isOpen) this.host.answered?.(answer);
	}

	async run(batch: Batch): Promise<void> {
		const { state } = this;
		try {
			const { outcome, reason } = await this.host.start(batch);
			state.inFlight.settle(batch.id, outcome, reason);
		} catch (error) {
			state.inFlight.settle(batch.id, 'nak', shortened((error as Error).message));
		}
		state.consumer?.report();
	}

	private failed(failure: RequestFailure): void {
		if (!this.isOpen) return;
		const { outage, since } = this.state;
		const patience = isRival(failure) && since === null ? PREDECESSOR_MS : 0;
		const news = outage.failed({ refusal: isRefusal(failure), patience }, Date.now());
		if (news === 'refused') this.host.refused(consumerError(this.context, failure));
		if (news === 'away') this.host.away(absenceError(this.context, failure));
	}

	private async pause(ms: number): Promise<void> {
		// An abort ends it early; that is no error here.
		await sleep(ms, this.pauses.signal).catch(() => undefined);
	}

	private endPauses(): void {
		this.pauses.abort();
		this.pauses = new AbortController();
	}
}

function bringsNothing({ batches, wakeUps }: PullAnswer): boolean {
	return batches.length === 0 && wakeUps.length === 0;
}
