/**
 * Characters that leave no mark where they stand: controls, format characters and fillers, the blank of
 * Braille, and half a surrogate pair.
 */
const UNSEEN = /[\p{Cc}\p{Surrogate}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/gu;

export const withoutUnseen = (text: string): string => text.replaceAll(UNSEEN, '');

/** Whether a reader sees nothing of it. */
export const showsNothing = (text: string): boolean => withoutUnseen(text).trim() === '';
