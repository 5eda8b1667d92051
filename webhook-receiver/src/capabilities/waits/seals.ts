import { createHash, hkdfSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';

/** Binds the key to its purpose: the same text gives a different key elsewhere. */
const PURPOSE = 'registered-delivery-receiver: secrets in the store';

/**
 * Encrypts the secrets in the store, so that a copy of it grants no access: JWE (RFC 7516) with
 * AES-256-GCM and a separate key.
 */
export class Seals {
	/** Prefix of everything encrypted with the current key. */
	readonly prefix: string;
	private readonly header: { alg: 'dir'; enc: 'A256GCM'; kid: string };
	private readonly current: Uint8Array;
	private readonly keys: ReadonlyMap<string, Uint8Array>;

	/** @param texts the first one encrypts, all decrypt; each as hard to guess as a key */
	constructor(texts: readonly [string, ...string[]]) {
		this.current = toKey(texts[0]);
		this.keys = new Map(texts.map(toKey).map((key) => [idOf(key), key]));
		this.header = { alg: 'dir', enc: 'A256GCM', kid: idOf(this.current) };
		this.prefix = `${Buffer.from(JSON.stringify(this.header)).toString('base64url')}.`;
	}

	/** Returns printable text, different each time. */
	seal(value: object): Promise<string> {
		return new CompactEncrypt(Buffer.from(JSON.stringify(value)))
			.setProtectedHeader(this.header)
			.encrypt(this.current);
	}

	/** Null if no key matches or the text was changed. */
	async open(sealed: string): Promise<unknown> {
		try {
			// Also throws without a key of that id.
			const { plaintext } = await compactDecrypt(
				sealed,
				({ kid }) => this.keys.get(String(kid)) as Uint8Array,
				{ keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
			);
			return JSON.parse(Buffer.from(plaintext).toString());
		} catch {
			return null;
		}
	}
}

function toKey(text: string): Uint8Array {
	return new Uint8Array(hkdfSync('sha256', text, '', PURPOSE, 32));
}

/** Identifies a key without revealing it. */
function idOf(key: Uint8Array): string {
	return createHash('sha256').update(key).digest('hex').slice(0, 8);
}
