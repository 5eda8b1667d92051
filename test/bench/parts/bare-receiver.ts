// Stands where the receiver stands, but checks and stores nothing: an event is handed out to the held
// pull as it comes. What an event takes behind it no receiver could do without.
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import type { PullAnswer, PullRequest } from '../../../webhook-receiver/src/core/pull-contract.ts';

let held: ServerResponse | null = null;

const server = createServer(async (request, response) => {
	if (request.method === 'GET') return void response.writeHead(held === null ? 503 : 200).end();
	const body = await json(request);
	if (request.url === '/events') {
		if (held === null) return void response.writeHead(503).end();
		answer(held, [{ id: randomUUID(), attempt: 1, events: [{ id: randomUUID(), raw: body }] }]);
		held = null;
		return void response.end('{}');
	}
	const { holdMs = 0 } = body as PullRequest;
	// One pull is held; others only report, and are answered at once.
	if (holdMs === 0) return answer(response, []);
	held = response;
	setTimeout(() => {
		if (held !== response) return;
		held = null;
		answer(response, []);
	}, holdMs);
});
server.listen(0, '127.0.0.1', () => {
	const { port } = server.address() as AddressInfo;
	console.log(`http://127.0.0.1:${port}`);
});

function answer(response: ServerResponse, batches: unknown[]): void {
	const now = new Date().toISOString();
	const pulled = { batches: batches as PullAnswer['batches'], wakeUps: [], waiting: 0 };
	response.setHeader('content-type', 'application/json');
	response.end(JSON.stringify({ ...pulled, watching: false, now } satisfies PullAnswer));
}
