import { createHmac } from 'node:crypto';
import { equalInConstantTime } from '../core/fingerprint.ts';

/** How long a login lasts. */
export const SESSION_MS = 12 * 3_600_000;

/**
 * Sessions without a store: the cookie says until when, sealed with a key of the first management
 * token, so that every receiver of a group knows it, and ends with that token.
 */
export function createSessions(managementToken: string) {
	const seal = (purpose: string, text: string) =>
		createHmac('sha256', managementToken).update(`${purpose}:${text}`).digest('base64url');
	return {
		open(now: number): string {
			const until = String(now + SESSION_MS);
			return `${until}.${seal('session', until)}`;
		},
		isOpen(session: string, now: number): boolean {
			const [until = '', given = ''] = session.split('.');
			const isSealed = equalInConstantTime(given, seal('session', until));
			return isSealed && /^\d+$/.test(until) && now < Number(until);
		},
		/** What a form must bring along: only our own pages can know it. */
		formToken: (session: string) => seal('form', session),
	};
}

export type Sessions = ReturnType<typeof createSessions>;

export function readCookie(header: string | undefined, name: string): string {
	for (const pair of (header ?? '').split(';')) {
		const [key, ...value] = pair.trim().split('=');
		if (key === name) return value.join('=');
	}
	return '';
}
