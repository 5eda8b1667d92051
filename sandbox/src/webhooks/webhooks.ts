import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from 'undici';
import type { WebhookEndpoint } from './webhook-endpoint.ts';
import { webhookRequest, type WebhookEvent } from './webhook-shapes.ts';
import { signatureHeaders } from './webhook-signing.ts';

/** One request that carried an event, as the control API reports it. */
export interface WebhookAttempt {
	at: string;
	url: string;
	event: string;
	eventId: string;
	messageId: string;
	attempt: number;
	status: number | null;
	error: string | null;
}

const KEPT_ATTEMPTS = 1000;
const REQUEST_TIMEOUT_MS = 10_000;
const DEFAULT_WAIT_MS = 100;
/** Delays between attempts; about two and a half minutes in all. */
export const RETRY_DELAYS_MS = [
	250, 500, 1000, 2000, 4000, 8000, 15_000, 30_000, 30_000, 30_000, 30_000,
];

interface Outcome {
	status: number | null;
	error: string | null;
}

/**
 * Sends events to every endpoint in the background and never delays the API. Events of one message
 * reach an endpoint in order, unless it asks for disorder: each waits until the one before is
 * accepted or given up. Messages do not wait for one another.
 */
export class WebhookSender {
	readonly attempts: WebhookAttempt[] = [];
	endpoints: WebhookEndpoint[];
	readonly #retryDelays: number[];
	readonly #onAttempt: () => void;
	#queues = new Map<string, Promise<void>>();
	#gathered = new Map<WebhookEndpoint, { events: WebhookEvent[]; timer: NodeJS.Timeout }>();
	#stop = new AbortController();
	#agent: Agent | undefined;

	constructor(endpoints: WebhookEndpoint[], retryDelays: number[], onAttempt: () => void) {
		this.endpoints = endpoints;
		this.#retryDelays = retryDelays;
		this.#onAttempt = onAttempt;
	}

	emit(event: WebhookEvent): void {
		for (const endpoint of this.endpoints) {
			if (endpoint.batch || endpoint.reorder) this.#gather(endpoint, event);
			else this.#enqueue(`${event.messageId} ${endpoint.url}`, endpoint, [event]);
		}
	}

	/** Aborts everything under way, forgets the attempts and replaces the endpoints. */
	reset(endpoints: WebhookEndpoint[]): void {
		this.#abort();
		this.#stop = new AbortController();
		this.#queues = new Map();
		this.attempts.length = 0;
		this.endpoints = endpoints;
	}

	async close(): Promise<void> {
		const pending = [...this.#queues.values()];
		this.#abort();
		await Promise.all(pending);
		await this.#agent?.destroy();
	}

	#abort(): void {
		this.#stop.abort();
		for (const { timer } of this.#gathered.values()) clearTimeout(timer);
		this.#gathered.clear();
	}

	/** Buffers events until a batch is full, or none arrived for long enough. */
	#gather(endpoint: WebhookEndpoint, event: WebhookEvent): void {
		const timer = setTimeout(() => this.#flush(endpoint), endpoint.waitMs ?? DEFAULT_WAIT_MS);
		const before = this.#gathered.get(endpoint);
		clearTimeout(before?.timer);
		const events = [...(before?.events ?? []), event];
		this.#gathered.set(endpoint, { events, timer });
		if (events.length >= (endpoint.batch?.size ?? 2)) this.#flush(endpoint);
	}

	#flush(endpoint: WebhookEndpoint): void {
		const { events = [], timer } = this.#gathered.get(endpoint) ?? {};
		clearTimeout(timer);
		this.#gathered.delete(endpoint);
		if (endpoint.reorder) events.reverse();
		const requests = endpoint.batch ? [events] : events.map((event) => [event]);
		for (const together of requests) this.#enqueue(endpoint.url, endpoint, together);
	}

	#enqueue(queue: string, endpoint: WebhookEndpoint, events: WebhookEvent[]): void {
		const before = this.#queues.get(queue) ?? Promise.resolve();
		const { signal } = this.#stop;
		const sent = before.then(async () => {
			for (let time = 0; time <= (endpoint.duplicates ?? 0); time++)
				await this.#deliver(endpoint, events, signal);
		});
		this.#queues.set(queue, sent);
		void sent.then(() => {
			if (this.#queues.get(queue) === sent) this.#queues.delete(queue);
		});
	}

	async #deliver(endpoint: WebhookEndpoint, events: WebhookEvent[], signal: AbortSignal) {
		for (let attempt = 1; !signal.aborted; attempt++) {
			const outcome = await this.#post(endpoint, events, signal);
			if (signal.aborted) return;
			this.#note(endpoint, events, attempt, outcome);
			if (outcome.status !== null && outcome.status >= 200 && outcome.status < 300) return;
			const delay = this.#retryDelays[attempt - 1];
			if (delay === undefined) return;
			// Rejects only when stopped; the loop then notices.
			await sleep(delay, undefined, { signal }).catch(() => undefined);
		}
	}

	async #post(
		endpoint: WebhookEndpoint,
		events: WebhookEvent[],
		signal: AbortSignal,
	): Promise<Outcome> {
		const { headers, body } = webhookRequest(events, endpoint);
		// Signed again for each attempt, in real time: the receiver checks against its own clock.
		const signature = await signatureHeaders(endpoint, body, Date.now(), events[0]?.id ?? '');
		try {
			// Loaded with the first event: most sandboxes in a test run send none.
			const { Agent, request } = await import('undici');
			this.#agent ??= new Agent({ connections: 16 });
			const response = await request(endpoint.url, {
				method: 'POST',
				headers: { ...headers, ...signature },
				body,
				dispatcher: this.#agent,
				signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
			});
			await response.body.dump();
			return { status: response.statusCode, error: null };
		} catch (error) {
			return { status: null, error: String(error) };
		}
	}

	#note(
		{ url }: WebhookEndpoint,
		events: WebhookEvent[],
		attempt: number,
		{ status, error }: Outcome,
	): void {
		const at = new Date().toISOString();
		for (const { id: eventId, event, messageId } of events)
			this.attempts.push({ at, url, event, eventId, messageId, attempt, status, error });
		this.attempts.splice(0, this.attempts.length - KEPT_ATTEMPTS);
		this.#onAttempt();
	}
}
