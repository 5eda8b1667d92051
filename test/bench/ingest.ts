// What the rows about the way in have in common.
import { startLoad } from './load.ts';
import type { Load, LoadResult } from './load.ts';

export const CONNECTIONS = 50;
/** Subscriptions that want each event. */
export const DELIVERIES = 3;
/** Bytes of an event's body. */
export const BYTES = 1024;

/** The load that design § 7 speaks of: 50 connections, 1 KB. */
export async function ingestLoad(
	load: Load,
	receiver: { url: string },
	seconds: number,
	more: { connections?: number; rate?: number } = {},
): Promise<LoadResult> {
	const url = `${receiver.url}/events`;
	return load.post({ url, connections: CONNECTIONS, bytes: BYTES, seconds, ...more });
}

/** Seconds of warming up and of each measurement, and how many rounds. */
export function pace(short: boolean): { warmUp: number; seconds: number; count: number } {
	return short ? { warmUp: 0.3, seconds: 0.5, count: 1 } : { warmUp: 3, seconds: 4, count: 5 };
}

interface Stoppable {
	stop(): Promise<void>;
}

/** Runs `work` with a load and whatever it starts, and ends all of that, last started first. */
export async function withLoad<T>(
	work: (load: Load, started: <S extends Stoppable>(one: S) => S) => Promise<T>,
): Promise<T> {
	const all: Stoppable[] = [];
	const started = <S extends Stoppable>(one: S): S => {
		all.push(one);
		return one;
	};
	try {
		return await work(started(startLoad()), started);
	} finally {
		for (const one of all.reverse()) await one.stop();
	}
}

/** For a report: `9,300/s`. */
export function perSecond(value: number): string {
	return `${Math.round(value).toLocaleString('en')}/s`;
}
