import { isIP } from 'node:net';
import type { Verifier } from '../verify.ts';
import { blockList } from '../variables/schemas.ts';

/** Where a request comes from; a forwarded address counts only behind a trusted proxy. */
export function addressVerifier(networks: readonly string[]): Verifier {
	const allowed = blockList(networks);
	return {
		scheme: 'address',
		verify({ client }) {
			const address = client.address?.replace(/^::ffff:(?=\d+\.)/i, '') ?? '';
			const family = isIP(address);
			if (family === 0) return 'address not known';
			return allowed.check(address, family === 6 ? 'ipv6' : 'ipv4') ? null : 'address not listed';
		},
	};
}
