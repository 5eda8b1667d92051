import type { DeliveryEvent } from '../core/event-contract.ts';
import type { StoreListener } from '../pull/consumer-store.ts';

/** What a transaction has to tell listeners. */
export class News {
	/** In log order. */
	readonly events: DeliveryEvent[] = [];
	/** Keys of consumers for which something may be due now. */
	readonly consumers = new Set<string>();
	/** n8n instances for which a wait has become ready. */
	readonly instances = new Set<string>();
	/** Whether an open wait has news. */
	waits = false;
	/** Whether there is something new to poll. */
	polls = false;

	/** Returns whether there was any. */
	tell(listener: StoreListener): boolean {
		if (this.events.length > 0) listener.onEvents(this.events);
		for (const key of this.consumers) listener.onConsumer(key);
		for (const instance of this.instances) listener.onWakeUps(instance);
		if (this.waits) listener.onWaits();
		if (this.polls) listener.onPolls();
		return (
			this.waits || this.polls || this.events.length + this.consumers.size + this.instances.size > 0
		);
	}
}
