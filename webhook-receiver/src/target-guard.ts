import { lookup as dnsLookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import type { LookupFunction } from 'node:net';

/** Decides where deliveries may go (design § 7). */
export interface TargetGuard {
	/** Why a URL is refused, in words for whoever registers it; null when it is fine. */
	refusal(url: URL): string | null;
	/** Resolves names at connect time and lets through only addresses that are fine for the name. */
	lookup: LookupFunction;
}

/** Answers a name with its addresses, as `dns.lookup` does with `all`. */
export type Resolve = (
	hostname: string,
	callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** Any public host, for operators who name `*`. */
const ANY_PUBLIC = '*';

/** Never a target, named or not: this host's any-address, link-local (cloud metadata), multicast. */
const NEVER = blockList(
	['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
	['::/128', 'fe80::/10', 'ff00::/8', 'fd00:ec2::254/128'],
);

/** Not public: only where the operator named the host. */
const PRIVATE = blockList(
	[
		...['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.0.0.0/24'],
		...['192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
	],
	// The last four are ways to write an IPv4 address as an IPv6 one, which would go round the list.
	['::1/128', 'fc00::/7', '::/96', '64:ff9b::/96', '2001::/32', '2002::/16'],
);

/** `allowed`: `host`, `host:port`, or `*` for any public host. Nothing else is let through. */
export function createTargetGuard(
	allowed: readonly string[],
	resolve: Resolve = resolveByDns,
): TargetGuard {
	const named = allowed.filter((entry) => entry !== ANY_PUBLIC).map(parseTarget);
	const anyPublic = allowed.includes(ANY_PUBLIC);
	const isNamedHost = (host: string) => named.some((target) => target.host === host);

	const addressRefusal = (address: string, hostIsNamed: boolean): string | null => {
		if (isIn(NEVER, address)) return `${address} is never a target`;
		if (!hostIsNamed && isIn(PRIVATE, address)) return `${address} is a private address`;
		return null;
	};

	return {
		refusal(url) {
			if (url.username !== '' || url.password !== '') return 'it must not carry a user or password';
			const host = plainHost(url.hostname);
			const port = portOf(url);
			const isNamed = named.some(
				(target) => target.host === host && (target.port === null || target.port === port),
			);
			if (!isNamed && !anyPublic) return `the operator did not allow ${host}:${port}`;
			return isIP(host) === 0 ? null : addressRefusal(host, isNamed);
		},
		lookup(hostname, options, callback) {
			resolve(hostname, (error, addresses) => {
				if (error) return callback(error, [], undefined);
				const hostIsNamed = isNamedHost(plainHost(hostname));
				for (const { address } of addresses) {
					const refusal = addressRefusal(address, hostIsNamed);
					if (refusal !== null) {
						return callback(new Error(`${hostname} is refused: ${refusal}`), [], undefined);
					}
				}
				const [first] = addresses;
				if (first === undefined) return callback(new Error(`${hostname} has no address`), []);
				if (options.all) callback(null, addresses);
				else callback(null, first.address, first.family);
			});
		},
	};
}

/** Reads `host[:port]`; throws when it is neither. */
export function parseTarget(entry: string): { host: string; port: number | null } {
	const isBareIPv6 = isIP(entry) === 6;
	const written = isBareIPv6 ? `[${entry}]` : entry;
	// The port apart, since the URL parser leaves out the one that is usual for its scheme.
	const port = /:(\d+)$/.exec(written)?.[1];
	const host = port === undefined ? written : written.slice(0, -port.length - 1);
	const url = new URL(`http://${host}/`);
	const isHostOnly = !/[/\\?#@]|:\d*$/.test(host) && Number(port ?? 0) <= 65_535;
	if (!isHostOnly) throw new Error(`${entry} is not host or host:port`);
	return { host: plainHost(url.hostname), port: port === undefined ? null : Number(port) };
}

/**
 * The URL parser has already turned 2130706433 and 0x7f.1 into 127.0.0.1; left are brackets, a
 * final dot, and IPv4 addresses written as IPv6.
 */
function plainHost(hostname: string): string {
	const host = hostname.replace(/[[\]]/g, '').replace(/\.$/, '').toLowerCase();
	const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host) ?? [];
	if (high === undefined || low === undefined) return host;
	return [high, low].flatMap((pair) => bytesOf(parseInt(pair, 16))).join('.');
}

function bytesOf(pair: number): [number, number] {
	return [pair >> 8, pair & 255];
}

function portOf(url: URL): number {
	if (url.port !== '') return Number(url.port);
	return url.protocol === 'https:' ? 443 : 80;
}

/** A `BlockList` knows IPv4 addresses written as IPv6, and leaves out zones (`fe80::1%eth0`). */
function isIn(list: BlockList, address: string): boolean {
	return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function blockList(ipv4: string[], ipv6: string[]): BlockList {
	const list = new BlockList();
	for (const subnet of ipv4) addSubnet(list, subnet, 'ipv4');
	for (const subnet of ipv6) addSubnet(list, subnet, 'ipv6');
	return list;
}

function addSubnet(list: BlockList, subnet: string, family: 'ipv4' | 'ipv6'): void {
	const [address = '', bits] = subnet.split('/');
	list.addSubnet(address, Number(bits), family);
}

function resolveByDns(hostname: string, callback: Parameters<Resolve>[1]): void {
	dnsLookup(hostname, { all: true }, callback);
}
