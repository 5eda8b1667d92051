import { createHmac } from 'node:crypto';

import { BYTES } from './ingest.ts';
import { INGEST_SECRET } from './load.ts';

/** Headers and body of an event of the usual size, as the service posts it. */
export function signedEvent({ event, messageId }: { event: string; messageId: string }) {
	const body = JSON.stringify({
		...{ eventId: crypto.randomUUID(), event, messageId },
		...{ timestamp: new Date().toISOString(), details: 'x'.repeat(BYTES - 150) },
	});
	const timestamp = String(Math.floor(Date.now() / 1000));
	const hmac = createHmac('sha256', INGEST_SECRET).update(`${timestamp}.${body}`).digest('hex');
	const headers = {
		'content-type': 'application/json',
		'x-webhook-timestamp': timestamp,
		'x-webhook-signature': hmac,
	};
	return { body, headers };
}
