import type { Request, Response } from 'express';
import { readCookie } from './session.ts';

const COOKIE = 'receiver_said';
const KEPT_MS = 60_000;
const LONGEST = 500;

/** Shows the result of an action on the next page. In a cookie, so that no link can set the text. */
export function say(request: Request, response: Response, words: string): void {
	response.cookie(COOKIE, words.slice(0, LONGEST), {
		...{ httpOnly: true, sameSite: 'strict', secure: request.secure, maxAge: KEPT_MS },
	});
}

/** Reads the message and removes it. */
export function takeSaid(request: Request, response: Response): string | null {
	const value = readCookie(request.headers.cookie, COOKIE);
	if (value === '') return null;
	response.clearCookie(COOKIE);
	try {
		return decodeURIComponent(value).slice(0, LONGEST);
	} catch {
		return null;
	}
}
