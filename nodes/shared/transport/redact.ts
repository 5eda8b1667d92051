import type { DeliveryCredential } from '../../../credentials/authenticate';

const REDACTED = '[redacted]';

/** Anything shorter is not a secret, and would match parts of words. */
const SHORTEST = 4;

/** No answer of the service is nested this deep; everything below is redacted. */
const DEEPEST = 200;

/**
 * What a service could repeat of a credential, and must never get from a response into messages, logs or
 * execution data: the token alone. Key and passphrase never leave n8n, and a passphrase such as "1234"
 * would match parts of ids and links.
 */
export function secretsOf({ apiToken }: Partial<DeliveryCredential>): string[] {
	const text = typeof apiToken === 'string' ? apiToken : '';
	return [text, text.trim()];
}

/**
 * Removes secrets from an answer, wherever they are, member names included: as they are, URL-encoded, in
 * Base64, in JSON, or with HTML entities. Otherwise a service that repeats the token in its error text
 * would put it into n8n's log and database.
 *
 * @param secrets those of four characters and more count
 * @returns the same value when it holds none; does not look into streams and bytes
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
	const pattern = patternOf(secrets);
	return pattern === null ? value : (redacted(value, pattern, 0) as T);
}

function redacted(value: unknown, pattern: RegExp, depth: number): unknown {
	if (typeof value === 'string') return value.replace(pattern, REDACTED);
	if (!isPlain(value)) return value;
	if (depth > DEEPEST) return REDACTED;
	if (Array.isArray(value)) {
		const entries = value.map((entry) => redacted(entry, pattern, depth + 1));
		return entries.some((entry, index) => entry !== value[index]) ? entries : value;
	}
	let hasChanged = false;
	const members = Object.entries(value).map(([name, member]) => {
		const pair = [name.replace(pattern, REDACTED), redacted(member, pattern, depth + 1)] as const;
		hasChanged ||= pair[0] !== name || pair[1] !== member;
		return pair;
	});
	return hasChanged ? Object.fromEntries(members) : value;
}

function isPlain(value: unknown): value is object {
	if (typeof value !== 'object' || value === null) return false;
	return Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

// The longest first, since a shorter one may be its beginning.
function patternOf(secrets: readonly string[]): RegExp | null {
	const long = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST);
	if (long.length === 0) return null;
	const longestFirst = long.sort((a, b) => b.length - a.length);
	return new RegExp(longestFirst.flatMap(formsOf).join('|'), 'g');
}

function formsOf(secret: string): string[] {
	const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
	const forUrls = base64.replace(/\+/g, '-').replace(/\//g, '_');
	return [
		[...secret].map(characterForms).join(''),
		`${literal(base64)}=*`,
		...(forUrls === base64 ? [] : [literal(forUrls)]),
	];
}

/** One character of a secret, in each way that URLs, forms, JSON and HTML write it. */
function characterForms(character: string): string {
	if (/[A-Za-z0-9]/.test(character)) return character;
	const url = [...Buffer.from(character)].map(
		(byte) => `%${anyCase(byte.toString(16).padStart(2, '0'))}`,
	);
	const code = character.codePointAt(0) ?? 0;
	const forms = [
		literal(character),
		url.join(''),
		literal(JSON.stringify(character).slice(1, -1)),
		`&#0*${code};`,
		`&#[xX]0*${anyCase(code.toString(16))};`,
		...(character === ' ' ? ['\\+'] : []),
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
