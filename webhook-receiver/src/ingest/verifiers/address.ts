import { isIP } from 'node:net';
import type { Verifier } from '../../core/verify.ts';
import { contains, readNetworks } from '../../http/networks.ts';

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
