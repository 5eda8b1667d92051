import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Metrics } from '../metrics.ts';
import type { Sender } from '../post.ts';
import { signatureHeaders } from '../sign.ts';
import type { Store } from '../store/store.ts';
import { withoutQuery } from '../without-query.ts';
import { judgeResume } from './resume-policy.ts';
import type { ResumeAnswer, Verdict } from './resume-policy.ts';
import type { ReadyWait, WaitSettlement } from './wait-store.ts';

export interface WaiterParts {
	store: Pick<Store, 'waits' | 'watchMs'>;
	sender: Sender;
	clock: Clock;
	logger: Logger;
	metrics: Pick<Metrics, 'countResume'>;
	/** From 0 to 1, for jitter. */
	random: () => number;
}

/** Requests to n8n under way at once; each wakes an execution, which costs n8n more than it does us. */
const CONCURRENCY = 4;

/** How long a store that fails is left alone before it is asked again. */
const STORE_PAUSE_MS = 1_000;

/**
 * Tells waiting executions what became of their letters (design § 10): looks when there is news of a
 * message or a deadline has come, and brings each execution all its outcomes in one request. What is
 * to be done stands in the store, so that a restart loses nothing.
 */
export class Waiter {
	private readonly parts: WaiterParts;
	private readonly underWay = new Set<Promise<void>>();
	private cancelTimer: (() => void) | null = null;
	private looking: Promise<void> | null = null;
	private lookAgain = false;
	private stopped = false;

	constructor(parts: WaiterParts) {
		this.parts = parts;
		parts.store.waits.onNews = () => this.wake();
	}

	/** Has it look for work; the first time it goes on with what an earlier process left. */
	wake(): void {
		if (this.stopped) return;
		this.lookAgain = true;
		this.looking ??= this.lookUntilDone();
	}

	/** Takes nothing new; resolves when what is under way is settled. */
	async stop(): Promise<void> {
		this.stopped = true;
		this.cancelTimer?.();
		await this.looking;
		await Promise.all(this.underWay);
	}

	private async lookUntilDone(): Promise<void> {
		const { clock, logger } = this.parts;
		try {
			while (this.lookAgain && !this.stopped) {
				this.lookAgain = false;
				await this.takeAll();
			}
		} catch (error) {
			logger.error({ err: error }, 'looking after waits failed');
			this.sleepUntil(clock.now() + STORE_PAUSE_MS);
		} finally {
			// In the same turn as the last look at `lookAgain`, or a call in between would be lost.
			this.looking = null;
		}
	}

	private async takeAll(): Promise<void> {
		const { clock, store } = this.parts;
		this.cancelTimer?.();
		while (await store.waits.gather(clock.now()));
		for (;;) {
			const room = CONCURRENCY - this.underWay.size;
			// A request under way looks again when it ends.
			if (room === 0 || this.stopped) return;
			const ready = await store.waits.claim(room, clock.now());
			if (ready.length === 0) break;
			for (const wait of ready) this.start(wait);
		}
		const due = (await store.waits.nextDue()) ?? Infinity;
		// Become due meanwhile, or in another receiver's hands for a moment.
		if (due <= clock.now()) this.lookAgain = true;
		const others = store.watchMs === null ? Infinity : clock.now() + store.watchMs;
		const next = Math.min(due, others);
		if (next < Infinity) this.sleepUntil(next);
	}

	private start(wait: ReadyWait): void {
		const attempt = this.attempt(wait).finally(() => {
			this.underWay.delete(attempt);
			this.wake();
		});
		this.underWay.add(attempt);
	}

	private async attempt({ id, resumeUrl, secret, attempts, resume }: ReadyWait): Promise<void> {
		const { clock, logger, metrics, random, sender } = this.parts;
		const body = JSON.stringify(resume);
		const started = clock.now();
		const headers = signatureHeaders({ id, body, secrets: [secret], now: started });
		const answer = await sender.postForText(resumeUrl, headers, body);
		const verdict = judgeResume({
			...{ answer, attempts: attempts + 1, random: random(), now: clock.now() },
		});
		const settlement = toSettlement(id, answer, verdict, clock.now());
		const entry = {
			...{ wait: id, target: withoutQuery(resumeUrl), attempt: attempts + 1 },
			...{ result: settlement.result, next: settlement.next, ms: clock.now() - started },
		};
		// Nobody waits at a screen for this: what somebody has to mend must stand out.
		if (verdict.kind === 'refused') logger.error(entry, 'n8n refuses the outcomes of a wait');
		else if (verdict.kind === 'given-up') logger.warn(entry, 'outcomes of a wait given up');
		else logger.info(entry, 'resume attempt');
		metrics.countResume(verdict.kind);
		await this.settle(settlement);
	}

	/** An outcome that can't be written now is written later; until then it stays claimed. */
	private async settle(settlement: WaitSettlement): Promise<void> {
		const { clock, logger, store } = this.parts;
		for (;;) {
			try {
				return await store.waits.settle(settlement, clock.now());
			} catch (error) {
				logger.error({ wait: settlement.id, err: error }, 'settling a wait failed');
				if (this.stopped) return;
				await new Promise<void>((resolve) => clock.at(clock.now() + STORE_PAUSE_MS, resolve));
			}
		}
	}

	private sleepUntil(time: number): void {
		this.cancelTimer?.();
		if (this.stopped) return;
		this.cancelTimer = this.parts.clock.at(time, () => this.wake());
	}
}

function toSettlement(
	id: string,
	answer: ResumeAnswer,
	verdict: Verdict,
	now: number,
): WaitSettlement {
	const result = answer.status === null ? answer.error : String(answer.status);
	if (verdict.kind === 'resumed') return { id, next: 'resumed', result };
	if (verdict.kind === 'given-up') {
		return { id, next: 'given-up', result: `${result}: ${verdict.reason}` };
	}
	return { id, next: now + verdict.delayMs, result };
}
