import fc from 'fast-check';

import { keyForm } from '../../../nodes/shared/sending/claims.ts';
import { lookingLike, misleadingText } from '../../support/characters.ts';

it.each([
	['Dossier Zoë', 'Dossier Zoe\u0308'],
	['Dossier Zoë', 'Dos\ufeffsier Zoë'],
	['Dossier Zoë', '\ufeffDossier\u00a0\u2003Zo\u200bë\u00ad'],
	['A-1', 'A\u20111'],
	['A-1', 'A\u20131'],
	['A-1', '\uff21\u22121'],
	['A 1', 'A\t\r\n1'],
	['ffi', '\ufb03'],
	['', '\u3164\u034f\ufe0f\u202e\u2800\u0000'],
])('%s, also as %j', (form, text) => {
	expect(keyForm(text)).toBe(form);
});

it.each([
	['A-1', 'a-1'],
	['A-1', 'A1'],
	['A 1', 'A1'],
	['Zoë', 'Zoe'],
])('%s is not %s', (one, other) => {
	expect(keyForm(one)).not.toBe(keyForm(other));
});

it('is the same whatever unseen character stands anywhere in the text', () => {
	const spellings = misleadingText({ maxLength: 8 }).chain((key) =>
		fc.tuple(fc.constant(key), lookingLike(key)),
	);
	fc.assert(
		fc.property(spellings, ([key, spelling]) => {
			expect(keyForm(spelling)).toBe(keyForm(key));
		}),
	);
});

it('a form is its own, and that of each composition of the text', () => {
	const text = fc.string({ unit: 'binary' });
	fc.assert(
		fc.property(text, (key) => {
			const form = keyForm(key);
			const others = [form, key.normalize('NFD'), key.normalize('NFC')];
			expect(others.map(keyForm)).toEqual(others.map(() => form));
		}),
	);
});
