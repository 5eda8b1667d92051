import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Verifier } from '../verify.ts';
import { headerText, replayRefusal } from './read-headers.ts';

export interface HmacConfig {
	/** Any of them is accepted, so that secrets can be rotated. */
	secrets: readonly string[];
	/** Header names, lower case. */
	header: string;
	timestampHeader: string;
	/** The signed text, a template with `{body}` and usually `{timestamp}`. */
	template: string;
}

const SIGNATURE_BYTES = 32;

/** HMAC-SHA256 over a template of timestamp and body, compared in constant time. */
export function hmacVerifier(config: HmacConfig): Verifier {
	const usesTime = config.template.includes('{timestamp}');
	return {
		scheme: 'hmac',
		signs: () => [],
		verify({ headers, body, now }) {
			const signature = readSignature(headerText(headers, config.header));
			if (signature === null) return 'signature missing or malformed';
			const timestamp = headerText(headers, config.timestampHeader);
			const refusal = usesTime ? replayRefusal(timestamp, now) : null;
			if (refusal !== null) return refusal;
			const matches = config.secrets.map((secret) =>
				timingSafeEqual(sign(config.template, secret, timestamp, body), signature),
			);
			return matches.includes(true) ? null : 'signature does not match';
		},
	};
}

function sign(template: string, secret: string, timestamp: string, body: Buffer): Buffer {
	const hmac = createHmac('sha256', secret);
	for (const part of template.split(/(\{timestamp\}|\{body\})/)) {
		if (part === '{body}') hmac.update(body);
		else hmac.update(part === '{timestamp}' ? timestamp : part);
	}
	return hmac.digest();
}

/**
 * In hex or Base64, which differ in length; tolerates a prefix such as `sha256=`.
 */
function readSignature(text: string): Buffer | null {
	const bare = text.replace(/^[a-z0-9-]{1,16}=(?=[^=])/i, '');
	const isHex = bare.length === 2 * SIGNATURE_BYTES;
	// Hex ends at the first character that is none, and is too short then.
	const bytes = Buffer.from(bare, isHex ? 'hex' : 'base64');
	return bytes.length === SIGNATURE_BYTES ? bytes : null;
}
