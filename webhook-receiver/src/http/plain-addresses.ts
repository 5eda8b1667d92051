import { isIP } from 'node:net';
import type { RequestHandler } from 'express';

/** One for all: each would otherwise be a sender of its own. */
const NO_ADDRESS = 'unknown';

/**
 * Lets Express read what proxies write into X-Forwarded-For: some put the sender's port behind the address,
 * brackets around it or quotes. Whatever is no address counts as one and the same.
 */
export const plainAddresses: RequestHandler = (request, _response, next) => {
	const forwarded = request.headers['x-forwarded-for'];
	if (forwarded !== undefined) {
		request.headers['x-forwarded-for'] = String(forwarded).split(',').map(plain).join(', ');
	}
	next();
};

/** `203.0.113.7:51008`, `[2001:db8::1]:443` and `"[2001:db8::1]"` without what surrounds the address. */
function plain(entry: string): string {
	const unquoted = entry.trim().replace(/^"(.*)"$/, '$1');
	const address = unquoted.replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3');
	return isIP(address) === 0 ? NO_ADDRESS : address;
}
