import { isIP } from 'node:net';
import type { BlockList } from 'node:net';
import { readNetworks } from '../../config/networks.ts';
import type { Verifier } from '../../core/verify.ts';

/** Where a request comes from; a forwarded address counts only behind a trusted proxy. */
export function addressVerifier(networks: readonly string[]): Verifier {
	const allowed = readNetworks(networks);
	return {
		scheme: 'address',
		verify({ client: { address } }) {
			if (address === null || isIP(address) === 0) return 'address not known';
			return contains(allowed, address) ? null : 'address not listed';
		},
	};
}

function contains(networks: BlockList, address: string): boolean {
	return networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
