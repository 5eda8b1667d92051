import { readFile, readdir, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Watches the connections of a process and its children (Linux: /proc). */
export interface ConnectionWatch {
	/** Remote addresses seen so far, one line each, such as `tcp 127.0.0.1:8443`. */
	seen: ReadonlySet<string>;
	samples(): number;
	stop(): Promise<void>;
}

/**
 * Samples the sockets of the process group every 50 ms: TCP in any state except listening, and UDP
 * with a remote address, such as a DNS query. It can miss a socket that lives shorter than a
 * sample.
 *
 * @param group called at each sample, since n8n restarts in between
 */
export function watchConnections(group: () => number): ConnectionWatch {
	const seen = new Set<string>();
	let count = 0;
	let isStopped = false;
	const watching = (async () => {
		while (!isStopped) {
			for (const remote of await remotesOf(group())) seen.add(remote);
			count++;
			await sleep(50);
		}
	})();
	return {
		seen,
		samples: () => count,
		async stop() {
			isStopped = true;
			await watching;
		},
	};
}

/** Whether a line of {@link ConnectionWatch.seen} stays on this machine. */
export function isLoopback(remote: string): boolean {
	return /^(tcp|udp) (127\.|\[::1\]|\[::ffff:127\.)/.test(remote);
}

async function remotesOf(group: number): Promise<string[]> {
	const pids = await processesOf(group);
	const sockets = new Set((await Promise.all(pids.map(socketsOf))).flat());
	const tables = await Promise.all(
		['tcp', 'tcp6', 'udp', 'udp6'].map(async (table) => {
			const text = await readFile(`/proc/net/${table}`, 'utf8').catch(() => '');
			return text
				.split('\n')
				.slice(1)
				.map((line) => readRow(table, line))
				.filter((row) => row !== null);
		}),
	);
	return tables
		.flat()
		.filter(({ inode }) => sockets.has(inode))
		.map(({ remote }) => remote);
}

async function processesOf(group: number): Promise<number[]> {
	const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
	const groups = await Promise.all(
		pids.map(async (pid) => {
			const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
			// The command name in parentheses may contain anything; the fields after it do not.
			return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
		}),
	);
	return pids.filter((_, index) => groups[index] === group);
}

async function socketsOf(pid: number): Promise<string[]> {
	const folder = `/proc/${pid}/fd`;
	const descriptors = await readdir(folder).catch(() => []);
	const targets = await Promise.all(
		descriptors.map((descriptor) => readlink(`${folder}/${descriptor}`).catch(() => '')),
	);
	return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

const LISTENING = '0A';

function readRow(table: string, line: string): { remote: string; inode: string } | null {
	const fields = line.trim().split(/\s+/);
	if (fields.length < 10) return null;
	const [, , remote, state] = fields;
	const [address, port] = remote.split(':');
	if (state === LISTENING || /^0+$/.test(address)) return null;
	const shown = address.length === 8 ? ipv4(address) : `[${ipv6(address)}]`;
	return {
		remote: `${table.slice(0, 3)} ${shown}:${parseInt(port, 16)}`,
		inode: fields[9],
	};
}

// The kernel writes each 32-bit word in the machine's byte order, which is little-endian.
function ipv4(hex: string): string {
	return wordBytes(hex).join('.');
}

function ipv6(hex: string): string {
	const words = hex.match(/.{8}/g) ?? [];
	if (/^0{16}FFFF0000/i.test(hex)) return `::ffff:${ipv4(words[3])}`;
	if (/^0{24}01000000$/.test(hex)) return '::1';
	return words
		.flatMap(wordBytes)
		.map((byte) => byte.toString(16).padStart(2, '0'))
		.join('')
		.replace(/(.{4})(?=.)/g, '$1:');
}

function wordBytes(word: string): number[] {
	return (word.match(/../g) ?? []).map((byte) => parseInt(byte, 16)).reverse();
}
