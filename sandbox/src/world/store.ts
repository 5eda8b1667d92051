import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { Account, Attachment, Consent, Customer, Mail, Message } from './model.ts';

/** The part of the store that can be kept between starts. */
export interface StoredState {
	accounts: Account[];
	customers: Customer[];
	consents: Consent[];
	messages: Message[];
	mails: Mail[];
}

/** All state of the service except webhooks, in memory; notifies watchers of changes. */
export class Store {
	readonly messages = new Map<string, Message>();
	readonly customers = new Map<string, Customer>();
	readonly consents = new Map<string, Consent>();
	readonly mails: Mail[] = [];
	accounts: Account[] = [];
	readonly #changes = new EventEmitter().setMaxListeners(0);

	accountByToken(token: string): Account | undefined {
		return this.accounts.find((account) => account.token === token);
	}

	account(id: string): Account | undefined {
		return this.accounts.find((account) => account.id === id);
	}

	/** The visible sender: the customer it was sent for, or the account. */
	senderName({ sender, accountId }: Pick<Message, 'sender' | 'accountId'>): string {
		const customer = sender === null ? undefined : this.customers.get(sender);
		return customer?.name ?? this.account(accountId)?.company ?? 'unknown';
	}

	/** Mails of one message, oldest first. */
	mailsOf(messageId: string): Mail[] {
		return this.mails.filter((mail) => mail.messageId === messageId);
	}

	/** Every file still referenced. */
	files(): Attachment[] {
		const attachments = [...this.messages.values()].flatMap((message) => message.attachments);
		return [...attachments, ...[...this.customers.values()].flatMap(({ logo }) => logo ?? [])];
	}

	changed(): void {
		this.#changes.emit('change');
	}

	/** Returns a function that stops watching. */
	watch(listener: () => void): () => void {
		this.#changes.on('change', listener);
		return () => this.#changes.off('change', listener);
	}

	export(): StoredState {
		return {
			accounts: this.accounts,
			customers: [...this.customers.values()],
			consents: [...this.consents.values()],
			messages: [...this.messages.values()],
			mails: this.mails,
		};
	}

	/** File paths point to the current folder, wherever it was before. */
	import({ accounts, customers, consents, messages, mails }: StoredState, uploads: string): void {
		this.accounts = accounts;
		for (const customer of customers) this.customers.set(customer.id, customer);
		for (const consent of consents) this.consents.set(consent.id, consent);
		for (const message of messages) this.messages.set(message.id, message);
		this.mails.push(...mails);
		for (const file of this.files()) file.path = join(uploads, file.id);
	}

	/** Forgets everything but the accounts; the uploaded files stay. */
	clear(): void {
		this.messages.clear();
		this.customers.clear();
		this.consents.clear();
		this.mails.length = 0;
	}
}
