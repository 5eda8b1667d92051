import { isIP } from 'node:net';

/** Names that every sandbox answers to. */
export const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];

/** Whether a certificate and a URL can have it: a host name or an address, without a port. */
export function isName(name: string): boolean {
	return isIP(name) !== 0 || /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(name);
}

/**
 * Whether a stranger can own it, and let it lead here: names of public domains have a dot. Those of
 * containers and of machines nearby have none.
 */
export function canBeBought(name: string): boolean {
	return name === '' || (isIP(name) === 0 && name.includes('.'));
}

/** The name as it stands in a URL. */
export function inUrl(name: string): string {
	return isIP(name) === 6 ? `[${name}]` : name;
}

/** The name in a Host header, without its port; what is no host is the empty text. */
export function nameOf(host: string): string {
	const { hostname } = URL.parse(`http://${host}`) ?? { hostname: '' };
	return hostname.replace(/^\[(.*)\]$/, '$1');
}
