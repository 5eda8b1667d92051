import { createHmac } from 'node:crypto';

/**
 * Headers of a JSON body as the service signs it: what the receiver and the Direct Trigger expect
 * unless they are told otherwise.
 *
 * @param at milliseconds since 1970
 */
export function signedHeaders(
	body: string,
	secret: string,
	at = Date.now(),
): Record<string, string> {
	const timestamp = String(Math.floor(at / 1000));
	const hmac = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
	return {
		'content-type': 'application/json',
		'x-webhook-timestamp': timestamp,
		'x-webhook-signature': `sha256=${hmac}`,
	};
}
