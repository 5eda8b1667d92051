import { z } from 'zod/v4';

/** Text for people, in which what PostgreSQL can't store (NUL, lone surrogates) may be replaced. */
export const storableText = (most: number) =>
	z
		.string()
		.max(most)
		.transform((text) => text.replace(/[\0\p{Surrogate}]/gu, '\ufffd'));
