import { randomBytes, randomInt } from 'node:crypto';

/** 12 digits, leading zeros included. */
export const newMessageId = (): string => String(randomInt(10 ** 12)).padStart(12, '0');

/** An id that says what it is of: `mail_…`. */
export const newId = (prefix: string): string =>
	`${prefix}_${randomBytes(9).toString('base64url')}`;

export const newToken = (): string => randomBytes(24).toString('base64url');
