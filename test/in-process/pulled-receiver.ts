// A real receiver on a file, that can go away and come back, and the service that posts to it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '../../webhook-receiver/src/time/clock.ts';
import { readConfig } from '../../webhook-receiver/src/config/read-config.ts';
import type { ConsumerView } from '../../webhook-receiver/src/core/pull-contract.ts';
import { startReceiver, type Receiver } from '../../webhook-receiver/src/server.ts';
import { signedHeaders } from '../support/signed-headers.ts';

export const managementToken = 'management-token-of-the-test';
const ingestSecret = 'ingest-secret-of-the-test';

export class PulledReceiver {
	private readonly folder: string;
	private readonly env: Record<string, string>;
	private receiver: Receiver | null = null;
	private token = managementToken;
	/** How far its clock is ahead, in milliseconds. */
	private ahead = 0;

	private constructor(folder: string, env: Record<string, string>) {
		this.folder = folder;
		this.env = env;
	}

	static async start(env: Record<string, string> = {}): Promise<PulledReceiver> {
		const one = new PulledReceiver(await mkdtemp(join(tmpdir(), 'pulled-')), env);
		await one.start();
		return one;
	}

	get url(): string {
		if (this.receiver === null) throw new Error('The receiver is not there.');
		return this.receiver.url;
	}

	async start(token = this.token): Promise<void> {
		this.token = token;
		this.receiver = await startReceiver(
			readConfig({
				PORT: '0',
				DATABASE_FILE: join(this.folder, 'receiver.db'),
				MANAGEMENT_TOKEN: token,
				INGEST_HMAC_SECRETS: ingestSecret,
				LOG_LEVEL: 'silent',
				...this.env,
			}),
			{ clock: { ...systemClock, now: () => systemClock.now() + this.ahead } },
		);
	}

	/** Time passes for the receiver: leases end that nobody has extended. What is held is not told. */
	advance(ms: number): void {
		this.ahead += ms;
	}

	async stop(): Promise<void> {
		await this.receiver?.close();
		this.receiver = null;
	}

	async end(): Promise<void> {
		await this.stop();
		await rm(this.folder, { recursive: true });
	}

	/** Posts events as the service would. */
	async serviceSends(events: object | object[]): Promise<void> {
		const body = JSON.stringify(events);
		const answer = await fetch(`${this.url}/events`, {
			method: 'POST',
			headers: signedHeaders(body, ingestSecret),
			body,
		});
		if (answer.status !== 200) throw new Error(`The receiver answered ${answer.status}.`);
	}

	async manage<T>(path: string, method = 'GET'): Promise<T> {
		const headers = { authorization: `Bearer ${this.token}` };
		const answer = await fetch(`${this.url}${path}`, { method, headers });
		return (await answer.json()) as T;
	}

	async consumers(): Promise<ConsumerView[]> {
		return (await this.manage<{ data: ConsumerView[] }>('/consumers')).data;
	}

	/** Resolves when all is done that was handed out, and nothing waits. */
	async isDrained(): Promise<boolean> {
		const all = await this.consumers();
		return all.every(({ queued, inHand, behind }) => queued + inHand + behind === 0);
	}
}

let number = 0;

/** An event of tracked mail as the service posts it; each is another. */
export function eventOf(letter: number, name = 'aes_sent') {
	return {
		id: `event-${++number}`,
		event: name,
		messageId: String(letter).padStart(12, '0'),
		timestamp: new Date(1_800_000_000_000 + number * 1000).toISOString(),
	};
}
