// Shared by the receiver's contract tests: a receiver on a real file, consumers that pull like n8n,
// a clock moved by hand.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Clock } from '../../../webhook-receiver/src/time/clock.ts';
import { readConfig } from '../../../webhook-receiver/src/config/read-config.ts';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { pullAnswerSchema } from '../../../webhook-receiver/src/core/pull-contract.ts';
import type {
	Batch,
	BatchSettlement,
	PullAnswer,
	PullRequest,
	ConsumerView,
} from '../../../webhook-receiver/src/core/pull-contract.ts';
import { startReceiver } from '../../../webhook-receiver/src/server.ts';
import type { Dependencies } from '../../../webhook-receiver/src/server.ts';
import { activity, isAtRest, isOurs, watchWires } from './at-rest.ts';
import { signedHeaders } from '../../support/signed-headers.ts';

export const TOKEN = 'management-token-of-tests';
export const INGEST_SECRET = 'ingest-secret-of-tests';
export const ENCRYPTION_KEY = 'encryption-key-of-tests-and-of-nothing-else';

/** Instance `n8n`, workflow `flow`, node `trigger`. */
export const KEY = 'n8n~flow~trigger~production';
export const HOLDER = 'holder-of-tests';

const undo: Array<() => Promise<void> | void> = [];

/** For `afterEach`: ends what the test started, in reverse order. */
export async function cleanUp(): Promise<void> {
	while (undo.length > 0) await undo.pop()?.();
}

/** Registers something for `cleanUp` to end. */
export function later(end: () => Promise<void> | void): void {
	undo.push(end);
}

export function temporaryFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
	undo.push(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** The ID of a letter. */
export const idOf = (number: number): string => String(number).padStart(12, '0');

/** The IDs of letters 1 to `count`. */
export const idsTo = (count: number): string[] =>
	Array.from({ length: count }, (_, n) => idOf(n + 1));

/** What an execution registers that sleeps for these letters; for an hour unless told otherwise. */
export function waitFor(
	clock: { now(): number },
	messageIds: readonly string[],
	more: object = {},
) {
	return {
		instance: 'n8n',
		resumeUrl: 'http://127.0.0.1:9/webhook-waiting/7?signature=token-of-n8n',
		secret: 'secret-of-this-wait-alone-0123456789',
		messages: messageIds.map((messageId) => ({ messageId, messageType: 'AES' })),
		deadline: new Date(clock.now() + 3_600_000).toISOString(),
		...more,
	};
}

/** The same of consents. */
export const waitForConsents = (clock: { now(): number }, ids: readonly string[], ms: number) =>
	waitFor(clock, [], {
		messages: undefined,
		consents: ids.map((consentId) => ({ consentId })),
		deadline: new Date(clock.now() + ms).toISOString(),
	});

/** A logger, and each line that it was given. */
export function recordedLog(level = 'info') {
	const lines: string[] = [];
	return { lines, logger: pino({ level }, { write: (line: string) => void lines.push(line) }) };
}

export function environment(folder: string, env: Record<string, string> = {}) {
	return {
		PORT: '0',
		DATABASE_FILE: join(folder, 'receiver.sqlite'),
		MANAGEMENT_TOKEN: TOKEN,
		INGEST_HMAC_SECRETS: INGEST_SECRET,
		LOG_LEVEL: 'silent',
		// The embedded store makes its own.
		...(env.DATABASE_URL && { ENCRYPTION_KEY }),
		...env,
	};
}

/** A receiver in this process. */
export async function start(
	options: { folder?: string; env?: Record<string, string>; dependencies?: Dependencies } = {},
) {
	const folder = options.folder ?? temporaryFolder();
	const reread = () => readConfig(environment(folder, options.env));
	const config = reread();
	const logger = options.dependencies?.logger ?? pino({ level: 'silent' });
	undo.push(watchWires());
	const receiver = await startReceiver(config, { reread, ...options.dependencies, logger });
	isOurs(receiver.url);
	undo.push(() => receiver.close());
	const client = clientOf(receiver.url, options.dependencies?.clock);
	/**
	 * Resolves when the receivers of this process do nothing more until a request comes or their clock
	 * moves: what they must not do, they have not done by then, or never do. Pulls that this one holds
	 * are in; `others` is how many of them are not from here.
	 */
	const atRest = (others = 0) =>
		until(async () => {
			await client.untilHeld(others);
			const before = activity();
			await client.untilHeld(others);
			return activity() === before && (await isAtRest());
		}, 'the receiver is at rest');
	return { ...receiver, ...client, atRest, folder };
}

/** A batch as `/batches` lists it. */
export interface BatchView {
	id: string;
	number: number;
	consumer: string;
	wait: string | null;
	events: number[];
	subjects: string[];
	state: string;
	attempts: number;
	dueAt: string | null;
	reason: string | null;
	createdAt: string;
	updatedAt: string;
}

export type Client = ReturnType<typeof clientOf>;

/** The calls tests make, to any receiver. */
export function clientOf(url: string, clock?: Pick<Clock, 'now'>) {
	/** Calls without an answer. */
	let open = 0;
	const counted: typeof call = async (...args) => {
		open++;
		try {
			return await call(...args);
		} finally {
			open--;
		}
	};
	const metrics = async () => await (await fetch(`${url}/metrics`)).text();
	const pullsHeld = async () => Number(/^receiver_pulls_open (\d+)$/m.exec(await metrics())?.[1]);
	const manage = (
		method: string,
		path: string,
		body?: unknown,
		token = TOKEN,
		signal?: AbortSignal,
	) =>
		counted(`${url}${path}`, {
			method,
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
			signal,
		});
	const pull = async (
		body: Partial<PullRequest> = {},
		{ key = KEY, signal }: { key?: string; signal?: AbortSignal } = {},
	) => {
		const asked = { holder: HOLDER, wants: { events: ['*'] }, openMs: 0, ...body };
		return manage('POST', `/consumers/${key}/pull`, asked, TOKEN, signal);
	};
	return {
		manage,
		metrics,
		/** Resolves when the receiver holds as many pulls as calls have no answer, and `others`. */
		untilHeld: (others = 0) =>
			until(async () => (await pullsHeld()) === open + others, 'all pulls are held'),
		/** Posts signed events, like the service. */
		emit(event: unknown, headers: Record<string, string> = {}) {
			const body = typeof event === 'string' ? event : JSON.stringify(event);
			const now = clock?.now() ?? Date.now();
			return counted(`${url}/events`, {
				method: 'POST',
				headers: { ...signed(body, now), ...headers },
				body,
			});
		},
		/** Returns any answer, whatever its status; by default wants everything and is not held. */
		pull,
		/** A pull whose answer must match the contract. */
		async pulled(...args: Parameters<typeof pull>): Promise<PullAnswer> {
			const { status, body } = await pull(...args);
			if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
			return pullAnswerSchema.unwrap().strict().parse(body);
		},
		/** The whole log, newest first. */
		async events(): Promise<DeliveryEvent[]> {
			const all: DeliveryEvent[] = [];
			for (let before = ''; ; ) {
				const { status, body } = await manage('GET', `/events?limit=500${before}`);
				if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
				all.push(...(body.data as DeliveryEvent[]));
				if (body.next === null) return all;
				before = `&before=${String(body.next)}`;
			}
		},
		consumers: async () => (await manage('GET', '/consumers')).body.data as ConsumerView[],
		batches: async (state?: string) => {
			const answer = await manage('GET', `/batches?limit=500${state ? `&state=${state}` : ''}`);
			return answer.body.data as BatchView[];
		},
	};
}

export interface ConsumeOptions extends Partial<Omit<PullRequest, 'settle'>> {
	key?: string;
	/** Settles a batch in n8n's place; `hold` keeps it in hand without a settlement. */
	settle?: (batch: Batch) => BatchSettlement['outcome'] | 'hold';
}

/** Pulls repeatedly and settles what arrives, like n8n; resolves once the consumer is known. */
export async function consume(receiver: Pick<Client, 'pulled'>, options: ConsumeOptions = {}) {
	const { key, settle: judge = () => 'ack', ...asked } = options;
	const request = { holder: `holder-${randomUUID()}`, openMs: 25_000, atOnce: 10, ...asked };
	const batches: Batch[] = [];
	const stopping = new AbortController();
	let settle: BatchSettlement[] = [];
	const once = async (openMs: number) => {
		const signal = stopping.signal;
		const answer = await receiver.pulled({ ...request, settle, openMs }, { key, signal });
		batches.push(...answer.batches);
		settle = answer.batches.flatMap((batch) => {
			const outcome = judge(batch);
			return outcome === 'hold' ? [] : [{ batch: batch.id, outcome }];
		});
	};
	await once(0);
	const loop = async () => {
		while (!stopping.signal.aborted) {
			try {
				await once(settle.length > 0 ? 0 : request.openMs);
			} catch {
				// Stopped, or the receiver is unreachable: n8n retries, too.
				await tick();
			}
		}
	};
	const looping = loop();
	const stop = async () => {
		stopping.abort();
		await looping;
	};
	later(stop);
	const events = () => batches.flatMap((batch) => batch.events);
	return { batches, events, types: () => events().map(({ type }) => type), stop };
}

/** All that a consumer still gets, each batch acknowledged. */
export async function drained(
	receiver: Pick<Client, 'pulled'>,
	asked: Partial<PullRequest> = {},
	key = KEY,
): Promise<DeliveryEvent[]> {
	const all: DeliveryEvent[] = [];
	for (let settle: BatchSettlement[] = []; ; ) {
		const { batches } = await receiver.pulled({ ...asked, settle }, { key });
		if (batches.length === 0) return all;
		all.push(...batches.flatMap(({ events }) => events));
		settle = batches.map(({ id }) => ({ batch: id, outcome: 'ack' }));
	}
}

export function signed(body: string, now: number, secret = INGEST_SECRET) {
	return signedHeaders(body, secret, now);
}

export async function call(url: string, init: RequestInit) {
	const response = await fetch(url, init);
	const text = await response.text();
	return {
		status: response.status,
		headers: response.headers,
		body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
	};
}

export class ManualClock implements Clock {
	private time = Date.UTC(2026, 0, 31, 9, 30);
	/** How far the wall clock was set forth, or back if negative. */
	private offset = 0;
	private tasks: Array<{ time: number; task: () => void }> = [];

	now = () => this.time + this.offset;
	wall = () => this.now();
	elapsed = () => this.time;

	after(milliseconds: number, task: () => void) {
		const entry = { time: this.time + milliseconds, task };
		this.tasks.push(entry);
		return () => {
			this.tasks = this.tasks.filter((other) => other !== entry);
		};
	}

	due(milliseconds: number, task: () => void) {
		return this.after(milliseconds, task);
	}

	/** Sets the wall clock forth, or back if negative; no time passes. */
	set(milliseconds: number): void {
		this.offset += milliseconds;
	}

	advance(milliseconds: number): void {
		this.time += milliseconds;
		const due = this.tasks.filter((entry) => entry.time <= this.time);
		this.tasks = this.tasks.filter((entry) => entry.time > this.time);
		for (const { task } of due) task();
	}
}

/** Waits for real events, such as the arrival of a request. */
export async function until(
	condition: () => boolean | Promise<boolean>,
	what: string | (() => string),
	limitMs = 60_000,
): Promise<void> {
	const deadline = performance.now() + limitMs;
	while (!(await condition())) {
		if (performance.now() > deadline) {
			throw new Error(`waited in vain until ${typeof what === 'string' ? what : what()}`);
		}
		await tick();
	}
}

/** Between two looks at the same thing. */
function tick(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 5));
}
