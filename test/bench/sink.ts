import { setTimeout as sleep } from 'node:timers/promises';
import { startWorker } from './worker.ts';

export interface Arrivals {
	requests: number;
	/** Events in them; an event that is cut in two by a packet may be missed. */
	events: number;
	bytes: number;
	/** From the first request that counts to the last. */
	milliseconds: number;
}

/** A target that answers 200 to everything at once. */
export interface Sink {
	url: string;
	arrivals(): Promise<Arrivals>;
	/** Begins anew; so many requests come before the one from which time is taken. */
	reset(unmeasured?: number): Promise<void>;
	/** Waits for that many requests; rejects when none comes any more. */
	until(requests: number): Promise<Arrivals>;
	stop(): Promise<void>;
}

const LOOK_MS = 20;
const PATIENCE_MS = 30_000;

export async function startSink(): Promise<Sink> {
	const worker = startWorker(new URL('./sink-worker.ts', import.meta.url));
	const arrivals = () => worker.ask<Arrivals>('arrivals');
	return {
		url: await worker.ask<string>('listen'),
		arrivals,
		reset: (unmeasured = 0) => worker.ask('reset', unmeasured),
		async until(requests) {
			let [seen, since] = [-1, performance.now()];
			for (;;) {
				const now = await arrivals();
				if (now.requests >= requests) return now;
				if (now.requests !== seen) [seen, since] = [now.requests, performance.now()];
				if (performance.now() - since > PATIENCE_MS) {
					throw new Error(`Only ${seen} of ${requests} requests arrived at the sink.`);
				}
				await sleep(LOOK_MS);
			}
		},
		stop: () => worker.stop(),
	};
}
