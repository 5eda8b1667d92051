import fc from 'fast-check';

import {
	SEEN,
	showUnseen,
	unseenIn,
	withoutUnseen,
} from '../../../webhook-receiver/src/core/unseen.ts';
import { CHARACTERS, characterOf, misleadingText } from '../../support/characters.ts';

it.each([
	...CHARACTERS.invisible,
	...CHARACTERS.bidirectional,
	...CHARACTERS.control,
	...CHARACTERS.blank,
	...CHARACTERS.surrogate,
])('nobody sees %j', (character) => {
	expect(SEEN.test(character)).toBe(false);
	expect(SEEN.test(` ${character}${character}\n`)).toBe(false);
	expect(SEEN.test(`${character}a`)).toBe(true);
});

it.each([
	...CHARACTERS.combining,
	...CHARACTERS.composed,
	...CHARACTERS.fullWidth,
	...CHARACTERS.alike,
	...CHARACTERS.astral,
	...CHARACTERS.syntax,
	...CHARACTERS.plain,
	// An Arabic number sign formats what follows, and is seen.
	'\u0600',
])('a reader sees %j', (character) => {
	expect(SEEN.test(character)).toBe(true);
});

it('shows which it is, where it is', () => {
	expect(showUnseen('ada\u200b@x.example\x7f')).toBe('ada[U+200B]@x.example[U+007F]');
	expect(showUnseen('\u{e0061}\ud800')).toBe('[U+E0061][U+D800]');
	expect(showUnseen('two\n\tlines\r\n')).toBe('two\n\tlines\r\n');
	expect(unseenIn('a\u200bb\u200bc\u00ad')).toEqual(['U+200B', 'U+00AD']);
});

it('no text that is shown hides anything, and showing it again changes nothing', () => {
	fc.assert(
		fc.property(misleadingText({ maxLength: 30 }), (text) => {
			const shown = showUnseen(text);
			expect(showUnseen(shown)).toBe(shown);
			expect(unseenIn(shown.replaceAll(/[\t\n\r]/g, ''))).toEqual([]);
		}),
	);
});

it('what is seen stays, in its order', () => {
	fc.assert(
		fc.property(fc.array(characterOf('plain', 'combining', 'composed', 'fullWidth')), (seen) => {
			const hidden = seen.map((one) => `\u200b${one}\u2060`).join('');
			expect(withoutUnseen(hidden)).toBe(seen.join(''));
		}),
	);
});
