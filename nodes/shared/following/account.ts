import type { NodeApiError } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { consentOf } from '../consents/newest';
import { Outage } from '../consumer/outage';
import { wake } from '../consumer/wakeUps';
import { Queue } from '../items/queue';
import { asExecution } from '../transport/asExecution';
import { readMessage } from '../transport/message';
import { readList } from '../transport/paging';
import type { ReceiverContext } from '../transport/receiver';
import { readRetryAfter } from '../transport/retryAfter';
import { isTransient } from '../transport/retryPolicy';
import { askOnce, type Exchange } from '../transport/service';
import { apiError } from '../transport/serviceError';
import { GAP_MS } from './pace';
import { Plan, type Question, type Sleeper } from './plan';

/** Each wakes an execution, which costs n8n more than the request. */
const WAKE_AT_ONCE = 4;

const LONGEST_PAUSE_MS = 60_000;

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

type Unanswered = Extract<Exchange, { error: unknown }>;

/** Why a page of a list is missing. */
class NoPage extends Error {
	readonly answer: Unanswered;

	constructor(answer: Unanswered) {
		super(answer.error.message);
		this.answer = answer;
	}
}

/** Who found the executions. */
export interface AccountHost {
	/** It goes on, or never waited for this; it may sleep again. */
	woken(sleeper: Sleeper): void;
	/** Called once for each outage that somebody has to end. */
	tell(account: Account, error: NodeApiError): void;
}

/**
 * Asks one account of the service for what executions wait for, and wakes them, as long as any
 * sleeps. The decisions are the plan's.
 */
export class Account {
	readonly plan = new Plan();
	/** Any node with the account's credential. */
	private context: ReceiverContext;
	/** The same with the credential as it was read; another after a failure, since it may have been replaced. */
	private execution;
	private readonly host: AccountHost;
	private outage = new Outage();
	private waking = 0;
	private isRunning = false;
	private pause = new AbortController();

	constructor(context: ReceiverContext, host: AccountHost) {
		this.context = context;
		this.execution = asExecution(context);
		this.host = host;
	}

	use(context: ReceiverContext): void {
		if (this.context === context) return;
		this.context = context;
		this.execution = asExecution(context);
	}

	/** Looks again at what there is to do. */
	poke(): void {
		this.pause.abort();
		if (!this.isRunning) void this.run();
	}

	private async run(): Promise<void> {
		this.isRunning = true;
		while (!this.plan.isEmpty) {
			const now = Date.now();
			this.wakeReady(now);
			const question = this.plan.next(now);
			if (question === null) {
				this.pause = new AbortController();
				const pause = Math.min(this.plan.nextAt(now) - now, LONGEST_PAUSE_MS);
				await sleep(pause, this.pause.signal).catch(() => undefined);
			} else {
				await turn();
				await this.ask(question);
			}
		}
		this.isRunning = false;
	}

	private wakeReady(now: number): void {
		for (const { sleeper, resume } of this.plan.wake(now, WAKE_AT_ONCE - this.waking)) {
			const { resumeUrl, secret } = sleeper;
			this.waking++;
			void wake(this.context, { resumeUrl, secret, resume }).then(({ outcome }) => {
				this.waking--;
				if (outcome === 'nak') this.plan.notWoken(sleeper, Date.now());
				else {
					this.plan.remove(sleeper);
					this.host.woken(sleeper);
				}
				this.poke();
			});
		}
	}

	private async ask(question: Question): Promise<void> {
		const askedAt = Date.now();
		const answer = await this.answerTo(question, askedAt).catch(
			(error: Error): Unanswered =>
				error instanceof NoPage
					? error.answer
					: {
							error: { message: error.message, description: '', code: null, status: null },
							retryAfter: null,
							hasLeft: false,
						},
		);
		if (answer === null) {
			this.outage = new Outage();
			return;
		}
		const { error, retryAfter } = answer;
		const { status } = error;
		const isRefusal = status === 401 || status === 403;
		const isGeneral = status === null || isRefusal || isTransient(status);
		this.plan.failed(question, askedAt, readRetryAfter(retryAfter, Date.now()), isGeneral);
		this.execution = asExecution(this.context);
		if (!isGeneral) return;
		const news = this.outage.failed({ refusal: isRefusal, patience: 0 }, Date.now());
		if (news !== null) this.host.tell(this, apiError(this.context, error, 0));
	}

	/** @returns null once the plan has it */
	private async answerTo(question: Question, askedAt: number): Promise<Unanswered | null> {
		if (question === 'consents') {
			const entries = await readList(null, async ({ page, perPage }) => {
				const path = `/consents?page=${page}&perPage=${perPage}`;
				if (page > 1) await turn();
				const answer = await askOnce(this.execution, path);
				if ('error' in answer) throw new NoPage(answer);
				return answer.body;
			});
			this.plan.listed(entries.map(consentOf), askedAt);
			return null;
		}
		const { messageId } = question;
		const answer = await askOnce(this.execution, `/messages/${messageId}`);
		if ('error' in answer) return answer;
		const message = readMessage(answer.body, messageId);
		if (message === null) {
			const error = { ...NO_MESSAGE, status: answer.status };
			return { error, retryAfter: null, hasLeft: true };
		}
		this.plan.status(messageId, message.status, askedAt);
		return null;
	}
}

const NO_MESSAGE = {
	message: 'The service did not return the requested message',
	description: '',
	code: null,
};
