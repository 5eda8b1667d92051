import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import {
	RECORDS,
	type Account,
	type Attachment,
	type Consent,
	type Customer,
	type Mail,
	type Message,
} from './model.ts';

/** The kinds of record; each record has an `id` of its own. */
export interface Records {
	accounts: Account;
	customers: Customer;
	consents: Consent;
	messages: Message;
	mails: Mail;
}

export type Kind = keyof Records;

/** The part of the store that can be kept between starts, each kind in the order of creation. */
export type StoredState = { [K in Kind]: Array<Records[K]> };

/** Changes since the state was last persisted. */
export interface Changes {
	/** Whether to discard everything persisted so far. */
	isCleared: boolean;
	records: Map<Records[Kind], Kind>;
}

/**
 * All state of the service except webhooks, in memory. Whoever adds or changes a record calls `put`
 * before the next `await`: what is not put is not kept, and makes no news.
 */
export class Store {
	readonly accounts = new Map<string, Account>();
	readonly customers = new Map<string, Customer>();
	readonly consents = new Map<string, Consent>();
	readonly messages = new Map<string, Message>();
	readonly mails = new Map<string, Mail>();
	#changes = noChanges();
	readonly #watchers = new EventEmitter().setMaxListeners(0);

	/** Adds a record, or says that it has changed. */
	put<K extends Kind>(kind: K, record: Records[K]): void {
		(this[kind] as Map<string, Records[K]>).set(record.id, record);
		this.#changes.records.set(record, kind);
		this.#watchers.emit('change');
	}

	/** What changed since `forgetChanges`. */
	get changes(): Readonly<Changes> {
		return this.#changes;
	}

	/** Everything has been persisted. */
	forgetChanges(): void {
		this.#changes = noChanges();
	}

	/** Returns a function that stops watching. */
	watch(listener: () => void): () => void {
		this.#watchers.on('change', listener);
		return () => this.#watchers.off('change', listener);
	}

	accountByToken(token: string): Account | undefined {
		return [...this.accounts.values()].find((account) => account.token === token);
	}

	accountNamed(name: string): Account | undefined {
		return [...this.accounts.values()].find((account) => account.name === name);
	}

	/** The visible sender: the customer it was sent for, or the account. */
	senderName({ sender, accountId }: Pick<Message, 'sender' | 'accountId'>): string {
		const customer = sender === null ? undefined : this.customers.get(sender);
		return customer?.name ?? this.accounts.get(accountId)?.company ?? 'unknown';
	}

	/** Every file still referenced. */
	files(): Attachment[] {
		const attachments = [...this.messages.values()].flatMap((message) => message.attachments);
		return [...attachments, ...[...this.customers.values()].flatMap(({ logo }) => logo ?? [])];
	}

	export(): StoredState {
		const all = KINDS.map((kind) => [kind, [...this[kind].values()]]);
		return Object.fromEntries(all) as StoredState;
	}

	/** File paths point to the current folder, wherever it was before. */
	import(stored: StoredState, uploads: string): void {
		for (const kind of KINDS) for (const record of stored[kind]) this.put(kind, record);
		for (const file of this.files()) file.path = join(uploads, file.id);
	}

	/** Forgets every record; the uploaded files stay. */
	clear(): void {
		for (const kind of KINDS) this[kind].clear();
		this.#changes = { ...noChanges(), isCleared: true };
		this.#watchers.emit('change');
	}
}

export const KINDS = Object.keys(RECORDS) as readonly Kind[];

const noChanges = (): Changes => ({ isCleared: false, records: new Map() });
