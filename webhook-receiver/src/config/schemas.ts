import { isIP } from 'node:net';
import { z } from 'zod/v4';

// Schemas of the values operators write. No message quotes a value, since it may be a secret.

/** Characters of a key to the secrets in the store: fewer could be guessed. */
export const SHORTEST_KEY = 32;

const UNIT_MS: Record<string, number> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 };
const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

/** An `Error` in place of the text says why its file can't be read. */
export const text = z.string({
	error: ({ input }) => (input instanceof Error ? input.message : 'is required'),
});
export const header = text.regex(/^[A-Za-z0-9-]+$/, 'is not a header name').toLowerCase();

/** In milliseconds. */
export const duration = text
	.regex(DURATION, {
		error: 'is not a duration such as 500ms, 30s, 10m, 12h or 30d',
		abort: true,
	})
	.transform(toMs);

export function durationOfAtLeast(least: string) {
	return duration.refine((value) => value >= toMs(least), `is shorter than ${least}`);
}

export function durationOfAtMost(most: string) {
	return duration.refine((value) => value <= toMs(most), `is longer than ${most}`);
}

/** Comma-separated; empty when unset. */
const list = text.prefault('').transform((value) =>
	value
		.split(',')
		.map((entry) => entry.trim())
		.filter((entry) => entry !== ''),
);

/** Several secrets; none when unset. A comma is part of one, as any character is. */
export const secrets = z.array(z.string(), { error: ({ input }) => (input as Error).message });

export function secretsOfAtLeast(length: number) {
	return eachOf(secrets, (one) => one.length >= length, `under ${length} characters`);
}

/** Express refuses a network of all addresses; with it, anyone could pass for a proxy. */
export const proxies = eachOf(
	eachOf(list, isNetwork, 'that is not an address or a network such as 10.0.0.0/8'),
	(one) => !/\/0+$/.test(one),
	'that is a network of all addresses',
);

/** Ages with the pause between polls from there on: `0s:1m,1d:1h`. */
export const paces = eachOf(
	list.transform((all) => all.map((one) => one.split(':'))),
	(pair) => pair.length === 2 && pair.every((one) => DURATION.test(one)),
	'that is not age:delay such as 1d:1h',
)
	.transform((all) => all.map(([age = '', delay = '']) => ({ age: toMs(age), delay: toMs(delay) })))
	.refine((all) => all[0]?.age === 0 && all.every(({ age }, n) => age > (all[n - 1]?.age ?? -1)), {
		error: 'does not begin with age 0s and go on by rising age',
		abort: true,
	})
	.refine((all) => all.every(({ delay }) => delay >= 1_000), 'has a delay under 1s');

/** Numbers, each within a time: `500/1d,5000/30d`. */
export const limits = eachOf(
	list.transform((all) => all.map((one) => [one, ...one.split('/')])),
	([, most = '', within = '', ...rest]) =>
		rest.length === 0 && /^[1-9]\d{0,8}$/.test(most) && DURATION.test(within) && toMs(within) > 0,
	'that is not number/duration such as 500/1d',
).transform((all) =>
	all.map(([text = '', most = '', within = '']) => ({
		text,
		most: Number(most),
		withinMs: toMs(within),
	})),
);

/** Plain HTTP would let anyone on the way read or change the traffic. */
export const httpsUrl = text.refine((value) => {
	if (!URL.canParse(value)) return false;
	const { protocol, hostname } = new URL(value);
	return protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}, 'is not an https URL (http: this host only)');

export function optional<Schema extends z.ZodType>(schema: Schema) {
	return schema.nullable().default(null);
}

export function choice<const Choices extends readonly string[]>(choices: Choices) {
	return z.enum(choices, `is not one of ${choices.join(', ')}`);
}

export function integer(least: number, most: number) {
	const error = `is not a whole number from ${least} to ${most}`;
	return text
		.regex(/^\d{1,15}$/, { error, abort: true })
		.transform(Number)
		.refine((value) => value >= least && value <= most, error);
}

export function eachOf<Entry>(
	all: z.ZodType<Entry[], string | string[] | undefined>,
	isGood: (entry: Entry) => boolean,
	butHasOne: string,
) {
	const error = `has one ${butHasOne}`;
	return all.refine((entries) => entries.every(isGood), { error, abort: true });
}

/** PEM blocks, one after the other; none when unset. */
export function pems<Block>(read: (pem: string) => Block) {
	return text
		.transform((value, context): Block[] => {
			const blocks = value.match(/-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g);
			try {
				if (blocks !== null) return blocks.map((block) => read(block));
				context.addIssue('holds no PEM');
			} catch {
				context.addIssue('holds PEM that cannot be read');
			}
			return z.NEVER;
		})
		.default([]);
}

export function succeeds(action: () => unknown): boolean {
	try {
		action();
		return true;
	} catch {
		return false;
	}
}

/** Whether it is written as `192.0.2.7`, `10.0.0.0/8` or `2001:db8::/32`. */
function isNetwork(entry: string): boolean {
	const [address = '', bits = '0', ...rest] = entry.split('/');
	const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
	return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
}

function toMs(value: string): number {
	const [, amount, unit = ''] = DURATION.exec(value) ?? [];
	return Number(amount) * (UNIT_MS[unit] ?? NaN);
}
