import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { inspect } from 'node:util';

import {
	certificateExpiry,
	certificateState,
	clientTls,
	hasClientCertificate,
	type TlsFields,
} from '../../../credentials/clientTls.ts';
import { makeCertificate } from '../../support/certificates.ts';

const day = 24 * 60 * 60 * 1000;
const now = Math.floor(Date.now() / 1000) * 1000;

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

let own: TlsFields & { clientCertificate: string; clientKey: string };
let authority: string;
beforeAll(async () => {
	const made = await makeCertificate(now - day, now + day);
	own = { clientCertificate: made.certificate, clientKey: made.key };
	authority = (await makeCertificate(now - day, now + day)).certificate;
});

const oneLine = (pem: string) => pem.replaceAll('\n', ' ');

/** The error's words; fails if there is none, or if it holds more than words. */
function refusal(fields: TlsFields): string {
	try {
		clientTls(fields);
	} catch (error) {
		expect(Object.keys(error as Error)).toEqual([]);
		expect((error as Error).cause).toBeUndefined();
		return (error as Error).message;
	}
	throw new Error('It was accepted.');
}

describe('what is presented', () => {
	it('[AUTH-04][N] nothing without a certificate: empty and blank fields are no certificate', () => {
		const blank = {
			clientCertificate: ' ',
			clientKey: '\n',
			caCertificate: '',
			passphrase: '',
		};
		expect(clientTls({})).toEqual({});
		expect(clientTls(blank)).toEqual({});
		expect(hasClientCertificate({})).toBe(false);
		expect(hasClientCertificate(blank)).toBe(false);
	});

	it('[AUTH-04][N] any part of one is a certificate: it is meant to be presented', () => {
		for (const name of ['clientCertificate', 'clientKey']) {
			expect(hasClientCertificate({ [name]: 'x' })).toBe(true);
		}
		expect(hasClientCertificate({ caCertificate: 'x', passphrase: 'x' })).toBe(false);
	});

	it('[AUTH-03][N] certificate and key, mended', () => {
		const { cert, key, ...rest } = clientTls({
			clientCertificate: oneLine(own.clientCertificate),
			clientKey: oneLine(own.clientKey),
			passphrase: '',
		});
		expect(cert?.trim()).toBe(own.clientCertificate.trim());
		expect(key).toBe(own.clientKey);
		expect(rest).toEqual({});
	});

	it.each([' secret ', '  ', 'pässword ✉'])(
		'the passphrase %j as it is, never trimmed',
		(passphrase) => {
			const clientKey = reencrypted(own.clientKey, passphrase);
			expect(clientTls({ ...own, clientKey, passphrase }).passphrase).toBe(passphrase);
			expect(refusal({ ...own, clientKey, passphrase: `${passphrase} ` })).toMatch(/Passphrase/);
		},
	);

	it('each field’s own part of the one file that openssl makes of a .p12, in either order', () => {
		const key = reencrypted(own.clientKey, 'right');
		for (const parts of [
			[own.clientCertificate, key],
			[key, own.clientCertificate],
		]) {
			const file = parts.map((part) => `Bag Attributes\n    localKeyID: 67 70\n${part}`).join('');
			const { cert = '', ...tls } = clientTls({
				clientCertificate: file,
				clientKey: oneLine(file),
				passphrase: 'right',
			});
			expect(() => createSecureContext({ cert, ...tls })).not.toThrow();
			expect(certificateExpiry({ clientCertificate: file })).toEqual(new Date(now + day));
		}
	});

	it('the authority alone, and beside a certificate', () => {
		const ca = `${authority.trim()}\n`;
		expect(clientTls({ caCertificate: oneLine(authority) })).toEqual({ ca });
		expect(clientTls({ ...own, caCertificate: authority })).toMatchObject({ ca });
	});
});

describe('what is refused, by the field it concerns', () => {
	const PFX = 'MIIEDAIBAzCCA8IGCSqGSIb3DQEHAaCCA7MEggOvMIIDqzCCAmIGCSqGSIb3DQEHBqCC';
	const FROM_P12 =
		/cannot be read.*"openssl pkcs12 -in certificate\.p12 -clcerts -out certificate\.pem".*-legacy/;
	it.each<[string, () => TlsFields, RegExp]>([
		['a certificate without key', () => ({ ...own, clientKey: ' ' }), /no Client Key/],
		[
			'a key without certificate',
			() => ({ ...own, clientCertificate: '' }),
			/no Client Certificate/,
		],
		['a PFX for the certificate', () => ({ clientCertificate: PFX }), FROM_P12],
		['a PFX for the key', () => ({ ...own, clientKey: PFX }), FROM_P12],
		['the bytes of a PFX', () => ({ clientCertificate: '0‚\u0004\f\u0002\u0001\u0003' }), FROM_P12],
		[
			'a key where the certificate belongs',
			() => ({ ...own, clientCertificate: own.clientKey }),
			/The Client Certificate cannot be read/,
		],
		[
			'a certificate where the key belongs',
			() => ({ ...own, clientKey: own.clientCertificate }),
			/The Client Key cannot be read/,
		],
		[
			'a key of another certificate',
			() => ({ ...own, clientKey: newKey().export({ format: 'pem', type: 'pkcs8' }) as string }),
			/does not match/,
		],
		[
			'an encrypted key without passphrase',
			() => ({ ...own, clientKey: reencrypted(own.clientKey, 'right') }),
			/is encrypted/,
		],
		[
			'an encrypted key with a wrong passphrase',
			() => ({ ...own, clientKey: reencrypted(own.clientKey, 'right'), passphrase: 'wrong' }),
			/Passphrase does not decrypt the Client Key/,
		],
		[
			'an authority that is none',
			() => ({ caCertificate: 'my CA' }),
			/CA Certificate cannot be read/,
		],
	])('[AUTH-03][N] %s', (_title, fields, words) => {
		expect(refusal(fields())).toMatch(words);
	});

	it('what was found in order before does not open the way to what is not', async () => {
		const other = (await makeCertificate(now - day, now + day)).key;
		const clientKey = reencrypted(own.clientKey, 'right');
		const encrypted = { ...own, clientKey, passphrase: 'right' };
		for (const good of [own, encrypted, own, encrypted]) expect(clientTls(good)).toBeTruthy();
		expect(refusal({ ...encrypted, passphrase: 'wrong' })).toMatch(/Passphrase does not decrypt/);
		for (let time = 0; time < 2; time++) {
			expect(refusal({ ...own, clientKey: other })).toMatch(/does not match/);
		}
		expect(refusal({ ...own, caCertificate: own.clientKey })).toMatch(/CA Certificate cannot be/);
	});

	it('no error quotes what was typed', () => {
		const secret = 'S3cretS3cretS3cretS3cret';
		const pem = (label: string) => `-----BEGIN ${label}-----\n${secret}\n-----END ${label}-----\n`;
		const wrong: TlsFields[] = [
			{ ...own, clientKey: pem('PRIVATE KEY') },
			{ ...own, clientKey: pem('ENCRYPTED PRIVATE KEY'), passphrase: secret },
			{ ...own, clientCertificate: pem('CERTIFICATE') },
			{ ...own, clientCertificate: secret, clientKey: secret, passphrase: secret },
			{ clientKey: secret },
			{ caCertificate: pem('CERTIFICATE') },
		];
		for (const fields of wrong) {
			const words = refusal(fields);
			expect(words).not.toContain(secret);
			expect(inspect(new Error(words), { showHidden: true, depth: 9 })).not.toContain(secret);
		}
	});
});

it('[AUTH-03][TYPE-01][N] what a certificate lets the user do, and what is told before it ends', async () => {
	const stateOf = (fields: TlsFields) => certificateState(fields, new Date(now));
	const stateWith = async (left: number) =>
		stateOf({ clientCertificate: (await makeCertificate(now - day, now + left)).certificate });
	const told = (left: number) => new Date(now + left).toISOString().slice(0, 10);
	const fine = { registeredProblem: null, hint: null };
	expect(await stateWith(30 * day + 1000)).toEqual(fine);
	expect(await stateWith(30 * day)).toEqual({
		registeredProblem: null,
		hint: `The Client Certificate of the credential expires on ${told(30 * day)}. Replace it before then, or registered letters (LRE) will fail.`,
	});
	expect((await stateWith(1000)).registeredProblem).toBeNull();
	expect(await stateWith(0)).toEqual({
		registeredProblem: `The Client Certificate of the credential expired on ${told(0)}. Registered letters (LRE) need a valid one.`,
		hint: `The Client Certificate of the credential expired on ${told(0)} and was left out. Registered letters (LRE) will fail until you replace it.`,
	});
	expect(stateOf({})).toEqual({
		registeredProblem: expect.stringMatching(
			/^Registered letters \(LRE\) need a client certificate/,
		),
		hint: null,
	});
});

function reencrypted(pem: string, passphrase: string): string {
	return createPrivateKey(pem).export({
		format: 'pem',
		type: 'pkcs8',
		cipher: 'aes-256-cbc',
		passphrase,
	}) as string;
}
