import type { Headers } from '../normalise.ts';
import { readTime } from '../read-time.ts';

/** Requests signed longer ago, or further in the future, than this are rejected as replays. */
export const REPLAY_WINDOW_MS = 300_000;

export function headerText(headers: Headers, name: string): string {
	const value = headers[name];
	return typeof value === 'string' ? value.trim() : '';
}

/** Why a signing time is rejected, or null. Epoch seconds or milliseconds, with or without decimals, or ISO 8601. */
export function replayRefusal(timestamp: string, now: number): string | null {
	const age = now - Date.parse(readTime(timestamp) ?? '');
	if (Number.isNaN(age)) return 'timestamp missing or malformed';
	return Math.abs(age) > REPLAY_WINDOW_MS ? 'timestamp outside of the replay window' : null;
}
