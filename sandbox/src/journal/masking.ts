/** Replaces a secret. */
export const MASK = '***';

/** Shorter secrets are masked only where their name gives them away: their text is part of others. */
const MIN_LITERAL = 8;

const SECRET_NAME =
	'(?:[\\w-]*(?:token|secret|password|passwd|passphrase|authorization|cookie|api[-_]?key|(?:private|client|secret)[-_]?key)|key|certificate|signature)';
const IS_SECRET = new RegExp(`^${SECRET_NAME}$`, 'i');
/** A member of a JSON document, which may have been cut off. */
const JSON_MEMBER = new RegExp(`("${SECRET_NAME}"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*`, 'gi');
/** A parameter of a query or a form, in HTML too. */
const PARAMETER = new RegExp(`((?:^|[?&;])${SECRET_NAME}=)[^&#\\s"'<>]*`, 'gi');
const PEM = /(-----BEGIN(?:[A-Z0-9 +]|%20)+-----)[\s\S]*?(?:-----END(?:[A-Z0-9 +]|%20)+-----|$)/g;

/** Whether a header, field or parameter of this name holds a secret. */
export const isSecret = (name: string): boolean => IS_SECRET.test(name);

/**
 * Text without its secrets: these ones, as they are and as JSON, URLs and HTML write them; signatures
 * of links; PEM; and whatever a name such as `token` or `password` announces.
 */
export function masked(text: string, secrets: readonly string[]): string {
	return withoutLiterals(text, secrets)
		.replace(PEM, `$1${MASK}`)
		.replace(JSON_MEMBER, `$1${MASK}`)
		.replace(PARAMETER, `$1${MASK}`);
}

/** Header values by name in lower case, secrets masked. */
export const maskedHeaders = (
	headers: Record<string, number | string | readonly string[] | undefined>,
	secrets: readonly string[],
): Record<string, string> =>
	Object.fromEntries(
		Object.entries(headers)
			.filter(([, value]) => value !== undefined)
			.map(([name, value]) => {
				const text = Array.isArray(value) ? value.join(', ') : String(value);
				return [name.toLowerCase(), isSecret(name) ? MASK : masked(text, secrets)];
			}),
	);

/** The start of a text that was cut off after `secrets` may have been cut in two. */
export function maskedStart(text: string, secrets: readonly string[]): string {
	const start = masked(text, secrets);
	const longest = Math.max(4, ...secrets.flatMap(spellings).map(({ length }) => length));
	return start.slice(0, Math.max(0, start.length - longest));
}

function withoutLiterals(text: string, secrets: readonly string[]): string {
	let result = text;
	// The longest first: one secret may be part of another.
	const literals = secrets
		.filter(({ length }) => length >= MIN_LITERAL)
		.flatMap(spellings)
		.sort((a, b) => b.length - a.length);
	for (const literal of literals) result = result.replaceAll(literal, MASK);
	return result;
}

const spellings = (secret: string): string[] => [
	...new Set([
		secret,
		JSON.stringify(secret).slice(1, -1),
		encodeURIComponent(secret.toWellFormed()),
	]),
];
