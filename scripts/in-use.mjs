// Who installs into this clone, and who uses what is installed there. Each has a name in the kernel, an
// abstract socket, which goes with its process, however that one ends: nothing here is ever stale.
// They exist only on Linux; elsewhere other users stay unknown.
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const hasNames = process.platform === 'linux';
const LONGEST = 107;

/** Runs the work when no other process installs into the folder. */
export async function whileInstalling(root, work) {
	const name = nameOf(root, 'install');
	let release = await take(name);
	if (release === null) console.log('… Waiting for another start or test, which is installing');
	while (release === null) {
		await untilGone(name);
		release = await take(name);
	}
	try {
		return await work();
	} finally {
		release();
	}
}

/** Says that this process uses what is installed, until it ends. */
export async function use(root) {
	await take(nameOf(root, `use-${process.pid}`));
}

/** Whether another process uses what is installed. */
export function isUsed(root) {
	if (!hasNames) return false;
	const others = `${prefixOf(root)}use-`;
	const own = nameOf(root, `use-${process.pid}`);
	return readFileSync('/proc/net/unix', 'utf8')
		.split('\n')
		.map((line) => line.split(' @')[1] ?? '')
		.some((name) => name.startsWith(others) && name !== own);
}

// Filled up to the longest there is: Node 20 does so with zeros, and Node 24 not at all.
const nameOf = (root, what) => `${prefixOf(root)}${what}-`.padEnd(LONGEST, '-');

function prefixOf(root) {
	const clone = createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 16);
	return `registered-delivery-${clone}-`;
}

/** Takes the name. Returns what gives it back, or null if another process has it. */
async function take(name) {
	if (!hasNames) return () => {};
	const waiting = new Set();
	const server = createServer((socket) => waiting.add(socket.on('error', () => {})));
	const isOurs = await new Promise((resolve, reject) => {
		server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
		server.listen(`\0${name}`, () => resolve(true));
	});
	server.unref();
	const release = () => {
		server.close();
		for (const socket of waiting) socket.destroy();
	};
	return isOurs ? release : null;
}

/** The kernel closes the connection when the process that has the name ends. */
async function untilGone(name) {
	await new Promise((resolve) =>
		connect(`\0${name}`)
			.on('error', () => {})
			.once('close', resolve),
	);
}
