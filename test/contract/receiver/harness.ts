// What the receiver's contract tests share: a receiver on a real file, targets that really listen,
// a clock to be moved by hand.
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Clock } from '../../../webhook-receiver/src/clock.ts';
import { readConfig } from '../../../webhook-receiver/src/config.ts';
import { deliveryBodySchema } from '../../../webhook-receiver/src/contract.ts';
import type { DeliveryEvent } from '../../../webhook-receiver/src/contract.ts';
import { startReceiver } from '../../../webhook-receiver/src/server.ts';
import type { Dependencies } from '../../../webhook-receiver/src/server.ts';

export const TOKEN = 'management-token-of-tests';
export const INGEST_SECRET = 'ingest-secret-of-tests';
export const SUBSCRIPTION_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const undo: Array<() => Promise<void> | void> = [];

/** For `afterEach`: ends in reverse order what the test started. */
export async function cleanUp(): Promise<void> {
	while (undo.length > 0) await undo.pop()?.();
}

/** Has `cleanUp` end something. */
export function later(end: () => Promise<void> | void): void {
	undo.push(end);
}

export function temporaryFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
	undo.push(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

export function environment(folder: string, env: Record<string, string> = {}) {
	return {
		PORT: '0',
		DATABASE_FILE: join(folder, 'receiver.sqlite'),
		MANAGEMENT_TOKEN: TOKEN,
		INGEST_HMAC_SECRETS: INGEST_SECRET,
		ALLOWED_TARGETS: '127.0.0.1',
		LOG_LEVEL: 'silent',
		...env,
	};
}

/** A receiver in this process, jitter off. */
export async function start(
	options: { folder?: string; env?: Record<string, string>; dependencies?: Dependencies } = {},
) {
	const folder = options.folder ?? temporaryFolder();
	const config = readConfig(environment(folder, options.env));
	const logger = options.dependencies?.logger ?? pino({ level: 'silent' });
	const receiver = await startReceiver(config, {
		random: () => 0,
		...options.dependencies,
		logger,
	});
	undo.push(() => receiver.close());
	return { ...receiver, ...clientOf(receiver.url, options.dependencies?.clock), folder };
}

/** The calls tests make, to any receiver. */
export function clientOf(url: string, clock?: Clock) {
	const manage = (method: string, path: string, body?: unknown, token = TOKEN) =>
		call(`${url}${path}`, {
			method,
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
	return {
		manage,
		/** Posts events as the service would, signed. */
		emit(event: unknown, headers: Record<string, string> = {}) {
			const body = typeof event === 'string' ? event : JSON.stringify(event);
			const now = clock?.now() ?? Date.now();
			return call(`${url}/events`, {
				method: 'POST',
				headers: { 'content-type': 'application/json', ...signed(body, now), ...headers },
				body,
			});
		},
		subscribe(key: string, target: string, more: Record<string, unknown> = {}) {
			const body = { url: target, events: ['*'], secret: SUBSCRIPTION_SECRET, ...more };
			return manage('PUT', `/subscriptions/${key}`, body);
		},
		deliveries: async (state?: string) => {
			const answer = await manage('GET', `/deliveries?limit=500${state ? `&state=${state}` : ''}`);
			return answer.body.data as Array<Record<string, unknown>>;
		},
	};
}

export function signed(body: string, now: number, secret = INGEST_SECRET) {
	const timestamp = String(Math.floor(now / 1000));
	const hmac = createHmac('sha256', secret).update(`${timestamp}.${body}`);
	return { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': hmac.digest('hex') };
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

export interface Received {
	path: string;
	headers: IncomingHttpHeaders;
	text: string;
	events: DeliveryEvent[];
}

/** How a target answers; `'hang'` never does. */
export type Reply = number | 'hang' | { status: number; headers: Record<string, string> };

/** A target that records what it gets. Each body is checked against the contract. */
export async function target(reply: (request: Received, index: number) => Reply = () => 200) {
	const received: Received[] = [];
	const server: Server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const text = Buffer.concat(chunks).toString();
			const { events } = deliveryBodySchema.parse(JSON.parse(text));
			const record = { path: request.url ?? '', headers: request.headers, text, events };
			const answer = reply(record, received.push(record) - 1);
			if (answer === 'hang') return;
			const { status, headers } =
				typeof answer === 'number' ? { status: answer, headers: {} } : answer;
			response.writeHead(status, headers).end();
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	undo.push(() => {
		server.closeAllConnections();
		return new Promise<void>((resolve) => server.close(() => resolve()));
	});
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/webhook`,
		received,
		events: () => received.flatMap((request) => request.events),
		types: () => received.flatMap((request) => request.events.map((event) => event.type)),
	};
}

export class ManualClock implements Clock {
	private time = Date.UTC(2026, 0, 31, 9, 30);
	private tasks: Array<{ time: number; task: () => void }> = [];

	now = () => this.time;

	at(time: number, task: () => void) {
		const entry = { time, task };
		this.tasks.push(entry);
		return () => {
			this.tasks = this.tasks.filter((other) => other !== entry);
		};
	}

	advance(milliseconds: number): void {
		this.time += milliseconds;
		const due = this.tasks.filter((entry) => entry.time <= this.time);
		this.tasks = this.tasks.filter((entry) => entry.time > this.time);
		for (const { task } of due) task();
	}
}

/** Waits for what really happens, such as a request to arrive. */
export async function until(condition: () => boolean | Promise<boolean>, what: string) {
	const deadline = Date.now() + 60_000;
	while (!(await condition())) {
		if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

/** Long enough for what must not happen to happen on this machine. */
export function settleDown(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 100));
}
