import type { DeliveryEvent } from '../contract.ts';
import type { StoreListener } from '../pull/consumer-store.ts';

/** What a transaction has for listeners, who are told once it is committed. */
export class News {
	/** In the order of the log. */
	readonly events: DeliveryEvent[] = [];
	/** Keys of consumers of which something may have become due. */
	readonly consumers = new Set<string>();
	/** Of n8n, for which a wait has become ready. */
	readonly instances = new Set<string>();

	tell(listener: StoreListener): void {
		if (this.events.length > 0) listener.onEvents(this.events);
		for (const key of this.consumers) listener.onConsumer(key);
		for (const instance of this.instances) listener.onWakeUps(instance);
	}
}
