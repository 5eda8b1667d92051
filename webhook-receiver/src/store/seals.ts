import { createHash, hkdfSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';

/** What the key is for, so that the same text would make another key elsewhere. */
const PURPOSE = 'registered-delivery-receiver: secrets in the store';

/**
 * Encrypts the secrets that the store keeps, so that a copy of it lets nobody in: JWE (RFC 7516) with
 * AES-256-GCM, a key of its own for nothing else.
 */
export class Seals {
	/** What everything sealed with the current key begins with. */
	readonly prefix: string;
	private readonly header: { alg: 'dir'; enc: 'A256GCM'; kid: string };
	private readonly current: Uint8Array;
	private readonly keys: ReadonlyMap<string, Uint8Array>;

	/** @param texts the first one seals, all of them open; each as hard to guess as a key */
	constructor(texts: readonly [string, ...string[]]) {
		this.current = toKey(texts[0]);
		this.keys = new Map(texts.map(toKey).map((key) => [idOf(key), key]));
		this.header = { alg: 'dir', enc: 'A256GCM', kid: idOf(this.current) };
		this.prefix = `${Buffer.from(JSON.stringify(this.header)).toString('base64url')}.`;
	}

	/** Printable text, another each time. */
	seal(value: object): Promise<string> {
		return new CompactEncrypt(Buffer.from(JSON.stringify(value)))
			.setProtectedHeader(this.header)
			.encrypt(this.current);
	}

	/** Null if none of the keys sealed it, or it was changed since. */
	async open(sealed: string): Promise<unknown> {
		try {
			// Without a key of that name it throws as well.
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

/** Tells keys apart, and nothing about them. */
function idOf(key: Uint8Array): string {
	return createHash('sha256').update(key).digest('hex').slice(0, 8);
}
