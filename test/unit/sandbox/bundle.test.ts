// A client certificate made elsewhere, as people have it: with its chain and key, in any shape of PEM.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import fc from 'fast-check';

import {
	createAuthority,
	issueClientCertificate,
} from '../../../sandbox/src/accounts/authority.ts';
import { readBundle } from '../../../sandbox/src/accounts/bundle.ts';
import type { Credentials } from '../../../sandbox/src/state/model.ts';

const NOW = Date.UTC(2026, 10, 23);

let authority: Credentials;
let own: Credentials;
let other: Credentials;
beforeAll(async () => {
	authority = await createAuthority(NOW);
	own = await issueClientCertificate(authority, 'own', NOW);
	other = await issueClientCertificate(authority, 'other', NOW);
});

it('is the same with its chain and key in any order, repeated, in CRLF, and with text around', () => {
	const either = fc.boolean();
	const shape = fc.record({
		withChain: either,
		withKey: either,
		isRepeated: either,
		isCrlf: either,
		hasText: either,
		order: fc.nat(),
	});
	fc.assert(
		fc.property(shape, (given) => {
			const parts = [
				own.certificate,
				...(given.withChain ? [authority.certificate] : []),
				...(given.withKey ? [own.key] : []),
				...(given.isRepeated ? [own.certificate] : []),
			].map((part) => (given.hasText ? `Bag Attributes\n  friendlyName: own\n${part}` : part));
			const turned = given.order % parts.length;
			const joined = [...parts.slice(turned), ...parts.slice(0, turned)].join('\n');
			const read = readBundle(given.isCrlf ? joined.replaceAll('\n', '\r\n') : joined, NOW);
			const leaf = new X509Certificate(own.certificate);
			expect(read.fingerprint).toBe(leaf.fingerprint256);
			expect(new X509Certificate(read.certificate).fingerprint256).toBe(leaf.fingerprint256);
			expect(read.certificate.match(/BEGIN CERTIFICATE/g)).toHaveLength(given.withChain ? 2 : 1);
			expect(read.key === null).toBe(!given.withKey);
			if (read.key !== null) expect(leaf.checkPrivateKey(createPrivateKey(read.key))).toBe(true);
		}),
	);
});

it.each<[string, () => string, RegExp]>([
	['nothing', () => '', /no PEM certificate/],
	[
		'its bytes, not PEM',
		() => new X509Certificate(own.certificate).raw.toString('latin1'),
		/no PEM/,
	],
	['the key alone', () => own.key, /no PEM certificate/],
	['one that is cut off', () => own.certificate.replace(/\n.{20}/, '\n'), /cannot be read/],
	['two of different owners', () => own.certificate + other.certificate, /one at a time/],
	['the key of another', () => own.certificate + other.key, /of another certificate/],
	['a damaged key', () => own.certificate + own.key.replace(/\n.{20}/, '\n'), /cannot be read/],
	[
		'a key with a passphrase',
		() =>
			own.certificate +
			createPrivateKey(own.key).export({
				type: 'pkcs8',
				format: 'pem',
				cipher: 'aes-256-cbc',
				passphrase: 'secret',
			}),
		/remove its passphrase/,
	],
])('says what is wrong with %s', (_, pem, words) => {
	expect(() => readBundle(pem(), NOW)).toThrow(words);
});

it('says that it has expired', () => {
	expect(() => readBundle(own.certificate, NOW + 1000 * 86_400_000)).toThrow(/has expired/);
});
