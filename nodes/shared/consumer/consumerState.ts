import type { Batch } from '../../../webhook-receiver/src/core/pull-contract';
import { InFlight } from './inFlight';
import { Outage } from './outage';

/** Acts for a consumer: runs its batches and sends its reports. */
export interface OpenConsumer {
	readonly isOpen: boolean;
	run(batch: Batch): Promise<void>;
	report(): void;
	stop(): void;
}

/**
 * What this process knows about a consumer, across its open consumers. An edited trigger is closed and
 * reopened while its executions run: its batches stay in flight, and the consumer opened last takes
 * over.
 */
export class ConsumerState {
	readonly inFlight = new InFlight();
	/** The one opened last; it may have been closed since. */
	consumer: OpenConsumer | null = null;
	/** Failures since the receiver's last answer. */
	outage = new Outage();
	/** The receiver's time in its last answer. */
	since: string | null = null;

	/** Whether its workflow is published here. */
	get isOpen(): boolean {
		return this.consumer?.isOpen === true;
	}
}

const states = new Map<string, ConsumerState>();

export function consumerState(consumerKey: string): ConsumerState {
	const state = states.get(consumerKey) ?? new ConsumerState();
	states.set(consumerKey, state);
	return state;
}
