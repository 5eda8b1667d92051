const ISO_TIME =
	/^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Below this a number is seconds, above it milliseconds (the year 5138 in seconds). */
const FIRST_MILLISECONDS = 1e11;

const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

/**
 * Converts ISO text, epoch seconds or epoch milliseconds to ISO 8601 UTC; null for anything else
 * (rule EVNT-03). Text without an offset counts as UTC, the service's own zone.
 */
export function readTime(value: unknown): string | null {
	const time = typeof value === 'number' ? fromEpoch(value) : fromText(value);
	// Also false for NaN. An event can't have a time outside this century.
	return time >= EARLIEST && time < LATEST ? new Date(time).toISOString() : null;
}

/** A date without a time of day orders nothing within its day. */
export function isDayOnly(time: string): boolean {
	return time.endsWith('T00:00:00.000Z');
}

function fromEpoch(epoch: number): number {
	return Math.round(epoch < FIRST_MILLISECONDS ? epoch * 1000 : epoch);
}

function fromText(value: unknown): number {
	if (typeof value !== 'string') return NaN;
	const text = value.trim();
	if (/^\d{9,14}(\.\d+)?$/.test(text)) return fromEpoch(Number(text));
	const [, date, clock, zone] = ISO_TIME.exec(text) ?? [];
	if (date === undefined) return NaN;
	// Node also parses an offset without a colon, and a lower-case z.
	return Date.parse(`${date}T${clock ?? '00:00'}${zone ?? 'Z'}`);
}
