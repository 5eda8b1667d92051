// Proves that something did not happen: a receiver at rest does nothing more until a request comes
// or its clock moves, so what has not happened by then does not happen.
import { randomUUID } from 'node:crypto';
import type { StoreListener } from '../../../webhook-receiver/src/store/notices.ts';
import { CHANNEL } from '../../../webhook-receiver/src/store/postgres/feed.ts';
import type { Store } from '../../../webhook-receiver/src/operation/store.ts';
import type { LeaseRequest, LeasedPolls } from '../../../webhook-receiver/src/watch/watches.ts';
import { query } from './postgres-server.ts';

/** What a receiver asks of its store, as seen from between the two. */
export class ObservedStore {
	/** What the receiver gets. */
	readonly store: Store;
	private readonly target: Store;
	private readonly databaseUrl: string | null;
	/** Calls of the receiver: all, and those not answered yet. */
	private calls = 0;
	private underWay = 0;
	/** Polls of the service that were leased and are not settled. */
	private polls = 0;
	/** The last event that the receiver was told of. */
	private told: number;
	private readonly heard = new Set<string>();

	/** @param databaseUrl of a PostgreSQL, which tells by notifications that take a while */
	static async of(target: Store, databaseUrl: string | null): Promise<ObservedStore> {
		return new ObservedStore(target, await newest(target), databaseUrl);
	}

	private constructor(target: Store, told: number, databaseUrl: string | null) {
		this.target = target;
		this.told = told;
		this.databaseUrl = databaseUrl;
		this.store = this.counted(target, {
			listen: (listener) => this.listen(listener),
			intake: this.counted(target.intake),
			log: this.counted(target.log),
			records: this.counted(target.records),
			waits: this.counted(target.waits),
			claims: this.counted(target.claims),
			consumers: this.counted(target.consumers),
			watching: this.counted(target.watching, {
				lease: (request) => this.leasePolls(request),
				note: (...args) => this.settled(target.watching.note(...args)),
				noteListPage: (...args) => this.settled(target.watching.noteListPage(...args)),
			}),
		});
	}

	/**
	 * Whether the receiver has nothing to do: it was told everything that is committed, waits for no
	 * answer of the store or the service, and a turn of the event loop later has not gone on.
	 */
	async isAtRest(): Promise<boolean> {
		const { calls } = this;
		if (this.underWay > 0 || this.polls > 0 || this.told < (await newest(this.target)))
			return false;
		await this.hearNotifications();
		await new Promise((resolve) => setImmediate(resolve));
		return this.calls === calls && this.underWay === 0;
	}

	/** How often the receiver has asked for anything: unchanged, it did nothing in between. */
	get activity(): number {
		return this.calls;
	}

	/** PostgreSQL delivers notifications in order of commit: ours comes after all before it. */
	private async hearNotifications(): Promise<void> {
		if (this.databaseUrl === null) return;
		const own = `at-rest-${randomUUID()}`;
		await query(this.databaseUrl, `SELECT pg_notify('${CHANNEL}', 'queue ${own}')`);
		while (!this.heard.delete(own)) await new Promise((resolve) => setImmediate(resolve));
	}

	/** Counts the calls of one part of the store; `instead` replaces some of its members. */
	private counted<T extends object>(target: T, instead: Partial<T> = {}): T {
		const members = new Map<string | symbol, unknown>();
		const member = (name: string | symbol): unknown => {
			const replaced: unknown = Reflect.get(instead, name);
			const value: unknown = replaced ?? Reflect.get(target, name);
			if (typeof value !== 'function') return value;
			const call = value.bind(target) as (...args: unknown[]) => unknown;
			return async (...args: unknown[]) => {
				this.calls++;
				this.underWay++;
				try {
					return await call(...args);
				} finally {
					this.underWay--;
				}
			};
		};
		return new Proxy(target, {
			get(_, name) {
				if (!members.has(name)) members.set(name, member(name));
				return members.get(name);
			},
		});
	}

	private async leasePolls(request: LeaseRequest): Promise<LeasedPolls> {
		const leased = await this.target.watching.lease(request);
		this.polls += leased.polls.length + leased.listPages.length;
		return leased;
	}

	/** The receiver settles polls one by one. */
	private async settled(events: Promise<number>): Promise<number> {
		try {
			return await events;
		} finally {
			this.polls--;
		}
	}

	private listen(listener: StoreListener): void {
		this.target.listen({
			onEvents: (events) => {
				this.told = Math.max(this.told, ...events.map(({ sequence }) => sequence));
				listener.onEvents(events);
			},
			onQueue: (key) => {
				if (key.startsWith('at-rest-')) this.heard.add(key);
				else listener.onQueue(key);
			},
			onWaits: () => listener.onWaits(),
			onPolls: () => listener.onPolls(),
			onMissed: () => listener.onMissed(),
			isWaiting: () => listener.isWaiting(),
		});
	}
}

async function newest(store: Store): Promise<number> {
	const [event] = await store.log.slice({ limit: 1, before: null });
	return event?.sequence ?? 0;
}
