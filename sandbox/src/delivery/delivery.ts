import { isDeepStrictEqual } from 'node:util';
import { iso, type Clock } from '../state/clock.ts';
import { nextStatus, TRACKED_EVENTS, type Trigger } from './lifecycle.ts';
import { newId } from '../state/ids.ts';
import { ATTACHMENT_LINK_MS, mailOf, postMail } from './mails.ts';
import { isTrackedMail, type Message, type MessageStatus } from '../state/model.ts';
import type { Scheduler } from '../state/scheduler.ts';
import { replyPath, type SignedLinks } from '../state/signed-links.ts';
import { plannedSteps, steeringOf } from './test-address.ts';
import type { Store } from '../state/store.ts';
import type { WebhookSender } from '../webhooks/webhooks.ts';

export interface DeliveryTimes {
	/** False: the recipient's side acts only through the control API or the page. */
	automatic: boolean;
	/** From the send to the mailbox (or the bounce). */
	deliveryDelayMs: number;
	/** Between the recipient's steps. */
	openDelayMs: number;
}

const DAY = 86_400_000;
/** From delivery to EXPIRED for unopened tracked mail (rule STAT-06). */
const TRACKED_EXPIRY_MS = 60 * DAY;
/** From the send to EXPIRED for letters nobody opens or accepts. */
const LETTER_EXPIRY_MS = 15 * DAY;

interface Parts {
	clock: Clock;
	scheduler: Scheduler;
	store: Store;
	links: SignedLinks;
	webhooks: WebhookSender;
}

/** Drives the lifecycle of messages: the send, now or scheduled, and everything that follows. */
export class Deliveries {
	readonly #parts: Parts;
	readonly #times: DeliveryTimes;

	constructor(parts: Parts, times: DeliveryTimes) {
		this.#parts = parts;
		this.#times = times;
	}

	/** A message that was accepted: sends it at once or holds it until its time (rule SCHD-03). */
	begin(message: Message): void {
		if (message.scheduledAt === null) return this.#send(message);
		this.#hold(message, 'scheduled', message.scheduledAt);
	}

	/** Resumes a message from an earlier run: its pending steps still happen. */
	resume(message: Message): void {
		if (message.status === 'SCHEDULED' && message.scheduledAt !== null)
			return this.#holdUntil(message, message.scheduledAt);
		if (message.sentAt === null) return;
		this.#plan(message, message.sentAt);
		const deliveredAt = lastDelivery(message);
		if (deliveredAt !== undefined) this.#planExpiry(message, deliveredAt);
	}

	/** Moves a scheduled send to another time (rule SCHD-05). */
	reschedule(message: Message, scheduledAt: number): void {
		this.#hold(message, 'rescheduled', scheduledAt);
	}

	/** Cancels a scheduled send (rule SCHD-05). */
	cancel(message: Message): void {
		this.#record(message, 'cancelled', 'CANCELLED');
	}

	#hold(message: Message, what: string, scheduledAt: number): void {
		message.scheduledAt = scheduledAt;
		this.#record(message, what, 'SCHEDULED');
		this.#holdUntil(message, scheduledAt);
	}

	#holdUntil(message: Message, scheduledAt: number): void {
		this.#parts.scheduler.at(scheduledAt, () => {
			// Otherwise cancelled or rescheduled in the meantime.
			if (message.status === 'SCHEDULED' && message.scheduledAt === scheduledAt)
				this.#send(message);
		});
	}

	/** Applies a trigger to a message; false if its state does not allow it. */
	apply(message: Message, trigger: Trigger): boolean {
		const status = nextStatus(message.type, message.status, trigger);
		if (status === null) return false;
		const repeated = message.history.at(-1)?.what === trigger && status === message.status;
		if (repeated) return true;
		const at = this.#record(message, trigger, status);
		if (trigger === 'deliver') this.#deliver(message, at);
		this.#emit(message, TRACKED_EVENTS[trigger]);
		return true;
	}

	#send(message: Message): void {
		const { store, clock } = this.#parts;
		const account = store.accounts.get(message.accountId);
		// Rule SCHD-04: checked at the time of the real send.
		if (message.type === 'LRE' && !account?.kyc) {
			this.#record(message, 'fail', 'FAILED');
			this.#parts.webhooks.emit(this.#event(message, 'lre_failed'));
			return;
		}
		if (steeringOf(message.contact.email) === 'fail') {
			this.#record(message, 'fail', 'FAILED');
			return this.#emit(message, TRACKED_EVENTS.fail);
		}
		message.sentAt = clock.now();
		this.#record(message, 'send', 'SENT');
		this.#emit(message, TRACKED_EVENTS.send);
		this.#plan(message, message.sentAt);
	}

	/** Schedules what the recipient's address lets happen after the send. */
	#plan(message: Message, sentAt: number): void {
		if (!isTrackedMail(message.type)) this.#planLetterExpiry(message, sentAt);
		if (!this.#times.automatic) return;
		const steps = plannedSteps(message.contact.email, message.type);
		steps.forEach((trigger, index) => {
			if (index < happened(message).length) return;
			const due = sentAt + this.#times.deliveryDelayMs + index * this.#times.openDelayMs;
			this.#parts.scheduler.at(due, () => {
				// Otherwise somebody else has decided what happens to it.
				if (isDeepStrictEqual(happened(message), steps.slice(0, index)))
					this.apply(message, trigger);
			});
		});
	}

	/** A function of its own: what is planned for weeks then holds the message and nothing else. */
	#planLetterExpiry(message: Message, sentAt: number): void {
		const due = sentAt + LETTER_EXPIRY_MS;
		this.#parts.scheduler.at(due, () => this.apply(message, 'expire'));
	}

	/** Rule STAT-06. */
	#planExpiry(message: Message, deliveredAt: number): void {
		if (!isTrackedMail(message.type)) return;
		this.#parts.scheduler.at(deliveredAt + TRACKED_EXPIRY_MS, () => {
			// Otherwise it bounced and was delivered again.
			if (lastDelivery(message) === deliveredAt) this.apply(message, 'expire');
		});
	}

	#deliver(message: Message, at: number): void {
		const { store, links } = this.#parts;
		const mail = mailOf(message, store.senderName(message), {
			attachment: ({ id }) =>
				links.sign(`/attachments/${message.id}/${id}`, at + ATTACHMENT_LINK_MS),
			letter: replyPath(links, 'messages', message),
		});
		postMail(this.#parts, { ...mail, messageId: message.id });
		this.#planExpiry(message, at);
	}

	/** Returns the moment it records: a running clock may show another one at the next look. */
	#record(message: Message, what: string, status: MessageStatus): number {
		message.status = status;
		const at = this.#parts.clock.now();
		// Not push: that makes room for 16 more, in each of 100,000 messages.
		message.history = message.history.concat({ at, what, status });
		this.#parts.store.put('messages', message);
		return at;
	}

	/** Only tracked mail has events, in the spelling it was sent with (rule TYPE-06). */
	#emit(message: Message, kind: string | undefined): void {
		if (!kind || !isTrackedMail(message.type)) return;
		const event = `${message.type.toLowerCase()}_${kind}`;
		this.#parts.webhooks.emit(this.#event(message, event));
	}

	#event({ id, type, fileReference, customerReference }: Message, event: string) {
		return {
			id: newId('wh'),
			event,
			messageId: id,
			type,
			timestamp: iso(this.#parts.clock.now()),
			data: { fileReference, customerReference },
		};
	}
}

/** What has happened to a message since it was sent. */
const happened = ({ history }: Message): string[] =>
	history.slice(history.findIndex(({ what }) => what === 'send') + 1).map(({ what }) => what);

const lastDelivery = ({ history }: Message): number | undefined =>
	history.findLast(({ what }) => what === 'deliver')?.at;
