import fc from 'fast-check';

import { addressKey } from '../../../webhook-receiver/src/core/address.ts';
import { misleadingText } from '../../support/characters.ts';

const SPELLINGS = [
	['ada@x.example', 'ADA@X.Example', ' ada@x.example '],
	['zoë@müller.example', 'zoe\u0308@mu\u0308ller.example', 'ZOË@xn--mller-kva.example'],
	['ada@straße.example', 'ada@xn--strae-oqa.example'],
	['ada@b\u00fccher\u3002example', 'ada@xn--bcher-kva.example'],
	['"a@b"@x.example', '"A@b"@x.example'],
];

it.each(SPELLINGS)('%s is one address, however it is spelled', (...spellings) => {
	expect(new Set(spellings.map((one) => addressKey(one.trim()))).size).toBe(1);
});

it('two addresses are two', () => {
	const all = SPELLINGS.flatMap((spellings) => spellings.slice(0, 1));
	expect(new Set(all.map(addressKey)).size).toBe(all.length);
	expect(addressKey('zoe@x.example')).not.toBe(addressKey('zoë@x.example'));
	expect(addressKey('a@1.example')).not.toBe(addressKey('a@2.example'));
});

it.each(['', '@', 'ada', 'a@b/c', 'a@[::1]', 'a@é:80', 'a@é%41', 'a@xn--'])(
	'%j, which is no address, is but its own',
	(text) => {
		expect(addressKey(text)).toBe(text.toLowerCase());
	},
);

it('the key of a key is itself, whatever the form of its characters', () => {
	const part = misleadingText({ maxLength: 4 });
	fc.assert(
		fc.property(part, part, (local, domain) => {
			const email = `${local}@${domain}.example`;
			const key = addressKey(email);
			expect(addressKey(key)).toBe(key);
			expect(addressKey(email.normalize('NFD'))).toBe(key);
			expect(addressKey(email.normalize('NFC'))).toBe(key);
		}),
		{ numRuns: 1000 },
	);
});
