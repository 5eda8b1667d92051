import { serve } from '../support/http-server.ts';
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
	const server = await serve((request, response) => {
		const id = request.url?.slice(1) ?? '';
		counts.set(id, (counts.get(id) ?? 0) + 1);
		response.end('{}');
	});
	const url = `=${server.url}/{{ $json.id }}`;
	return {
		counts,
		node: node('Tell', 'n8n-nodes-base.httpRequest', 4.2, { method: 'POST', url, options: {} }),
		close: server.close,
	};
}
