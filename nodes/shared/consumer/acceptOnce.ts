import type { IWebhookFunctions } from 'n8n-workflow';

import { keepLatest } from '../items/keepLatest';

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** `open`: n8n holds the wake-up that was accepted. */
type Accepted = 'open' | 'resumed';

/** How many waits that were resumed are remembered; one that is late has already come to n8n. */
const REMEMBERED = 1_000;

/** The waits that this process has accepted, each with its response until that has ended. */
const open = new Map<string, Response>();

/** Those that n8n resumed; oldest first. */
const resumed = new Map<string, true>();

/** What this process has accepted of a wait before, if anything. */
export function acceptedBefore(waitId: string): Accepted | null {
	const response = open.get(waitId);
	if (response === undefined) return resumed.has(waitId) ? 'resumed' : null;
	if (!response.writableEnded) return 'open';
	open.delete(waitId);
	if (response.statusCode !== 200) return null;
	keepLatest(resumed, waitId, true, REMEMBERED);
	return 'resumed';
}

/**
 * Accepts a wait once. At its concurrency limit n8n holds what a node accepted, with the execution as it was
 * then, until there is capacity. It lets it in if the execution sleeps by then, be it in a later node, which
 * would run everything since again; and it does not drop what its sender gave up (run in n8n 2.41). So
 * nothing else is accepted while one is open, nor once it was let in. Only the response tells which: n8n ends
 * it with 200 when the execution goes on, else with why not, also when nobody listens any more.
 *
 * In memory on purpose: what n8n holds is in the memory of the same process, and both end together. If
 * that process dies before the execution goes on, it still sleeps, and the next wake-up is accepted by
 * another process; if later, n8n counts the execution as crashed and resumes it no more. With several
 * processes (queue mode) n8n holds nothing: capacity is the business of the workers.
 */
export function acceptOnce(waitId: string, response: Response): void {
	open.set(waitId, response);
	response.once('close', () => acceptedBefore(waitId));
}
