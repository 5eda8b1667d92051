import { startWorker } from './worker.ts';

/** What the service signs its events with. */
export const INGEST_SECRET = 'ingest-secret-of-the-benchmark';

export interface Order {
	/** Where events go: the receiver's `POST /events`. */
	url: string;
	connections: number;
	seconds: number;
	/** Bytes of a body; design § 7 speaks of 1 KB. */
	bytes: number;
	/**
	 * Events a second, spread evenly (open loop). Without it each connection posts again as soon as it
	 * has its answer (closed loop).
	 */
	rate?: number;
}

export interface LoadResult {
	/** Answered with 200. */
	events: number;
	failed: number;
	seconds: number;
	perSecond: number;
	/** Milliseconds from request to answer; in an open loop from when the request was due. */
	p50: number;
	p99: number;
	/** Cores that the load itself took: near 1 it was the limit, not what it loads. */
	cpu: number;
}

export interface Load {
	/** Rejects when any event was refused: a figure with failures in it says nothing. */
	post(order: Order): Promise<LoadResult>;
	stop(): Promise<void>;
}

export function startLoad(): Load {
	const worker = startWorker(new URL('./load-worker.ts', import.meta.url));
	return {
		async post(order) {
			const result = await worker.ask<LoadResult>('load', order);
			if (result.failed > 0) {
				throw new Error(
					`${result.failed} of ${result.failed + result.events} events were refused.`,
				);
			}
			return result;
		},
		stop: () => worker.stop(),
	};
}
