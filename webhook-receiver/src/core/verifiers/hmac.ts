import { createHmac, createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Verifier } from '../verify.ts';
import { headerText, replayRefusal } from './read-headers.ts';
import { SIGNATURE_BYTES, signatureRefusal } from './signatures.ts';

export interface HmacConfig {
	/** Any of them is accepted, so that secrets can be rotated. */
	secrets: readonly string[];
	/** Header names, lower case. */
	header: string;
	timestampHeader: string;
	/** The signed text, a template with `{body}` and usually `{timestamp}`. */
	template: string;
}

const TIME_NAMES = ['t', 'ts', 'timestamp'];

/** HMAC-SHA256 over a template of timestamp and body, compared in constant time. */
export function hmacVerifier(config: HmacConfig): Verifier {
	const usesTime = config.template.includes('{timestamp}');
	const parts = config.template.split(/(\{timestamp\}|\{body\})/);
	const keys = config.secrets.map((secret) => createSecretKey(secret, 'utf8'));
	return {
		scheme: 'hmac',
		signs: () => [],
		verify({ headers, body, now }) {
			const { signatures, time } = readSignatures(headerText(headers, config.header));
			if (signatures.length === 0) return 'signature missing or malformed';
			const timestamp = time ?? headerText(headers, config.timestampHeader);
			const refusal = usesTime ? replayRefusal(timestamp, now) : null;
			if (refusal !== null) return refusal;
			const expected = keys.map((key) => sign(parts, key, timestamp, body));
			return signatureRefusal(signatures, expected);
		},
	};
}

function sign(parts: readonly string[], key: KeyObject, timestamp: string, body: Buffer): Buffer {
	const hmac = createHmac('sha256', key);
	for (const part of parts) {
		if (part === '{body}') hmac.update(body);
		else hmac.update(part === '{timestamp}' ? timestamp : part);
	}
	return hmac.digest();
}

/**
 * One or several, as while a secret is replaced: `…`, `sha256=…`, `v1=…,v1=…`, also with the time among them,
 * as in `t=1769851800,v1=…`.
 */
function readSignatures(header: string): { signatures: Buffer[]; time: string | null } {
	const parts = header.split(/[,;\s]+/).map((part) => {
		const [, name = '', value = part] = /^([a-z0-9-]{1,16})=(?=[^=])(.*)$/i.exec(part) ?? [];
		return { name: name.toLowerCase(), value };
	});
	return {
		signatures: parts.flatMap(({ value }) => readSignature(value)),
		time: parts.find(({ name }) => TIME_NAMES.includes(name))?.value ?? null,
	};
}

/** In hex or Base64, which differ in length. */
function readSignature(text: string): Buffer[] {
	const isHex = text.length === 2 * SIGNATURE_BYTES;
	// Hex ends at the first character that is none, and is too short then.
	const bytes = Buffer.from(text, isHex ? 'hex' : 'base64');
	return bytes.length === SIGNATURE_BYTES ? [bytes] : [];
}
