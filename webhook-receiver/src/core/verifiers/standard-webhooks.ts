import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { Verifier } from '../verify.ts';
import { headerText, replayRefusal } from './read-headers.ts';

const SECRET_PREFIX = 'whsec_';
const SIGNATURE_BYTES = 32;

/**
 * Standard Webhooks, symmetric (`v1`); a request may carry several signatures. Without the
 * `standardwebhooks` library: this goes into the pack, which ships no dependencies.
 */
export function standardWebhooksVerifier(secrets: readonly string[]): Verifier {
	const keys = secrets.map((secret) =>
		createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'),
	);
	return {
		scheme: 'standard-webhooks',
		signs: () => ['webhook-id'],
		verify({ headers, body, now }) {
			const id = headerText(headers, 'webhook-id');
			const timestamp = headerText(headers, 'webhook-timestamp');
			const signatures = readSignatures(headerText(headers, 'webhook-signature'));
			if (id === '' || signatures.length === 0) return 'id or signature missing or malformed';
			const refusal = replayRefusal(timestamp, now);
			if (refusal !== null) return refusal;
			const matches = keys.flatMap((key) => {
				const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
				const digest = expected.digest();
				return signatures.map((signature) => timingSafeEqual(digest, signature));
			});
			return matches.includes(true) ? null : 'signature does not match';
		},
	};
}

function readSignatures(header: string): Buffer[] {
	return header
		.split(' ')
		.filter((one) => one.startsWith('v1,'))
		.map((one) => Buffer.from(one.slice('v1,'.length), 'base64'))
		.filter((bytes) => bytes.length === SIGNATURE_BYTES);
}
