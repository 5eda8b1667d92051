import {
	createHash,
	createHmac,
	createPrivateKey,
	randomBytes,
	X509Certificate,
} from 'node:crypto';

/**
 * A PFX (PKCS #12, RFC 7292) with a certificate and its key, as `openssl pkcs12 -export` produces
 * it: the key encrypted, all of it under a MAC. Built here because the accounts' certificates are
 * new in each run and a bare machine has no openssl.
 *
 * @returns the file as Base64
 */
export function createPfx(certificate: string, key: string, passphrase: string): string {
	const certificateBag = sequence(
		oid('2a864886f70d010c0a0103'),
		explicit(
			0,
			sequence(
				oid('2a864886f70d01091601'),
				explicit(0, octets(new X509Certificate(certificate).raw)),
			),
		),
	);
	const encryptedKey = createPrivateKey(key).export({
		type: 'pkcs8',
		format: 'der',
		cipher: 'aes-256-cbc',
		passphrase,
	});
	const keyBag = sequence(oid('2a864886f70d010c0a0102'), explicit(0, encryptedKey));
	const safe = sequence(data(sequence(certificateBag)), data(sequence(keyBag)));
	return sequence(integer(3), data(safe), macOf(safe, passphrase)).toString('base64');
}

function macOf(content: Buffer, passphrase: string): Buffer {
	const salt = randomBytes(8);
	const mac = createHmac('sha256', macKey(passphrase, salt)).update(content).digest();
	const sha256 = sequence(oid('608648016503040201'), tagged(0x05, Buffer.alloc(0)));
	return sequence(sequence(sha256, octets(mac)), octets(salt), integer(MAC_ROUNDS));
}

const MAC_ROUNDS = 1;

/** RFC 7292, appendix B.2, for SHA-256 with one round: the digest supplies all the bytes needed. */
function macKey(passphrase: string, salt: Buffer): Buffer {
	const BLOCK = 64;
	const MAC_KEY_ID = 3;
	const text = Buffer.from(`${passphrase}\0`, 'utf16le').swap16();
	return createHash('sha256')
		.update(Buffer.alloc(BLOCK, MAC_KEY_ID))
		.update(repeated(salt, BLOCK))
		.update(repeated(text, BLOCK))
		.digest();
}

function repeated(bytes: Buffer, block: number): Buffer {
	return Buffer.alloc(Math.ceil(bytes.length / block) * block, bytes);
}

// DER, just enough for a PFX.
const data = (content: Buffer) => sequence(oid('2a864886f70d010701'), explicit(0, octets(content)));
const sequence = (...parts: Buffer[]) => tagged(0x30, Buffer.concat(parts));
const explicit = (number: number, content: Buffer) => tagged(0xa0 + number, content);
const octets = (content: Buffer) => tagged(0x04, content);
const oid = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));
const integer = (value: number) => tagged(0x02, Buffer.from([value]));

function tagged(tag: number, content: Buffer): Buffer {
	return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

function length(bytes: number): Buffer {
	if (bytes < 128) return Buffer.from([bytes]);
	const hex = bytes.toString(16);
	const value = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
	return Buffer.concat([Buffer.from([0x80 + value.length]), value]);
}
