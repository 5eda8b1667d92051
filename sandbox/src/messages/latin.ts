/**
 * The fonts built into every PDF reader cover Western letters only (WinAnsi), and a font for the
 * rest would outweigh the whole sandbox. Other scripts are therefore transliterated; a character
 * with no Latin form is shown as its code point, never dropped or garbled.
 */
export function toLatin(text: string): string {
	const composed = text.normalize('NFC').replaceAll(/(?<=[οΟ])[υύ]/g, 'u');
	return [...composed].map(latinOf).join('');
}

/** In addition to Latin-1. */
const WIN_ANSI = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');

const isWestern = (character: string): boolean =>
	/^[\n\u0020-\u007e\u00a0-\u00ff]$/.test(character) || WIN_ANSI.has(character);

function latinOf(character: string): string {
	if (isWestern(character)) return character;
	if (/^\s$/.test(character)) return ' ';
	const spelled = spelledOut(character);
	if (spelled !== undefined) return spelled;
	// Without diacritics, or as its component letters.
	const bare = character.normalize('NFKD').replaceAll(/\p{M}/gu, '');
	if (bare !== character && bare !== '') return toLatin(bare);
	const code = character.codePointAt(0) ?? 0;
	return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}

function spelledOut(character: string): string | undefined {
	const lower = character.toLowerCase();
	const spelled = LETTERS.get(lower);
	if (spelled === undefined || lower === character) return spelled;
	return spelled.charAt(0).toUpperCase() + spelled.slice(1);
}

/** Pairs of a letter and its Latin form, lower case. */
const LETTERS = new Map(
	[
		// Latin letters that do not decompose.
		'ł:l đ:d ħ:h ı:i ĸ:k ŋ:ng ŧ:t ə:e ɓ:b ɗ:d ƙ:k ſ:s',
		// Greek.
		'α:a β:v γ:g δ:d ε:e ζ:z η:i θ:th ι:i κ:k λ:l μ:m ν:n ξ:x ο:o π:p ρ:r σ:s ς:s τ:t υ:y φ:f',
		'χ:ch ψ:ps ω:o',
		// Cyrillic: Russian, Ukrainian, Belarusian, Bulgarian, Serbian, Macedonian.
		'а:a б:b в:v г:g д:d е:e ж:zh з:z и:i й:i к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh',
		'ц:ts ч:ch ш:sh щ:shch ъ: ы:y ь: э:e ю:iu я:ia ё:e є:ie і:i ї:i ґ:g ў:u ђ:dj ј:j љ:lj њ:nj',
		'ћ:c џ:dz ѓ:gj ќ:kj ѕ:dz',
	]
		.join(' ')
		.split(' ')
		.map((pair): [string, string] => [pair.charAt(0), pair.slice(2)]),
);
