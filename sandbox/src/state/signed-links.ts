import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Signs and verifies links that need no token but expire (rules READ-04, AES-05). */
export class SignedLinks {
	readonly secret: Buffer;

	/** Links stay valid across restarts with the same secret. */
	constructor(secret: Buffer = randomBytes(32)) {
		this.secret = secret;
	}

	/** Returns path and query; the origin is the listener's. */
	sign(path: string, expiresAt: number): string {
		return `${path}?expires=${expiresAt}&signature=${this.#signature(path, expiresAt)}`;
	}

	/** Whether the query of a request to `path` was signed here and has not expired. */
	isValid(path: string, query: { expires?: unknown; signature?: unknown }, now: number): boolean {
		const expiresAt = Number(query.expires);
		if (typeof query.signature !== 'string' || !(now < expiresAt)) return false;
		const expected = Buffer.from(this.#signature(path, expiresAt));
		const given = Buffer.from(query.signature);
		return expected.length === given.length && timingSafeEqual(expected, given);
	}

	#signature(path: string, expiresAt: number): string {
		return createHmac('sha256', this.secret).update(`${path}\n${expiresAt}`).digest('base64url');
	}
}

export type RepliedTo = 'consents' | 'customers' | 'messages';

const TEN_YEARS_MS = 3650 * 86_400_000;

/** Path and query of the page where a person replies; stable for as long as the thing lives. */
export const replyPath = (
	links: SignedLinks,
	about: RepliedTo,
	{ id, createdAt }: { id: string; createdAt: number },
): string => links.sign(`/${about}/${id}/reply`, createdAt + TEN_YEARS_MS);
