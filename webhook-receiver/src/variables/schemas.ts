import { BlockList, isIP } from 'node:net';
import { z } from 'zod/v4';

// How operators write things, and what is made of it. Messages never quote a value.

/** One variable: what is accepted, and its line of `--help`. A `secret` may come from a file. */
export interface Variable {
	schema: z.ZodType;
	help: string;
	secret?: true;
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 };
const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

export const text = z.string('is required');
export const header = text.regex(/^[A-Za-z0-9-]+$/, 'is not a header name').toLowerCase();
export const flag = z
	.enum(['true', 'false'], 'is neither true nor false')
	.transform((value) => value === 'true');
export const list = text.transform((value) =>
	value
		.split(',')
		.map((entry) => entry.trim())
		.filter((entry) => entry !== ''),
);
export const secrets = list.refine(
	(all) => all.every(({ length }) => length >= 8),
	'has one under 8 characters',
);
export const duration = text
	.regex(DURATION, 'is not a duration such as 500ms, 30s, 10m, 12h or 30d')
	.transform(toMs);

/** Ages with the delay from there on: `0s:1m,1d:1h`. */
export const paces = list
	.transform((all) => all.map((one) => one.split(':')))
	.refine(
		(all) => all.every((pair) => pair.length === 2 && pair.every((one) => DURATION.test(one))),
		'has one that is not age:delay such as 1d:1h',
	)
	.transform((all) => all.map(([age = '', delay = '']) => ({ age: toMs(age), delay: toMs(delay) })))
	.refine(
		(all) =>
			all[0]?.age === 0 && all.every(({ age }, i) => i === 0 || age > (all[i - 1]?.age ?? 0)),
		'does not begin with age 0s and go on by rising age',
	)
	.refine((all) => all.every(({ delay }) => delay >= 1_000), 'has a delay under 1s');

/** Addresses and networks: `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`. */
export const networks = list.refine(
	(all) => all.every(isNetwork),
	'has one that is not an address or a network such as 10.0.0.0/8',
);

export function integer(least: number, most: number) {
	const message = `is not a whole number from ${least} to ${most}`;
	return text
		.regex(/^\d{1,15}$/, message)
		.transform(Number)
		.refine((value) => value >= least && value <= most, message);
}

/** What `networks` let through, ready to be asked. */
export function blockList(entries: readonly string[]): BlockList {
	const all = new BlockList();
	for (const entry of entries) {
		const [address = '', bits] = entry.split('/');
		const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
		if (bits === undefined) all.addAddress(address, family);
		else all.addSubnet(address, Number(bits), family);
	}
	return all;
}

function isNetwork(entry: string): boolean {
	const [address = '', bits, ...rest] = entry.split('/');
	const family = isIP(address);
	if (family === 0 || rest.length > 0) return false;
	return (
		bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
	);
}

function toMs(value: string): number {
	const [, amount, unit] = DURATION.exec(value) ?? [];
	return Number(amount) * (UNIT_MS[unit ?? ''] ?? NaN);
}
