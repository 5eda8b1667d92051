import fc from 'fast-check';

import { keyForm } from '../../../nodes/shared/sending/claims.ts';

it.each([
	['Dossier Zoë', 'Dossier Zoe\u0308'],
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

it('a form is its own, and that of each composition of the text', () => {
	const text = fc.string({ unit: 'binary' });
	fc.assert(
		fc.property(text, (key) => {
			const form = keyForm(key);
			const others = [form, key.normalize('NFD'), key.normalize('NFC'), `\u200b${key}\u2060`];
			expect(others.map(keyForm)).toEqual(others.map(() => form));
		}),
	);
});
