import type { Request, Response } from 'express';
import { readCookie } from './session.ts';

const COOKIE = 'receiver_flash';
const KEPT_MS = 60_000;
const LONGEST = 500;

/** Shows the result of an action on the next page. In a cookie, so that no link can set the text. */
export function setFlash(request: Request, response: Response, message: string): void {
	response.cookie(COOKIE, message.slice(0, LONGEST), {
		...{ httpOnly: true, sameSite: 'strict', secure: request.secure, maxAge: KEPT_MS },
	});
}

/** Reads the message and removes it. */
export function takeFlash(request: Request, response: Response): string | null {
	const value = readCookie(request.headers.cookie, COOKIE);
	if (value === '') return null;
	response.clearCookie(COOKIE);
	try {
		return decodeURIComponent(value).slice(0, LONGEST);
	} catch {
		return null;
	}
}
