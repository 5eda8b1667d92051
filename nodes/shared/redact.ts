import type { DeliveryCredential } from '../../credentials/authenticate';

const REDACTED = '[redacted]';

/** Shorter ones are no secrets, and would turn up in words. */
const SHORTEST = 4;

/** No answer of the service is nested like this; what is goes whole. */
const DEEPEST = 200;

/** What an answer of the service must never bring back into messages, logs or the data of an execution. */
export function secretsOf(credential: Partial<DeliveryCredential>): string[] {
	const { apiToken, passphrase, clientKey, pfx } = credential;
	return [apiToken, passphrase, clientKey, pfx].flatMap((secret) => {
		const text = typeof secret === 'string' ? secret : '';
		return [text, text.trim()];
	});
}

/**
 * Takes secrets out of an answer, wherever in it they stand, member names included: as they are,
 * URL-encoded, in Base64, or with HTML entities. A service that repeats the token in its error text
 * would otherwise put it into n8n's log and database.
 *
 * @param secrets those of four characters and more count
 * @returns the same value when it holds none; streams and bytes are not looked into
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
	const pattern = patternOf(secrets);
	return pattern === null ? value : (cleaned(value, pattern, 0) as T);
}

function cleaned(value: unknown, pattern: RegExp, depth: number): unknown {
	if (typeof value === 'string') return value.replace(pattern, REDACTED);
	if (!isPlain(value)) return value;
	if (depth > DEEPEST) return REDACTED;
	if (Array.isArray(value)) {
		const entries = value.map((entry) => cleaned(entry, pattern, depth + 1));
		return entries.some((entry, index) => entry !== value[index]) ? entries : value;
	}
	let hasChanged = false;
	const members = Object.entries(value).map(([name, member]) => {
		const pair = [name.replace(pattern, REDACTED), cleaned(member, pattern, depth + 1)] as const;
		hasChanged ||= pair[0] !== name || pair[1] !== member;
		return pair;
	});
	return hasChanged ? Object.fromEntries(members) : value;
}

function isPlain(value: unknown): value is object {
	if (typeof value !== 'object' || value === null) return false;
	return Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

// The longest form first, since a shorter one may be its beginning.
function patternOf(secrets: readonly string[]): RegExp | null {
	const forms = new Set(
		secrets.filter((secret) => secret.length >= SHORTEST).flatMap((secret) => formsOf(secret)),
	);
	if (forms.size === 0) return null;
	const longestFirst = [...forms].sort((a, b) => b.length - a.length);
	return new RegExp(longestFirst.map(escaped).join('|'), 'g');
}

function formsOf(secret: string): string[] {
	const base64 = Buffer.from(secret).toString('base64');
	const unpadded = base64.replace(/=+$/, '');
	// By way of bytes, since a lone half of a surrogate pair cannot be URL-encoded.
	const url = encodeURIComponent(Buffer.from(secret).toString());
	const inForm = url.replace(/%20/g, '+').replace(/[!'()*~]/g, percent);
	return [
		secret,
		...[url, inForm, url.replace(/%20/g, '+'), url.replace(/[!'()*]/g, percent)],
		...[url, inForm].map((text) => text.replace(/%../g, (code) => code.toLowerCase())),
		...[base64, unpadded, unpadded.replace(/\+/g, '-').replace(/\//g, '_')],
		...ENTITIES.map((names) => secret.replace(/[&<>"']/g, (sign) => names[sign])),
		JSON.stringify(secret).slice(1, -1),
	];
}

function percent(sign: string): string {
	return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

// The ways in which languages and template engines escape.
const NAMED = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const ENTITIES: Array<Record<string, string>> = [
	{ ...NAMED, '"': '&quot;', "'": '&#39;' },
	{ ...NAMED, '"': '&quot;', "'": '&#039;' },
	{ ...NAMED, '"': '&quot;', "'": '&#x27;' },
	{ ...NAMED, '"': '&quot;', "'": '&apos;' },
	{ ...NAMED, '"': '&#34;', "'": '&#39;' },
	{ ...NAMED, '"': '"', "'": "'" },
	{ '&': '&#38;', '<': '&#60;', '>': '&#62;', '"': '&#34;', "'": '&#39;' },
];

function escaped(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
