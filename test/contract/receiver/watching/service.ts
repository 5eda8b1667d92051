// The delivery service as watching sees it: `GET /messages/{id}` and the lists over real HTTP, with
// the statuses, entries and trouble a test asks for.
import { serve } from '../../../support/http-server.ts';
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

export interface ListedEntry {
	id: string;
	state: string;
	[name: string]: unknown;
}

/** @param now clock for recording polls */
export async function pollService(now: () => number = Date.now) {
	const messages = new Map<string, PolledMessage>();
	const polls: Poll[] = [];
	/** Asked for, as `/consents?page=1&perPage=100`. */
	const pages: string[] = [];
	const lists: Record<'consents' | 'customers', ListedEntry[]> = { consents: [], customers: [] };
	const service = {
		messages,
		polls,
		pages,
		lists,
		/** Entries a page, however many are asked for. */
		pageSize: 100,
		/** As `trouble`, of a list. */
		listTrouble: (_path: string): Trouble | null => null,
		url: '',
		/** Called before each answer; null returns the message's status. */
		trouble: (_messageId: string): Trouble | null => null,
		/** Awaited before each answer, which still gives the status from when the poll arrived. */
		beforeAnswer: null as ((messageId: string) => Promise<void>) | null,
		env: (more: Record<string, string> = {}) => ({
			SERVICE_URL: service.url,
			SERVICE_TOKEN,
			...more,
		}),
	};
	const server = await serve(async (request, response) => {
		const answer = (status: number, body: object | string, headers: Record<string, string> = {}) =>
			response
				.writeHead(status, { 'content-type': 'application/json', ...headers })
				.end(typeof body === 'string' ? body : JSON.stringify(body));
		const [, list] = /^\/(consents|customers)\?/.exec(request.url ?? '') ?? [];
		if (list === 'consents' || list === 'customers') {
			const url = request.url ?? '';
			pages.push(url);
			const said = service.listTrouble(url);
			if (said === 'hang') return;
			if (said === 'reset') return void request.socket.destroy();
			if (said !== null) return void answer(said.status, said.body ?? {}, said.headers);
			return void answer(200, pageOf(lists[list], url, service.pageSize));
		}
		const messageId = /^\/messages\/(\d{12})$/.exec(request.url ?? '')?.[1] ?? '';
		const token = request.headers['x-api-token']?.toString();
		polls.push({ messageId, token, at: now(), port: request.socket.remotePort ?? 0 });
		const trouble = service.trouble(messageId);
		if (trouble === 'hang') return;
		if (trouble === 'reset') return void request.socket.destroy();
		if (trouble !== null) return void answer(trouble.status, trouble.body ?? {}, trouble.headers);
		const message = messages.get(messageId);
		await service.beforeAnswer?.(messageId);
		if (message === undefined)
			return void answer(404, { code: 'message-not-found', message: 'No' });
		const { status, evidences = [] } = message;
		const shown = evidences.map((eventType) => ({ eventType, url: 'https://signed.example/x' }));
		answer(200, { id: messageId, status, evidences: shown });
	});
	later(server.close);
	service.url = server.url;
	return service;
}

/** The envelope of the interface. */
function pageOf(entries: readonly ListedEntry[], url: string, size: number) {
	const page = Number(new URL(url, 'http://service').searchParams.get('page'));
	const total = entries.length;
	const lastPage = Math.max(1, Math.ceil(total / size));
	const data = entries.slice((page - 1) * size, page * size);
	return { data, meta: { total, perPage: size, currentPage: page, lastPage, firstPage: 1 } };
}
