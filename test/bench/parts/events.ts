import { signedHeaders } from '../../support/signed-headers.ts';

/** The secret the service signs its events with. */
export const INGEST_SECRET = 'ingest-secret-of-the-benchmark';

/** Bytes per event. */
const BYTES = 1024;

const KINDS = ['aes_sent', 'aes_received', 'aes_opened'];

const run = `${process.pid}-${Date.now()}`;
let next = 0;

/**
 * Headers and body of the next events, as the service posts them: three per letter, all distinct.
 */
export function signedEvents(count = 1): { body: string; headers: Record<string, string> } {
	const events = Array.from({ length: count }, nextEvent);
	const body = JSON.stringify(count === 1 ? events[0] : events);
	return { body, headers: signedHeaders(body, INGEST_SECRET) };
}

function nextEvent() {
	const n = next++;
	const event = {
		eventId: `${run}-${n}`,
		event: KINDS[n % KINDS.length],
		messageId: String(Math.floor(n / KINDS.length)).padStart(12, '0'),
		timestamp: new Date().toISOString(),
		fileReference: `invoice-${Math.floor(n / KINDS.length)}`,
		details: '',
	};
	return { ...event, details: 'x'.repeat(BYTES - JSON.stringify(event).length) };
}
