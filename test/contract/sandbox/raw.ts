import { connect } from 'node:tls';

import type { Sandbox } from '../../../sandbox/src/sandbox.ts';

export interface RawExchange {
	/** Whatever came before the connection ended. */
	bytes: Buffer;
	/** Whether the TLS handshake was done. */
	secured: boolean;
	/** How the connection ended, null for properly. */
	error: NodeJS.ErrnoException | null;
}

/** Sends text as it is over TLS and takes what comes until the connection ends. */
export async function exchangeRaw(
	{ url, caCertificate: ca }: Pick<Sandbox, 'url' | 'caCertificate'>,
	lines: string[],
): Promise<RawExchange> {
	const socket = connect({ host: 'localhost', port: Number(new URL(url).port), ca });
	const chunks: Buffer[] = [];
	let secured = false;
	let error: NodeJS.ErrnoException | null = null;
	socket.on('data', (chunk: Buffer) => chunks.push(chunk));
	socket.on('error', (happened) => (error = happened));
	socket.once('secureConnect', () => (secured = true));
	socket.write(lines.join('\r\n'));
	await new Promise((resolve) => socket.once('close', resolve));
	return { bytes: Buffer.concat(chunks), secured, error };
}
