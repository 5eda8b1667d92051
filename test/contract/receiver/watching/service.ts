// The delivery service as watching sees it: `GET /messages/{id}` over real HTTP, with the statuses
// and trouble a test asks for.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { later } from '../harness.ts';

export const SERVICE_TOKEN = 'service-token-of-tests';

export interface PolledMessage {
	status: string;
	/** Event types of its evidence. */
	evidences?: string[];
}

/**
 * An answer other than a status: code, body, headers; `'hang'` never answers, `'reset'` cuts it
 * off.
 */
export type Trouble =
	| 'hang'
	| 'reset'
	/** A text body is a page. */
	| { status: number; body?: object | string; headers?: Record<string, string> };

export interface Poll {
	messageId: string;
	token: string | undefined;
	at: number;
	/** Client port of its connection. */
	port: number;
}

/** @param now clock for recording polls */
export async function pollService(now: () => number = Date.now) {
	const messages = new Map<string, PolledMessage>();
	const polls: Poll[] = [];
	const service = {
		messages,
		polls,
		url: '',
		/** Called before each answer; null returns the message's status. */
		trouble: (_messageId: string): Trouble | null => null,
		/** Awaited before each answer, which still gives the status from when the poll arrived. */
		beforeAnswer: null as (() => Promise<void>) | null,
		env: (more: Record<string, string> = {}) => ({
			...{ SERVICE_URL: service.url, SERVICE_TOKEN, ...more },
		}),
		pollsOf: (messageId: string) => polls.filter((poll) => poll.messageId === messageId).length,
	};
	const server = createServer(async (request, response) => {
		const messageId = /^\/messages\/(\d{12})$/.exec(request.url ?? '')?.[1] ?? '';
		const token = request.headers['x-api-token']?.toString();
		polls.push({ messageId, token, at: now(), port: request.socket.remotePort ?? 0 });
		const answer = (status: number, body: object | string, headers: Record<string, string> = {}) =>
			response
				.writeHead(status, { 'content-type': 'application/json', ...headers })
				.end(typeof body === 'string' ? body : JSON.stringify(body));
		const trouble = service.trouble(messageId);
		if (trouble === 'hang') return;
		if (trouble === 'reset') return void request.socket.destroy();
		if (trouble !== null) return void answer(trouble.status, trouble.body ?? {}, trouble.headers);
		const message = messages.get(messageId);
		await service.beforeAnswer?.();
		if (message === undefined)
			return void answer(404, { code: 'message-not-found', message: 'No' });
		const { status, evidences = [] } = message;
		const shown = evidences.map((eventType) => ({ eventType, url: 'https://signed.example/x' }));
		answer(200, { id: messageId, status, evidences: shown });
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	later(() => {
		server.closeAllConnections();
		return new Promise<void>((resolve) => server.close(() => resolve()));
	});
	service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return service;
}
