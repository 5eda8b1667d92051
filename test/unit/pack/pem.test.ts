import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';

import { mendPem } from '../../../credentials/pem.ts';
import { makeCertificate } from '../../support/certificates.ts';

const passphrase = ' the passphrase ';
const day = 24 * 60 * 60 * 1000;

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** Every way a private key is written as PEM; those with a cipher open with the passphrase. */
const keys: Record<string, string> = {
	'PKCS#8': ec.export({ format: 'pem', type: 'pkcs8' }) as string,
	'SEC1, as from openssl ecparam': ec.export({ format: 'pem', type: 'sec1' }) as string,
	'PKCS#1, as from openssl genrsa': rsa.export({ format: 'pem', type: 'pkcs1' }) as string,
	'PKCS#8, encrypted': encrypted('pkcs8', 'aes-256-cbc'),
	'SEC1, encrypted with AES': encrypted('sec1', 'aes-256-cbc'),
	'SEC1, encrypted with DES': encrypted('sec1', 'des-ede3-cbc'),
	'PKCS#1, encrypted with AES': rsa.export({
		format: 'pem',
		type: 'pkcs1',
		cipher: 'aes-128-cbc',
		passphrase,
	}) as string,
};

function encrypted(type: 'pkcs8' | 'sec1', cipher: string): string {
	return ec.export({ format: 'pem', type, cipher, passphrase }) as string;
}

/** What input fields, environment variables and mails do to line breaks. */
const losses: Record<string, (pem: string) => string> = {
	'with nothing lost': (pem) => pem,
	'with breaks that became spaces': (pem) => pem.replaceAll('\n', ' '),
	'with breaks that became nothing': (pem) => pem.replaceAll('\n', ''),
	'with breaks that became tabs': (pem) => pem.replaceAll('\n', '\t'),
	'with breaks that became no-break spaces': (pem) => pem.replaceAll('\n', '\u00a0'),
	'with a literal \\n for each break': (pem) => pem.replaceAll('\n', '\\n'),
	'with a literal \\r\\n for each break': (pem) => pem.replaceAll('\n', '\\r\\n'),
	'with a literal \\\\n for each break, escaped twice': (pem) => pem.replaceAll('\n', '\\\\n'),
	'with a literal \\\\r\\\\n for each break': (pem) => pem.replaceAll('\n', '\\\\r\\\\n'),
	'with the breaks of Windows': (pem) => pem.replaceAll('\n', '\r\n'),
	'with the breaks of an old Mac': (pem) => pem.replaceAll('\n', '\r'),
	'with shorter lines': (pem) =>
		pem.replace(/^[^-:]{30,}$/gm, (line) => line.replace(/.{30}/g, '$&\n')),
	'with empty lines between': (pem) => pem.replaceAll('\n', '\n\n'),
	indented: (pem) => pem.replace(/^/gm, '    '),
	'in quotes': (pem) => JSON.stringify(pem),
	'with a byte order mark': (pem) => `\ufeff${pem}`,
	'with the words openssl writes around it': (pem) =>
		`Bag Attributes\n    friendlyName: me\nKey Attributes: <No Attributes>\n${pem}\nend\n`,
};

const fingerprint = (pem: string) =>
	createPrivateKey({ key: pem, passphrase }).export({ format: 'der', type: 'pkcs8' });

describe.each(Object.entries(keys))('a key as %s', (_form, pem) => {
	it.each(Object.entries(losses))('%s loads as the same key', (_title, lose) => {
		expect(fingerprint(mendPem(lose(pem)))).toEqual(fingerprint(pem));
	});

	it('stays as it is when it is fine', () => {
		expect(mendPem(pem)).toBe(pem);
	});
});

it('mends each of several blocks: a certificate with its chain', async () => {
	const now = Date.now();
	const [own, authority] = await Promise.all([
		makeCertificate(now, now + day),
		makeCertificate(now, now + 2 * day),
	]);
	const chain = [own, authority].map(({ certificate }) => `${certificate.trim()}\n`);
	for (const lose of Object.values(losses)) {
		expect(mendPem(lose(chain.join('')))).toBe(chain.join(''));
	}
});

it.each(['', '   '])('mends an encrypted key whose headers have %j after the colon', (blank) => {
	const pem = keys['SEC1, encrypted with AES'].replace(/(Proc-Type|DEK-Info): /g, `$1:${blank}`);
	for (const lose of Object.values(losses)) {
		expect(fingerprint(mendPem(lose(pem)))).toEqual(fingerprint(pem));
	}
});

it.each(['', '   ', 'not a PEM', '-----BEGIN CERTIFICATE-----', 'MIIB', '-----END X-----'])(
	'leaves %j, which has no block, as it is',
	(text) => {
		expect(mendPem(text)).toBe(text.trim());
	},
);

it('never throws, and mending twice changes nothing more', () => {
	const piece = fc.oneof(
		fc.constantFrom('-----BEGIN A-----', '-----END A-----', 'Proc-Type: 4,ENCRYPTED', '\\n', '\n'),
		fc.string(),
	);
	fc.assert(
		fc.property(fc.array(piece), (pieces) => {
			const mended = mendPem(pieces.join(''));
			expect(mendPem(mended)).toBe(mended);
		}),
	);
});
