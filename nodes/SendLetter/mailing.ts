import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { forEachBounded } from '../shared/concurrency';
import { isolate, type Attempt, type Part } from '../shared/isolate';
import type { ItemError, Outcome } from '../shared/perItem';
import { callService } from '../shared/service';
import { groupLetters, type ItemLetter, type SendBatch } from './groupLetters';
import { sendRequest } from './letter';
import { itemAnswers } from './itemAnswers';
import { countLetters, tooManyLetters } from './maxLetters';
import { planMailing } from './plan';
import { reporter } from './progress';
import { sendFailure, unknownError, type SendFailure } from './sendErrors';
import { SendMemory, type Sent } from './sendMemory';
import { SendOnce } from './sendOnce';

/** A checked letter of an item, with the key under which it is to go out once, if there is one. */
export interface KeyedLetter extends ItemLetter {
	sendOnceKey: string | null;
}

export interface MailingSettings {
	/** Requests under way at the same time. */
	concurrency: number;
	/** Recipients a request may have, or null: every item goes by itself. */
	maxRecipients: number | null;
	/** Items that the service refuses are left out of a request, and the rest goes. */
	isIsolating: boolean;
	/** Letters that may go out, or null: any number. */
	maxLetters: number | null;
	/** Letters whose outcome is unknown go out again, at the risk of going out twice. */
	resendUnknown: boolean;
}

export type MailingOutcomes = Map<number, Outcome<IDataObject>>;

/**
 * Sends the letters, none of them twice (design, section 5): what this run has sent before, and what
 * went out under a key, is answered from memory; only the rest leaves.
 *
 * Without *Continue On Fail* the first failure ends the mailing: no more requests are begun, those
 * under way are waited for and remembered, then it is thrown.
 */
export async function sendAll(
	context: IExecuteFunctions,
	letters: KeyedLetter[],
	settings: MailingSettings,
): Promise<MailingOutcomes> {
	const keys = keysOf(letters);
	const once = keys.length > 0 ? new SendOnce(context) : null;
	const mailing = new Mailing(context, settings, once);
	if (once === null) {
		await mailing.run(letters);
	} else {
		await once.exclusively(keys, async () => await mailing.run(letters));
		once.gatherAnswers();
	}
	return mailing.outcomes;
}

class Mailing {
	readonly outcomes: MailingOutcomes = new Map();
	private readonly context: IExecuteFunctions;
	private readonly settings: MailingSettings;
	/** Null when no letter has a key. */
	private readonly once: SendOnce | null;
	private readonly memory: SendMemory;

	constructor(context: IExecuteFunctions, settings: MailingSettings, once: SendOnce | null) {
		this.context = context;
		this.settings = settings;
		this.once = once;
		this.memory = new SendMemory(context);
	}

	async run(letters: KeyedLetter[]): Promise<void> {
		const fresh = letters.filter((letter) => {
			const sent = this.memory.recall(letter);
			if (!this.answers(sent)) return true;
			this.settle(letter, sent, false);
			return false;
		});
		const { batches, followers } = planMailing(fresh, this.settings.maxRecipients);
		if (this.refuseTooMany(batches, fresh)) return;
		const report = reporter(this.context, letters.length);
		await forEachBounded(batches, this.settings.concurrency, async ({ items }) => {
			await this.sendUnclaimed(items);
			report(this.outcomes.size);
		});
		for (const [follower, leader] of followers) {
			const outcome = this.outcomes.get(leader.itemIndex);
			if (outcome && 'value' in outcome) this.settle(follower, { answer: outcome.value }, true);
			else if (outcome) this.outcomes.set(follower.itemIndex, outcome);
		}
	}

	/** Whether more would go out than allowed; then all fail, before the first request. */
	private refuseTooMany(batches: Array<SendBatch<KeyedLetter>>, all: KeyedLetter[]): boolean {
		const { maxLetters } = this.settings;
		if (maxLetters === null) return false;
		const leaving = batches
			.flatMap(({ items }) => items)
			.filter(({ sendOnceKey }) => sendOnceKey === null || !this.once?.hasAnswer(sendOnceKey));
		const count = countLetters(
			leaving.map(({ letter: { fields, recipients } }) => ({
				type: fields.type,
				count: recipients.length,
			})),
		);
		if (count.total <= maxLetters) return false;
		if (!this.context.continueOnFail()) {
			throw tooManyLetters(this.context, count, maxLetters, null);
		}
		for (const { itemIndex } of all) {
			this.fail(itemIndex, tooManyLetters(this.context, count, maxLetters, itemIndex));
		}
		return true;
	}

	/** Whether what is known of a letter stands for sending it; unknown outcomes may be sent again. */
	private answers(sent: Sent | undefined): sent is Sent {
		return sent !== undefined && !('unknown' in sent && this.settings.resendUnknown);
	}

	/** Claims the keys of a batch, and sends what nobody has sent under them before. */
	private async sendUnclaimed(items: KeyedLetter[]): Promise<void> {
		const claims = (await this.once?.claim(keysOf(items))) ?? new Map<string, Sent>();
		const earlier = ({ sendOnceKey }: KeyedLetter) => claims.get(sendOnceKey ?? '');
		const unsent = items.filter((item) => !this.answers(earlier(item)));
		const settled = items
			.filter((item) => this.answers(earlier(item)))
			.map((item) => ({
				item,
				sent: earlier(item) as Sent,
			}));
		if (!this.context.continueOnFail() && settled.some(({ sent }) => 'unknown' in sent)) {
			// The mailing ends here, so the others of the batch do not leave.
			await this.once?.release(keysOf(unsent));
		}
		for (const { item, sent } of settled) this.settle(item, sent, true);
		if (unsent.length > 0) await this.send(unsent);
	}

	private settle({ itemIndex }: KeyedLetter, sent: Sent, alreadySent: boolean): void {
		if ('unknown' in sent) {
			this.fail(itemIndex, unknownError(this.context, itemIndex, sent.unknown));
		} else {
			const value = alreadySent ? { ...sent.answer, alreadySent } : sent.answer;
			this.outcomes.set(itemIndex, { value });
		}
	}

	private async send(items: KeyedLetter[]): Promise<void> {
		const parts = this.settings.isIsolating
			? await isolate(items, async (some) => await this.attempt(some))
			: [await this.attemptAll(items)];
		for (const part of parts) {
			if ('done' in part) continue;
			const { carried, errors, summary } = 'failed' in part ? part.failed : part.refused;
			if (carried === 'no') await this.once?.release(keysOf(part.entries));
			for (const { itemIndex } of part.entries) {
				this.fail(itemIndex, errors.get(itemIndex) ?? summary, summary);
			}
		}
	}

	/** All or nothing. */
	private async attemptAll(items: KeyedLetter[]): Promise<Part<KeyedLetter, null, SendFailure>> {
		const result = await this.attempt(items);
		if ('done' in result) return { entries: items, done: null };
		return { entries: items, failed: 'failed' in result ? result.failed : result.refused };
	}

	/** Sends the letters of the items in one request, and keeps what became of those that left. */
	private async attempt(items: KeyedLetter[]): Promise<Attempt<null, SendFailure>> {
		const [{ letter }] = groupLetters(items, Number.POSITIVE_INFINITY);
		const result = await callService(this.context, sendRequest(letter));
		if ('body' in result) {
			for (const [item, answer] of itemAnswers(result.body as IDataObject, items)) {
				this.keep(item, { answer });
				this.outcomes.set(item.itemIndex, { value: answer });
			}
			return { done: null };
		}
		if (result.carried === 'unknown') {
			for (const item of items) this.keep(item, { unknown: result.failure.message });
		}
		return sendFailure(this.context, result, items);
	}

	private keep(item: KeyedLetter, sent: Sent): void {
		this.memory.remember(item, sent);
		if (item.sendOnceKey !== null) this.once?.keep(item.sendOnceKey, sent);
	}

	/** @param summary what ends the mailing, without Continue On Fail */
	private fail(itemIndex: number, error: ItemError, summary = error): void {
		this.outcomes.set(itemIndex, { error });
		if (!this.context.continueOnFail()) throw summary;
	}
}

function keysOf(items: KeyedLetter[]): string[] {
	return items.flatMap(({ sendOnceKey }) => sendOnceKey ?? []);
}
