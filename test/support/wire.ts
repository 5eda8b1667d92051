// The network between n8n and a receiver: an HTTP proxy that does what a test wants to a request.
import { once } from 'node:events';
import {
	createServer,
	request as httpRequest,
	type IncomingMessage,
	type Server,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as received. */
export interface Wired {
	method: string;
	path: string;
	body: unknown;
}

/**
 * What happens to a request. `refuse`: cut before it gets through. `loseAnswer`: it gets through,
 * but the answer is lost. `silence`: nothing happens for as long as the client waits. Otherwise an
 * answer instead of the receiver's, or a change to it; `cutAt` ends it after that many bytes.
 */
export type Fate =
	| 'refuse'
	| 'loseAnswer'
	| 'silence'
	| { status?: number; contentType?: string; body: string; cutAt?: number }
	| { change(answer: unknown): unknown };

export class Wire {
	/** Its target; null if there is none. */
	target: string | null = null;
	/** Decides; undefined lets the request through. */
	fate: (request: Wired) => Fate | undefined = () => undefined;
	/** In order of arrival. */
	readonly requests: Wired[] = [];
	/** Those of them that have had no answer yet. */
	readonly unanswered = new Set<Wired>();
	private readonly server: Server;

	private constructor() {
		this.server = createServer((request, response) => {
			void this.pass(request, response).catch(() => response.destroy());
		});
		this.server.listen(0, '127.0.0.1');
	}

	static async open(target: string | null): Promise<Wire> {
		const wire = new Wire();
		wire.target = target;
		await once(wire.server, 'listening');
		return wire;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** Cuts everything in flight; later clients find nothing there. */
	cut(): void {
		this.server.close();
		this.server.closeAllConnections();
	}

	private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = '', url: path = '' } = request;
		const raw = await text(request);
		const wired = { method, path, body: raw === '' ? undefined : (JSON.parse(raw) as unknown) };
		this.requests.push(wired);
		this.unanswered.add(wired);
		response.once('close', () => this.unanswered.delete(wired));
		const fate = this.fate(wired);
		if (fate === 'silence') return;
		if (fate === 'refuse' || this.target === null) return void response.destroy();
		if (typeof fate === 'object' && 'body' in fate) return give(response, fate);
		const { status, body } = await ask(`${this.target}${path}`, request, raw, response);
		if (fate === 'loseAnswer') return void response.destroy();
		const changed = fate === undefined ? body : JSON.stringify(fate.change(JSON.parse(body)));
		give(response, { status, body: changed });
	}
}

/** Uses a separate connection, which ends when the client's does. */
async function ask(
	url: string,
	{ method, headers }: IncomingMessage,
	body: string,
	client: ServerResponse,
): Promise<{ status: number; body: string }> {
	const passed = httpRequest(url, { method, headers, agent: false });
	client.once('close', () => passed.destroy());
	passed.end(body);
	const [answer] = (await once(passed, 'response')) as [IncomingMessage];
	return { status: answer.statusCode ?? 0, body: await text(answer) };
}

function give(
	response: ServerResponse,
	{ status = 200, contentType = 'application/json', body, cutAt }: Extract<Fate, { body: string }>,
): void {
	const length = Buffer.byteLength(body);
	response.writeHead(status, { 'content-type': contentType, 'content-length': length });
	if (cutAt === undefined) return void response.end(body);
	response.write(Buffer.from(body).subarray(0, cutAt), () => response.destroy());
}
