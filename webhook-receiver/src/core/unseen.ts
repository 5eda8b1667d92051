/**
 * Characters that leave no mark where they stand: controls, what only formats or joins its neighbours,
 * fillers, the blank of Braille, and half a surrogate pair. White space is none of them, but for
 * controls such as the tab. For a class of a pattern.
 */
export const UNSEEN_CLASS = String.raw`\p{Cc}\p{Surrogate}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb`;

const UNSEEN = new RegExp(`[${UNSEEN_CLASS}]`, 'gu');

/** A character that a reader sees; white space is none. */
export const SEEN = new RegExp(`[^\\s${UNSEEN_CLASS}]`, 'u');

/** The text without the characters that nobody sees. */
export function withoutUnseen(text: string): string {
	return text.replace(UNSEEN, '');
}

/** The text for a message, with what nobody sees as its code point: `ada[U+200B]`; line breaks and tabs stay. */
export function showUnseen(text: string): string {
	return text.replace(UNSEEN, (one) => (/[\t\n\r]/.test(one) ? one : `[${codePoint(one)}]`));
}

/** The characters of a text that nobody sees, such as `U+200B`, each once. */
export function unseenIn(text: string): string[] {
	return [...new Set(text.match(UNSEEN))].map(codePoint);
}

function codePoint(character: string): string {
	const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
	return `U+${hex.padStart(4, '0')}`;
}
