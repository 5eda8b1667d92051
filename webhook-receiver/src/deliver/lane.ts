import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Subscription } from '../contract.ts';
import type { Metrics } from '../metrics.ts';
import type { Answer, Sender } from '../post.ts';
import { readRetryAfter, retryDelay } from '../retry-policy.ts';
import { deliveryId, signatureHeaders } from '../sign.ts';
import type { Claim, ClaimedDelivery, Settlement, Store } from '../store/store.ts';
import { withoutQuery } from '../without-query.ts';
import { CLOSED, afterRequest, roomFor } from './breaker.ts';
import type { Breaker } from './breaker.ts';
import { requestsOf } from './requests.ts';

export interface DeliveryConfig {
	/** Requests under way at once, for each subscription. */
	concurrency: number;
	timeoutMs: number;
	retryDelaysMs: readonly number[];
}

export interface Parts {
	store: Store;
	sender: Sender;
	clock: Clock;
	logger: Logger;
	metrics: Pick<Metrics, 'countAttempt'>;
	/** From 0 to 1, for jitter. */
	random: () => number;
}

/** How long a store that fails is left alone before it is asked again. */
const STORE_PAUSE_MS = 1_000;

type Batch = Extract<Claim, { deliveries: ClaimedDelivery[] }>;

/** The road to one subscription: its requests, its timer, its breaker. */
export class Lane {
	private readonly key: string;
	private readonly config: DeliveryConfig;
	private readonly parts: Parts;
	private readonly idle: () => void;
	private readonly underWay = new Set<Promise<void>>();
	private cancelTimer: (() => void) | null = null;
	private looking: Promise<void> | null = null;
	private lookAgain = false;
	private stopped = false;
	private health: Breaker = CLOSED;

	constructor(key: string, config: DeliveryConfig, parts: Parts, idle: () => void) {
		this.key = key;
		this.config = config;
		this.parts = parts;
		this.idle = idle;
	}

	/** Starts as many requests as there is room and work for; then sleeps until something is due. */
	look(): void {
		this.lookAgain = true;
		this.looking ??= this.lookUntilDone();
	}

	get breaker(): Breaker {
		return this.health;
	}

	async stop(): Promise<void> {
		this.stopped = true;
		this.cancelTimer?.();
		await this.looking;
		await Promise.all(this.underWay);
	}

	private async lookUntilDone(): Promise<void> {
		try {
			while (this.lookAgain && !this.stopped) {
				this.lookAgain = false;
				await this.takeAll();
			}
		} catch (error) {
			this.parts.logger.error({ subscription: this.key, err: error }, 'claiming failed');
			this.sleepUntil(this.parts.clock.now() + STORE_PAUSE_MS);
		} finally {
			// In the same turn as the last look at `lookAgain`, or a call in between would be lost.
			this.looking = null;
		}
	}

	private async takeAll(): Promise<void> {
		const { clock, store } = this.parts;
		this.cancelTimer?.();
		for (;;) {
			const most = roomFor(this.health, this.config.concurrency, clock.now());
			if (this.underWay.size >= most) break;
			const claim = await store.claim(this.key, clock.now(), most - this.underWay.size);
			if (this.stopped) return;
			if (claim.subscription === null) {
				if (claim.wakeAt !== null) this.sleepUntil(claim.wakeAt);
				else if (this.underWay.size === 0 && !this.lookAgain) this.idle();
				return;
			}
			for (const deliveries of requestsOf(claim.deliveries, claim.subscription.batchSize)) {
				this.start({ ...claim, deliveries });
			}
		}
		// A request under way looks again when it ends; an open breaker when it is time for a trial.
		const { openUntil } = this.health;
		if (openUntil !== null && openUntil > clock.now()) this.sleepUntil(openUntil);
	}

	private start(batch: Batch): void {
		const attempt = this.attempt(batch).finally(() => {
			this.underWay.delete(attempt);
			this.look();
		});
		this.underWay.add(attempt);
	}

	private async attempt({ subscription, secrets, deliveries }: Batch): Promise<void> {
		const { clock, logger, sender } = this.parts;
		const events = deliveries.map((delivery) => delivery.event);
		const id = deliveryId(events);
		const body = JSON.stringify({ events });
		const started = clock.now();
		const headers = signatureHeaders({ id, body, secrets, now: started });
		const answer = await sender.post(subscription.url, headers, body);
		const result = answer.status === null ? answer.error : String(answer.status);
		this.noteHealth(answer);
		const settlements = deliveries.map((delivery) => this.judge(delivery, answer, result));
		logger.info(
			{
				subscription: this.key,
				target: withoutQuery(subscription.url),
				webhookId: id,
				deliveries: settlements.map(({ id, next }) => ({ id, next })),
				attempt: Math.max(...deliveries.map((delivery) => delivery.attempts)) + 1,
				result,
				ms: clock.now() - started,
			},
			'delivery attempt',
		);
		for (const { next } of settlements) this.parts.metrics.countAttempt(outcomeOf(next));
		await this.settle(settlements);
		if (answer.status === 410) await this.end(subscription);
	}

	private noteHealth(answer: Answer): void {
		const { clock, logger } = this.parts;
		const wasOpen = this.health.openUntil !== null;
		this.health = afterRequest(this.health, isDone(answer) || answer.status === 410, clock.now());
		const { failures, openUntil } = this.health;
		if (wasOpen === (openUntil !== null)) return;
		if (wasOpen) logger.info({ subscription: this.key }, 'target is back');
		else
			logger.warn({ subscription: this.key, failures }, 'target seems down, trying now and then');
	}

	/** 2xx is done, 410 the end; everything else, 404 included (n8n while it starts), comes again. */
	private judge({ id, attempts }: ClaimedDelivery, answer: Answer, result: string): Settlement {
		if (isDone(answer)) return { id, next: null, result };
		if (answer.status === 410) return { id, next: 'dead', result };
		const now = this.parts.clock.now();
		const delay = retryDelay({
			attempts: attempts + 1,
			retryAfterMs: answer.status === null ? null : readRetryAfter(answer.retryAfter, now),
			random: this.parts.random(),
			delays: this.config.retryDelaysMs,
		});
		return { id, next: delay === null ? 'dead' : now + delay, result };
	}

	/** An outcome that can't be written now is written later; until then it stays claimed. */
	private async settle(settlements: Settlement[]): Promise<void> {
		const { clock, logger, store } = this.parts;
		for (;;) {
			try {
				return await store.settle(settlements, clock.now());
			} catch (error) {
				logger.error({ subscription: this.key, err: error }, 'settling failed');
				if (this.stopped) return;
				await new Promise<void>((resolve) => clock.at(clock.now() + STORE_PAUSE_MS, resolve));
			}
		}
	}

	/** Only while it points where the 410 came from: it may have been registered anew meanwhile. */
	private async end({ url }: Subscription): Promise<void> {
		const { clock, logger, store } = this.parts;
		const reason = 'the target answered 410';
		try {
			await store.endSubscription(this.key, { reason, url, now: clock.now() });
			logger.info({ subscription: this.key }, 'subscription ended, its target is gone');
		} catch (error) {
			logger.error({ subscription: this.key, err: error }, 'ending the subscription failed');
		}
	}

	private sleepUntil(time: number): void {
		this.cancelTimer?.();
		if (this.stopped) return;
		this.cancelTimer = this.parts.clock.at(time, () => this.look());
	}
}

function outcomeOf(next: Settlement['next']) {
	if (next === null) return 'delivered';
	return next === 'dead' ? 'dead' : 'retried';
}

function isDone({ status }: Answer): boolean {
	return status !== null && status >= 200 && status < 300;
}
