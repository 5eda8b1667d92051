import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** What falls silent; by default everything, and connections to come as well. */
export interface Silence {
	/** Only connections open now on which the client has said this. */
	where?: string;
	/** Only what the server says: it gets requests, and its answers are lost. */
	answersOnly?: boolean;
}

export interface TcpProxy {
	port: number;
	/** From now on nothing passes; connections stay open. */
	fallSilent(silence?: Silence): void;
	/** Falls silent right after passing that text on to the server; resolves then. */
	fallSilentAfter(text: string, silence?: Silence): Promise<void>;
	/** Passes nothing more on a connection whose client says that text; resolves then. */
	fallSilentBefore(text: string): Promise<void>;
	/** From now on each answer of the server takes so long. */
	slowDown(milliseconds: number): void;
	/** Passes what was held back, and everything after it. */
	speak(): void;
	/** New connections pass again; those that fell silent stay as they are, for ever. */
	speakToNew(): void;
	/** Cuts all connections, as if the machine had died. */
	cut(): void;
	stop(): Promise<void>;
}

interface Connection {
	/** To the client, and to the server. */
	inward: Socket;
	outward: Socket;
	/** The beginning of what the client said. */
	said: string;
}

/** Enough for what tells connections apart. */
const REMEMBERED = 8_192;

/** A proxy between a client and a server on this machine. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
	const connections = new Set<Connection>();
	let forNew: Silence | null = null;
	let delay = 0;
	let heldBack: { text: string; onHeld: () => void } | null = null;
	let onData: (data: Buffer, said: string) => void = () => undefined;

	const silence = ({ inward, outward }: Connection, { answersOnly = false }: Silence) => {
		outward.pause();
		if (!answersOnly) inward.pause();
	};
	const fallSilent = (what: Silence = {}) => {
		if (what.where === undefined) forNew = what;
		for (const one of connections) if (one.said.includes(what.where ?? '')) silence(one, what);
	};
	const server = createServer((inward) => {
		const outward = connect(targetPort, '127.0.0.1');
		const connection = { inward, outward, said: '' };
		connections.add(connection);
		for (const socket of [inward, outward]) {
			const other = socket === inward ? outward : inward;
			socket.on('data', (data) => {
				if (socket === inward && heldBack !== null && data.includes(heldBack.text)) {
					heldBack.onHeld();
					heldBack = null;
					socket.pause().unshift(data);
					return;
				}
				if (socket === inward || delay === 0) other.write(data);
				else setTimeout(() => other.write(data), delay);
				if (socket !== inward) return;
				if (connection.said.length < REMEMBERED) connection.said += data.toString('latin1');
				onData(data, connection.said);
			});
			socket.on('error', () => undefined);
			socket.on('close', () => {
				connections.delete(connection);
				other.destroy();
			});
		}
		if (forNew !== null) silence(connection, forNew);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const cut = () => {
		for (const { inward, outward } of connections)
			for (const one of [inward, outward]) one.destroy();
	};
	return {
		port: (server.address() as AddressInfo).port,
		fallSilent,
		fallSilentAfter(text, what) {
			return new Promise((resolve) => {
				onData = (data, said) => {
					if (!data.includes(text) || !said.includes(what?.where ?? '')) return;
					onData = () => undefined;
					fallSilent(what);
					resolve();
				};
			});
		},
		fallSilentBefore(text) {
			return new Promise((onHeld) => {
				heldBack = { text, onHeld };
			});
		},
		slowDown(milliseconds) {
			delay = milliseconds;
		},
		speak() {
			forNew = null;
			for (const { inward, outward } of connections)
				for (const one of [inward, outward]) one.resume();
		},
		speakToNew() {
			forNew = null;
		},
		cut,
		stop() {
			cut();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}
