const REDACTED = '[redacted]';

/** Anything shorter is not a secret, and would match parts of words. */
const SHORTEST = 4;

/**
 * Removes the token from an answer, wherever it is, member names included. Otherwise a service that repeats
 * the token in its error text would put it into n8n's log and database.
 *
 * The token is all that a service gets of the credential: key and passphrase never leave n8n, and a passphrase
 * such as "1234" would match parts of ids and links.
 *
 * @param answer as parsed from JSON, or a text
 * @param token as in the credential
 */
export function redact(answer: unknown, token: string | undefined): unknown {
	const secret = token?.trim() ?? '';
	return secret.length < SHORTEST ? answer : redacted(answer, secret);
}

function redacted(value: unknown, secret: string): unknown {
	if (typeof value === 'string') return value.replaceAll(secret, REDACTED);
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((entry) => redacted(entry, secret));
	const members = Object.entries(value).map(([name, member]) => [
		name.replaceAll(secret, REDACTED),
		redacted(member, secret),
	]);
	return Object.fromEntries(members);
}
