import { createHmac, createSecretKey } from 'node:crypto';
import type { Verifier } from '../verify.ts';
import { headerText, replayRefusal } from './read-headers.ts';
import { SIGNATURE_BYTES, signatureRefusal } from './signatures.ts';

const SECRET_PREFIX = 'whsec_';

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
			const expected = keys.map((key) =>
				createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest(),
			);
			return signatureRefusal(signatures, expected);
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
