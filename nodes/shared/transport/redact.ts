const REDACTED = '[redacted]';

/** Anything shorter is not a secret, and would match parts of words. */
const SHORTEST = 4;

/** No answer of the service is nested this deep; everything below is redacted. */
const DEEPEST = 200;

/**
 * Removes the token from an answer, wherever it is, member names included: as it is, URL-encoded, in
 * Base64, in JSON, or with HTML entities. Otherwise a service that repeats the token in its error text
 * would put it into n8n's log and database.
 *
 * The token is all that a service gets of the credential: key and passphrase never leave n8n, and a passphrase
 * such as "1234" would match parts of ids and links.
 *
 * @param answer as parsed from JSON, or a text
 * @param token as in the credential; one that goes out is printable ASCII
 */
export function redact(answer: unknown, token: string | undefined): unknown {
	const secret = token?.trim() ?? '';
	if (secret.length < SHORTEST) return answer;
	return redacted(answer, new RegExp(formsOf(secret).join('|'), 'g'), 0);
}

function redacted(value: unknown, pattern: RegExp, depth: number): unknown {
	if (typeof value === 'string') return value.replace(pattern, REDACTED);
	if (typeof value !== 'object' || value === null) return value;
	if (depth > DEEPEST) return REDACTED;
	if (Array.isArray(value)) return value.map((entry) => redacted(entry, pattern, depth + 1));
	const members = Object.entries(value).map(([name, member]) => [
		name.replace(pattern, REDACTED),
		redacted(member, pattern, depth + 1),
	]);
	return Object.fromEntries(members);
}

function formsOf(secret: string): string[] {
	const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
	const forUrls = Buffer.from(secret).toString('base64url');
	return [[...secret].map(characterForms).join(''), `${literal(base64)}=*`, literal(forUrls)];
}

/** One character of a secret, in each way that URLs, JSON and HTML write it. */
function characterForms(character: string): string {
	if (/[A-Za-z0-9]/.test(character)) return character;
	const code = character.charCodeAt(0);
	const hex = anyCase(code.toString(16));
	const forms = [
		literal(character),
		`%${hex}`,
		literal(JSON.stringify(character).slice(1, -1)),
		`&#0*${code};`,
		`&#[xX]0*${hex};`,
		...(ENTITIES[character] ? [ENTITIES[character]] : []),
	];
	return `(?:${[...new Set(forms)].join('|')})`;
}

const ENTITIES: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&apos;',
};

function anyCase(hex: string): string {
	return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function literal(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
