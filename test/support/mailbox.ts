// A mail server on loopback that accepts every mail, for what n8n sends to people.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface Mailbox {
	port: number;
	/** Mails as received, with the line breaks and escapes of quoted-printable decoded. */
	mails: string[];
	close(): Promise<void>;
}

export async function startMailbox(): Promise<Mailbox> {
	const mails: string[] = [];
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket.once('close', () => sockets.delete(socket)).on('error', () => {}));
		receive(socket, (mail) => mails.push(decoded(mail)));
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		mails,
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** Just enough SMTP for a client to hand over a mail (RFC 5321). */
function receive(socket: Socket, keep: (mail: string) => void): void {
	const answer = (line: string) => socket.write(`${line}\r\n`);
	let buffer = '';
	let isData = false;
	answer('220 loopback');
	socket.setEncoding('latin1').on('data', (chunk) => {
		buffer += String(chunk);
		for (;;) {
			const end = isData ? '\r\n.\r\n' : '\r\n';
			const at = buffer.indexOf(end);
			if (at < 0) return;
			const text = buffer.slice(0, at);
			buffer = buffer.slice(at + end.length);
			if (isData) keep(text);
			isData = !isData && /^DATA$/i.test(text);
			answer(isData ? '354 go on' : /^QUIT$/i.test(text) ? '221 bye' : '250 fine');
		}
	});
}

function decoded(mail: string): string {
	const bytes = mail
		// A line that begins with a dot arrives with two.
		.replace(/^\.\./gm, '.')
		.replace(/=\r\n/g, '')
		.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString('utf8');
}
