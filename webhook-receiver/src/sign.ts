import { createHmac, createSecretKey } from 'node:crypto';
import type { DeliveryEvent } from './contract.ts';
import { sha256Hex } from './fingerprint.ts';

const SECRET_PREFIX = 'whsec_';

/**
 * Standard Webhooks headers of one delivery (design § 7, rule EVNT-04). One signature per secret,
 * so that a receiver of events can verify with either while a secret rotates.
 */
export function signatureHeaders(request: {
	id: string;
	body: string;
	secrets: readonly string[];
	now: number;
}): Record<string, string> {
	const timestamp = String(Math.floor(request.now / 1000));
	const signed = `${request.id}.${timestamp}.${request.body}`;
	const signatures = request.secrets.map((secret) => `v1,${hmacSha256(secret, signed)}`);
	return {
		'webhook-id': request.id,
		'webhook-timestamp': timestamp,
		'webhook-signature': signatures.join(' '),
	};
}

/** The event's own id, or for a batch an id that the same events always get. */
export function deliveryId(events: ReadonlyArray<Pick<DeliveryEvent, 'id'>>): string {
	const [first, ...others] = events;
	if (first !== undefined && others.length === 0) return first.id;
	return `batch_${sha256Hex(events.map((event) => event.id).join('\n')).slice(0, 32)}`;
}

function hmacSha256(secret: string, text: string): string {
	// Node 24 takes 10 µs to find out that a Buffer is not a key object.
	const key = createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64');
	return createHmac('sha256', key).update(text).digest('base64');
}
