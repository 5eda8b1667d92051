import { startWorker } from './worker.ts';

/** Who pulls, and how. */
export interface Drain {
	/** Receivers, which the consumers take in turns. */
	urls: string[];
	token: string;
	consumers: number;
	/** Events in a batch, and batches at once. */
	batchSize: number;
	atOnce: number;
	/** Until each consumer has had so many events. */
	events: number;
	/** Events that come before the clock starts, of all consumers together. */
	warmUp: number;
}

export interface Drained {
	events: number;
	/** From the end of the warm-up. */
	milliseconds: number;
}

/** Consumers in a process of their own: they acknowledge at once what they get. */
export interface Puller {
	drain(order: Drain): Promise<Drained>;
	/** Holds so many pulls at a receiver, until the process stops. */
	hold(order: { url: string; token: string; pulls: number }): Promise<void>;
	stop(): Promise<void>;
}

export function startPuller(): Puller {
	const worker = startWorker(new URL('./puller-worker.ts', import.meta.url));
	return {
		drain: (order) => worker.ask('drain', order),
		hold: (order) => worker.ask('hold', order),
		stop: () => worker.stop(),
	};
}
