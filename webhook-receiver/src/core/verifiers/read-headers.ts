import type { Headers } from '../normalise.ts';

/** Requests signed longer ago, or further in the future, than this are rejected as replays. */
export const REPLAY_WINDOW_MS = 300_000;

export function headerText(headers: Headers, name: string): string {
	const value = headers[name];
	return typeof value === 'string' ? value.trim() : '';
}

/** Why a signing time is rejected, or null. Epoch seconds, or milliseconds with 13 digits. */
export function replayRefusal(timestamp: string, now: number): string | null {
	const age = now - readTimestamp(timestamp);
	if (Number.isNaN(age)) return 'timestamp missing or malformed';
	return Math.abs(age) > REPLAY_WINDOW_MS ? 'timestamp outside of the replay window' : null;
}

function readTimestamp(text: string): number {
	if (!/^\d{9,13}$/.test(text)) return NaN;
	return text.length === 13 ? Number(text) : Number(text) * 1000;
}
