import { BlockList, isIP } from 'node:net';

// Node's BlockList rather than ipaddr.js: it takes ::ffff:192.0.2.7 for 192.0.2.7 by itself.

/** Reads `192.0.2.7`, `10.0.0.0/8` or `2001:db8::/32`; throws on anything else. */
export function readNetworks(entries: readonly string[]): BlockList {
	const networks = new BlockList();
	for (const entry of entries) {
		const [address = '', bits, ...rest] = entry.split('/');
		const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
		if (bits === undefined) networks.addAddress(address, family);
		else if (/^\d+$/.test(bits) && rest.length === 0) {
			networks.addSubnet(address, Number(bits), family);
		} else throw new TypeError(`Not a network: ${entry}`);
	}
	return networks;
}
