import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { node } from './workflows.ts';

/** Counts what executions do, for those that n8n does not keep. */
export interface Tally {
	/** How often each event was handled, by its id. */
	counts: Map<string, number>;
	/** Reports each item that an execution has. */
	node: ReturnType<typeof node>;
	close(): Promise<void>;
}

export async function startTally(): Promise<Tally> {
	const counts = new Map<string, number>();
	const server = createServer((request, response) => {
		const id = request.url?.slice(1) ?? '';
		counts.set(id, (counts.get(id) ?? 0) + 1);
		response.end('{}');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const url = `=http://127.0.0.1:${port}/{{ $json.id }}`;
	return {
		counts,
		node: node('Tell', 'n8n-nodes-base.httpRequest', 4.2, { method: 'POST', url, options: {} }),
		async close() {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}
