import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Agent } from 'undici';
import { conflict } from '../http/errors.ts';
import { BodyTap } from '../journal/body-tap.ts';
import { Journal } from '../journal/journal.ts';
import type { WebhookAttempt } from '../journal/entries.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';
import { webhookRequest, type WebhookEvent } from './webhook-request.ts';
import { signatureHeaders } from './webhook-signing.ts';

const KEPT_ATTEMPTS = { entries: 1000, characters: 16 * 1024 * 1024 };
const MAX_ANSWER_BYTES = 1024 * 1024;
const REQUEST_TIMEOUT_MS = 10_000;
/** Requests to one endpoint at a time. Others wait, not yet signed and without a time limit. */
const REQUESTS_AT_ONCE = 16;
const DEFAULT_WAIT_MS = 100;
/** Delays between attempts; about two and a half minutes in all. */
export const RETRY_DELAYS_MS = [
	250, 500, 1000, 2000, 4000, 8000, 15_000, 30_000, 30_000, 30_000, 30_000,
];

/** The result of an attempt. */
type Exchange = Pick<
	WebhookAttempt,
	'at' | 'duration' | 'headers' | 'body' | 'answer' | 'status' | 'error'
>;

interface Hooks {
	/** Called before anything is sent: persists what it reports. */
	beforeSending: () => void;
	onAttempt: () => void;
	/** The next number of the log, which requests share. */
	nextNumber: () => number;
	/** Secrets to mask in attempts. */
	secrets: () => readonly string[];
}

/**
 * Sends events to every endpoint in the background and never delays the API. Events of one message
 * reach an endpoint in order, unless it asks for disorder: each waits until the one before is
 * accepted or given up. Messages do not wait for one another.
 */
export class WebhookSender {
	readonly attempts: Journal<WebhookAttempt>;
	endpoints: WebhookEndpoint[];
	readonly #initialEndpoints: WebhookEndpoint[];
	readonly #retryDelays: number[];
	readonly #hooks: Hooks;
	/** The payload of each attempt, kept as long as the attempt. */
	readonly #carried = new WeakMap<WebhookAttempt, WebhookEvent[]>();
	#queues = new Map<string, Promise<void>>();
	#limits = new Map<string, LimitFunction>();
	#gathered = new Map<WebhookEndpoint, { events: WebhookEvent[]; timer: NodeJS.Timeout }>();
	#stop = new AbortController();
	#agent: Agent | undefined;

	constructor(endpoints: WebhookEndpoint[], retryDelays: number[], hooks: Hooks) {
		this.endpoints = endpoints;
		this.#initialEndpoints = endpoints;
		this.#retryDelays = retryDelays;
		this.#hooks = hooks;
		this.attempts = new Journal(KEPT_ATTEMPTS, hooks.nextNumber);
	}

	emit(event: WebhookEvent): void {
		for (const endpoint of this.endpoints) {
			if (endpoint.batch || endpoint.reorder) this.#gather(endpoint, event);
			else this.#enqueue(`${event.messageId} ${endpoint.url}`, endpoint, [event]);
		}
	}

	/**
	 * Sends what an attempt carried once more, to the endpoint as it is now: at once, newly signed, and
	 * with no retries. Refused if events go to that address no longer.
	 */
	async resend(attempt: WebhookAttempt): Promise<WebhookAttempt> {
		const endpoint = this.endpoints.find(({ url }) => url === attempt.url);
		const events = this.#carried.get(attempt);
		if (!endpoint || !events)
			throw conflict(
				`No events go to ${attempt.url} now; PUT /_sandbox/webhooks says where they go`,
			);
		const { signal } = this.#stop;
		const exchange = await this.#post(endpoint, events, signal);
		if (signal.aborted) throw conflict('The sandbox was reset meanwhile');
		return this.#note(endpoint, events, { attempt: 1, resendOf: attempt.id }, exchange);
	}

	/** Aborts everything under way, forgets the attempts and goes back to the endpoints of the start. */
	reset(): void {
		this.#abort();
		this.#stop = new AbortController();
		this.#queues = new Map();
		this.attempts.clear();
		this.endpoints = this.#initialEndpoints;
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
		if (events.length >= (endpoint.batch ?? 2)) this.#flush(endpoint);
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
			const exchange = await this.#limit(endpoint)(() => this.#post(endpoint, events, signal));
			if (signal.aborted) return;
			this.#note(endpoint, events, { attempt, resendOf: null }, exchange);
			const { status } = exchange;
			if (status !== null && status >= 200 && status < 300) return;
			const delay = this.#retryDelays[attempt - 1];
			if (delay === undefined) return;
			// Rejects only when stopped; the loop then notices.
			await sleep(delay, undefined, { signal }).catch(() => undefined);
		}
	}

	#limit({ url }: WebhookEndpoint): LimitFunction {
		let limit = this.#limits.get(url);
		if (!limit) this.#limits.set(url, (limit = pLimit(REQUESTS_AT_ONCE)));
		return limit;
	}

	async #post(
		endpoint: WebhookEndpoint,
		events: WebhookEvent[],
		signal: AbortSignal,
	): Promise<Exchange> {
		const { headers: unsigned, body } = webhookRequest(events, endpoint);
		const at = new Date();
		const began = performance.now();
		// Signed again for each attempt, in real time: the receiver checks against its own clock.
		const signature = await signatureHeaders(endpoint, body, at.getTime(), events[0]?.id ?? '');
		const headers = { ...unsigned, ...signature };
		const secrets = this.#hooks.secrets();
		const tapped = new BodyTap();
		tapped.add(Buffer.from(body));
		const sent = {
			at: at.toISOString(),
			...tapped.half(headers, secrets),
		};
		const duration = () => Math.round((performance.now() - began) * 10) / 10;
		try {
			// Loaded with the first event: most sandboxes in a test run send none.
			const { Agent, request } = await import('undici');
			this.#hooks.beforeSending();
			this.#agent ??= new Agent();
			const response = await request(endpoint.url, {
				method: 'POST',
				headers,
				body,
				dispatcher: this.#agent,
				signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
			});
			const { statusCode: status, headers: received } = response;
			const answered = new BodyTap();
			let size = 0;
			for await (const chunk of response.body as AsyncIterable<Buffer>) {
				answered.add(chunk);
				if ((size += chunk.length) > MAX_ANSWER_BYTES) break;
			}
			const answer = answered.half(received, secrets);
			return { ...sent, duration: duration(), status, error: null, answer };
		} catch (error) {
			return { ...sent, duration: duration(), status: null, error: String(error), answer: null };
		}
	}

	#note(
		{ url }: WebhookEndpoint,
		events: WebhookEvent[],
		which: Pick<WebhookAttempt, 'attempt' | 'resendOf'>,
		exchange: Exchange,
	): WebhookAttempt {
		const carried = events.map(({ id, event, messageId }) => ({ id, event, messageId }));
		const attempt = this.attempts.add({ url, events: carried, ...which, ...exchange });
		this.#carried.set(attempt, events);
		this.#hooks.onAttempt();
		return attempt;
	}
}
