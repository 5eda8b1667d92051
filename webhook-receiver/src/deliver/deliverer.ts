import type { Breaker } from './breaker.ts';
import { Lane } from './lane.ts';
import type { DeliveryConfig, Parts } from './lane.ts';

export type { DeliveryConfig } from './lane.ts';

/**
 * Brings stored events to their subscriptions (design § 7). Each subscription has a lane of its own
 * with its own requests and its own timer, so that a dead target holds up nobody else. The order of
 * one message's events, and who gets what, is the store's business: a lane takes what it is given.
 */
export class Deliverer {
	private readonly config: DeliveryConfig;
	private readonly parts: Parts;
	private readonly lanes = new Map<string, Lane>();
	private cancelWatch: (() => void) | null = null;
	private stopped = false;

	constructor(config: DeliveryConfig, parts: Parts) {
		this.config = config;
		this.parts = parts;
	}

	/** Goes on with what an earlier process left pending, or other receivers leave behind. */
	async resume(): Promise<void> {
		this.wake(await this.parts.store.subscriptionsWithWork());
		this.watch();
	}

	/** Has the subscriptions look for work. */
	wake(keys: Iterable<string>): void {
		if (this.stopped) return;
		for (const key of keys) {
			const lane = this.lanes.get(key) ?? this.openLane(key);
			lane.look();
		}
	}

	/** What each lane knows of its target. */
	breakers(): ReadonlyMap<string, Breaker> {
		return new Map([...this.lanes].map(([key, lane]) => [key, lane.breaker]));
	}

	/** Takes nothing new; resolves when what is under way is settled. */
	async stop(): Promise<void> {
		this.stopped = true;
		this.cancelWatch?.();
		await Promise.all([...this.lanes.values()].map((lane) => lane.stop()));
	}

	private watch(): void {
		const { clock, store, logger } = this.parts;
		if (store.watchMs === null || this.stopped) return;
		this.cancelWatch = clock.at(clock.now() + store.watchMs, () => {
			this.resume().catch((error: unknown) => {
				logger.error({ err: error }, 'looking for work failed');
				this.watch();
			});
		});
	}

	private openLane(key: string): Lane {
		const lane = new Lane(key, this.config, this.parts, () => this.lanes.delete(key));
		this.lanes.set(key, lane);
		return lane;
	}
}
