import autocannon from 'autocannon';

import { signedEvents } from './events.ts';

/** At the same time. */
const CONNECTIONS = 50;

/** How often autocannon checks whether it is done, in milliseconds. */
const LOOK_MS = 100;

/** How long, or how many requests. */
export type Amount = { seconds: number } | { requests: number };

interface Order {
	url: string;
	connections?: number;
	amount: Amount;
	/** Creates each request. */
	request: () => { body: string; headers: Record<string, string> };
}

export interface Posted {
	requests: number;
	perSecond: number;
	/** Milliseconds from request to answer. */
	p99: number;
}

/**
 * Posts; each connection posts again as soon as it has its answer (closed loop).
 *
 * @throws Error when any request was rejected: a figure that includes failures says nothing
 */
async function post(order: Order): Promise<Posted> {
	const { url, amount, connections = CONNECTIONS, request } = order;
	const count = 'requests' in amount ? amount.requests : Infinity;
	const result = await autocannon({
		url,
		connections: Math.min(connections, count),
		...('seconds' in amount ? { duration: amount.seconds } : { amount: count }),
		sampleInt: LOOK_MS,
		timeout: 60,
		requests: [{ method: 'POST', setupRequest: (one) => ({ ...one, ...request() }) }],
	});
	const refused = result.non2xx + result.errors + result.timeouts;
	if (refused > 0) throw new Error(`${refused} requests to ${url} were not answered with 2xx.`);
	const requests = result['2xx'];
	return { requests, perSecond: requests / result.duration, p99: result.latency.p99 };
}

/**
 * Posts events to a receiver, or to an n8n webhook at that path; one per request, like the service.
 */
export async function postEvents(
	url: string,
	amount: Amount,
	connections = CONNECTIONS,
): Promise<Posted> {
	return await post({ url: `${url}/events`, amount, connections, request: () => signedEvents() });
}
