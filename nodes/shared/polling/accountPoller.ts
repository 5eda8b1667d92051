import type { NodeApiError } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { readRetryAfter } from '../../../webhook-receiver/src/core/retry-after';
import { consentOf } from '../consents/newest';
import { Outage, pauseAfter } from '../consumer/outage';
import { postWakeUp } from '../consumer/postWakeUp';
import { WAKE_AT_ONCE } from '../consumer/wakeUps';
import { Queue } from '../items/tasks';
import { asExecution, type NodeContext } from '../transport/context';
import { messageIn } from '../transport/readMessage';
import { readList } from '../transport/paging';
import { isTransient } from '../transport/retryPolicy';
import { askOnce } from '../transport/service';
import { apiError, ServiceFailed, type RequestFailure } from '../transport/serviceError';
import { Loop } from './loop';
import { PollPlan, type DueWakeUp, type Question } from './pollPlan';
import type { SleepingExecution } from './sleepingExecution';

/** Between two requests of this process to services. */
const GAP_MS = 250;

/** Longest pause for a service that fails and does not say how long to wait. */
const LONGEST_PAUSE_MS = 300_000;

const turns = new Queue();
let lastTurn = 0;

/** Resolves when this process may send the next request to a service. */
async function turn(): Promise<void> {
	await turns.run(async () => {
		const wait = lastTurn + GAP_MS - Date.now();
		// A clock that was set back must not stop everything.
		if (wait > 0) await sleep(Math.min(wait, GAP_MS));
		lastTurn = Date.now();
	});
}

/** Hears what becomes of the executions that an account wakes. */
export interface PollerHost {
	/** It goes on, or never waited for this; it may sleep again. */
	woken(sleeper: SleepingExecution): void;
	/** Called once for each outage that somebody has to end. */
	tell(poller: AccountPoller, error: NodeApiError): void;
}

/**
 * Asks one account of the service for what executions wait for, and wakes them, as long as any
 * sleeps. The decisions are the plan's.
 */
export class AccountPoller {
	readonly plan = new PollPlan();
	private readonly host: PollerHost;
	private readonly loop = new Loop(
		async () => await this.step(),
		({ message }) => this.context.logger.warn(message),
	);
	/** Any node with the account's credential. */
	private context: NodeContext;
	/** The same with the credential as it was read; another after a failure, since it may have been replaced. */
	private execution;
	private outage = new Outage();
	private waking = 0;
	private isHeldBackTold = false;

	constructor(context: NodeContext, host: PollerHost) {
		this.context = context;
		this.execution = asExecution(context);
		this.host = host;
	}

	/** Asks for what an execution waits for now. */
	add(sleeper: SleepingExecution, context: NodeContext): void {
		if (this.context !== context) {
			this.context = context;
			this.execution = asExecution(context);
		}
		this.plan.add(sleeper);
		this.loop.poke();
	}

	private async step(): Promise<number | null> {
		if (this.plan.isEmpty) return null;
		const now = Date.now();
		for (const due of this.plan.takeDue(now, WAKE_AT_ONCE - this.waking)) void this.wake(due);
		const { question, at } = this.plan.next(now);
		if (question === undefined || at > now) return at - now;
		await turn();
		await this.ask(question);
		return 0;
	}

	private async wake({ sleeper, resume }: DueWakeUp): Promise<void> {
		this.waking++;
		const { resumeUrl, secret } = sleeper;
		const { outcome, reason, isHeldBack } = await postWakeUp(this.context, {
			resumeUrl,
			secret,
			resume,
		});
		this.waking--;
		if (outcome === 'nak') {
			this.plan.notWoken(sleeper, Date.now());
			if (isHeldBack) this.tellHeldBack(reason);
		} else {
			this.plan.remove(sleeper);
			this.host.woken(sleeper);
		}
		this.loop.poke();
	}

	/** Otherwise nothing would report it. */
	private tellHeldBack(reason: string): void {
		if (this.isHeldBackTold) return;
		this.isHeldBackTold = true;
		const message = `Executions that sleep cannot be woken: ${reason}`;
		const error = { message, description: '', code: null, status: null };
		this.host.tell(this, apiError(this.context, error, 0));
	}

	private async ask(question: Question): Promise<void> {
		const askedAt = Date.now();
		try {
			if (question === null) this.plan.listed(await this.consents(), askedAt);
			else this.plan.status(await this.message(question), askedAt);
			this.outage = new Outage();
		} catch (error) {
			// The credential may have been replaced since it was read.
			this.execution = asExecution(this.context);
			this.failed(question, error as Error, askedAt);
		}
	}

	private failed(question: Question, thrown: Error, askedAt: number): void {
		const isAnswer = thrown instanceof ServiceFailed;
		const error: RequestFailure = isAnswer
			? thrown.error
			: { message: thrown.message, description: '', code: null, status: null };
		const { status } = error;
		const refusal = status === 401 || status === 403;
		if (status !== null && !refusal && !isTransient(status)) {
			this.plan.unanswered(question, askedAt, null);
			return;
		}
		const news = this.outage.failed({ refusal, patience: 0 }, Date.now());
		const requested = isAnswer ? readRetryAfter(thrown.error.retryAfter, Date.now()) : null;
		const pause = pauseAfter(this.outage.failures, 0, LONGEST_PAUSE_MS);
		this.plan.unanswered(question, askedAt, Math.max(requested ?? 0, pause));
		if (news !== null) this.host.tell(this, apiError(this.context, error, 0));
	}

	private async consents() {
		const entries = await readList(null, async ({ page, perPage }) => {
			if (page > 1) await turn();
			return (await askOnce(this.execution, `/consents?page=${page}&perPage=${perPage}`)).body;
		});
		return entries.map(consentOf);
	}

	private async message(id: string) {
		return messageIn(await askOnce(this.execution, `/messages/${id}`), id);
	}
}
