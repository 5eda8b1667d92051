import { createHmac, randomBytes } from 'node:crypto';
import { equalInConstantTime, sha256Hex } from '../core/fingerprint.ts';
import type { Store } from '../store/store.ts';

/** How long a login lasts. */
export const SESSION_MS = 12 * 3_600_000;

/**
 * The cookie holds its expiry and is signed with the management token that opened the session: every
 * receiver of a group accepts it, also after a restart, and it ends with that token. The store keeps
 * only sessions that were closed before they expired.
 */
export function createSessions(
	managementTokens: readonly string[],
	store: Pick<Store, 'endSession' | 'isSessionEnded'>,
) {
	const seal = (token: string, purpose: string, text: string) =>
		createHmac('sha256', token).update(`${purpose}:${text}`).digest('base64url');
	/** The token that sealed a session, if it is still valid. */
	const tokenOf = (session: string) => {
		const [until = '', id = '', given = '', ...more] = session.split('.');
		// The store knows a closed session by its whole text, so no other text may pass for it.
		if (more.length > 0) return undefined;
		return managementTokens.find((token) =>
			equalInConstantTime(given, seal(token, 'session', `${until}.${id}`)),
		);
	};
	const endOf = (session: string) => Number(session.split('.', 1)[0]);
	return {
		open(token: string, now: number): string {
			const session = `${now + SESSION_MS}.${randomBytes(16).toString('base64url')}`;
			return `${session}.${seal(token, 'session', session)}`;
		},
		async isOpen(session: string, now: number): Promise<boolean> {
			if (tokenOf(session) === undefined || now >= endOf(session)) return false;
			return !(await store.isSessionEnded(sha256Hex(session)));
		},
		/** Ends it before it expires, at all receivers. */
		close: (session: string) => store.endSession(sha256Hex(session), endOf(session)),
		/** CSRF token of the forms: only our own pages know it. */
		formToken: (session: string) => seal(tokenOf(session) ?? '', 'form', session),
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
