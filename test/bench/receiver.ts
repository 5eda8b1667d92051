// Receivers in processes of their own, as operators run them.
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PullAnswer, PullRequest } from '../../webhook-receiver/src/core/pull-contract.ts';
import { INGEST_SECRET } from './load.ts';
import { end, startNode } from './processes.ts';

export const MANAGEMENT_TOKEN = 'management-token-of-the-benchmark';

const MAIN = new URL('../../webhook-receiver/src/main.ts', import.meta.url).pathname;
const START_PATIENCE_MS = 60_000;

export interface ReceiverOptions {
	/** Another program in place of the receiver's own `main.ts`, with the same environment. */
	program?: URL;
	/** Where the database file lies; made, and removed with the receiver, if not given. */
	folder?: string;
	env?: Record<string, string>;
}

export interface ReceiverProcess {
	url: string;
	pid: number;
	/** A call of the management API. */
	manage(method: string, path: string, body?: unknown): Promise<Response>;
	/** One pull, as n8n makes it. */
	pull(key: string, more?: Partial<PullRequest>): Promise<PullAnswer>;
	stop(): Promise<void>;
}

/**
 * A receiver that logs as operators have it, one line a request, into a file. Its limit of requests
 * per address is off, since the whole load comes from one.
 */
export async function startReceiver(options: ReceiverOptions = {}): Promise<ReceiverProcess> {
	const own = mkdtempSync(join(tmpdir(), 'bench-receiver-'));
	const folder = options.folder ?? own;
	const log = join(own, 'receiver.log');
	const output = openSync(log, 'a');
	const child = startNode(options.program?.pathname ?? MAIN, {
		stdio: ['ignore', output, output],
		env: {
			PORT: '0',
			DATABASE_FILE: join(folder, 'receiver.sqlite'),
			MANAGEMENT_TOKEN,
			INGEST_HMAC_SECRETS: INGEST_SECRET,
			INGEST_RATE_LIMIT: '0',
			...options.env,
		},
	});
	closeSync(output);
	const stop = async () => {
		await end(child);
		rmSync(own, { recursive: true, force: true });
	};
	const deadline = Date.now() + START_PATIENCE_MS;
	let url: string | undefined;
	while (url === undefined) {
		const said = readFileSync(log, 'utf8');
		url = /"url":"([^"]+)".*"msg":"listening"/.exec(said)?.[1];
		if (child.exitCode !== null || Date.now() > deadline) {
			await stop();
			throw new Error(`The receiver did not start. ${said}`);
		}
		await sleep(10);
	}
	const base = url;
	const manage = (method: string, path: string, body?: unknown) =>
		fetch(`${base}${path}`, {
			method,
			headers: { authorization: `Bearer ${MANAGEMENT_TOKEN}`, 'content-type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
	return {
		url: base,
		pid: child.pid ?? 0,
		manage,
		async pull(key, more = {}) {
			const answer = await manage('POST', `/consumers/${key}/pull`, pullOf(more));
			if (!answer.ok) throw new Error(`No pull: ${await answer.text()}`);
			return (await answer.json()) as PullAnswer;
		},
		stop,
	};
}

/** What a consumer of the benchmark asks for, unless it says otherwise: every event, one at a time. */
export function pullOf(more: Partial<PullRequest>): PullRequest {
	return { holder: 'n8n-of-the-benchmark', wants: { events: ['*'] }, holdMs: 0, ...more };
}

/**
 * Consumers that n8n has let go of: every event is for them, and waits in the log. So what is measured
 * is the way in, and not the way out.
 */
export async function addConsumers(
	receiver: ReceiverProcess,
	count: number,
	wantsOf: (n: number) => PullRequest['wants'] = () => ({ events: ['*'] }),
): Promise<void> {
	for (let n = 0; n < count; n++) {
		const wants = wantsOf(n);
		await receiver.pull(`n8n~flow-${n}~production`, { wants, atOnce: 0 });
		await receiver.pull(`n8n~flow-${n}~production`, { wants, leaving: true });
	}
}
