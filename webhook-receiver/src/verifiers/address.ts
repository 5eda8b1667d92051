import { isIP } from 'node:net';
import type { Verifier } from '../verify.ts';
import { blockList } from '../variables/schemas.ts';

/** Where a request comes from; a forwarded address counts only behind a trusted proxy. */
export function addressVerifier(networks: readonly string[]): Verifier {
	const allowed = blockList(networks);
	return {
		scheme: 'address',
		verify({ client }) {
			// An IPv4 client of an IPv6 socket is ::ffff:192.0.2.7; a BlockList knows that it is the same.
			const address = client.address ?? '';
			const family = isIP(address);
			if (family === 0) return 'address not known';
			return allowed.check(address, family === 6 ? 'ipv6' : 'ipv4') ? null : 'address not listed';
		},
	};
}
