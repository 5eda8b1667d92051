// What the rows about the way in have in common.
import { startLoad } from './load.ts';
import type { Load, LoadResult } from './load.ts';
import type { Round } from './benchmark.ts';
import { rounds } from './rounds.ts';
import type { Comparison } from './rounds.ts';

export const CONNECTIONS = 50;
/** Consumers that want each event. */
export const CONSUMERS = 3;
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

/** Events a second of two receivers, warmed up first, then in turns. */
export async function compareIngest(
	load: Load,
	{ short, report }: Round,
	sides: Record<'ours' | 'theirs', { name: string; url: string }>,
	more: { connections?: number } = {},
): Promise<Comparison> {
	const { warmUp, seconds, count } = pace(short);
	const measured = (side: { name: string; url: string }) => async () => {
		const result = await ingestLoad(load, side, seconds, more);
		report(
			`${side.name} ${perSecond(result.perSecond)}, p99 ${result.p99.toFixed(1)} ms, the load took ${result.cpu.toFixed(2)} cores`,
		);
		return result.perSecond;
	};
	for (const side of [sides.ours, sides.theirs]) await ingestLoad(load, side, warmUp, more);
	return rounds(count, measured(sides.ours), measured(sides.theirs));
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
