// A receiver that keeps Send Once Keys, behind a proxy that does to it what a test says.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { readConfig } from '../../webhook-receiver/src/config/read-config.ts';
import { startReceiver } from '../../webhook-receiver/src/server.ts';
import { systemClock } from '../../webhook-receiver/src/time/clock.ts';
import { byReceiver } from './sandbox.ts';
import { serve } from './http-server.ts';
import type { StubAnswer } from './stub-service.ts';

/** What becomes of a request to it. */
export interface Fate {
	/** Whether it reaches the receiver, before it is answered. */
	isDone: boolean;
	/** The receiver's own answer, at once or late, none at all, or one that the proxy makes up. */
	answer: 'own' | 'late' | 'cut' | StubAnswer;
}

export interface KeyReceiver {
	credential: object;
	/** Requests that came in. */
	requests: number;
	/** Whether it never learnt how a letter ended, or that none had left. */
	hasMissed: boolean;
	begin(fates: Fate[]): void;
	/** Lets as much time pass as all leases last. */
	passLeases(): void;
	close(): Promise<void>;
}

const managementToken = 'management-token-of-the-worlds';

/**
 * Requests in a row by nobody who holds a key: whoever held what they ask for is gone, since a holder
 * renews its claims. Then the time of a lease passes.
 */
const IN_VAIN = 100;
const LEASES = 120_000;

export async function startKeyReceiver(folder: string, name = 'keys'): Promise<KeyReceiver> {
	let ahead = 0;
	let inVain = 0;
	const now = () => Date.now() + ahead;
	const variables = {
		PORT: '0',
		MANAGEMENT_TOKEN: managementToken,
		LOG_LEVEL: 'silent',
		DATABASE_FILE: join(folder, `${name}.db`),
		INGEST_HMAC_SECRETS: 'secret-of-the-worlds',
	};
	const inner = await startReceiver(readConfig(variables), { clock: { ...systemClock, now } });

	let fates: Fate[] = [];
	/** Bodies that did not reach it yet. */
	const missed = new Set<string>();
	const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
		const fate = fates[receiver.requests++] ?? { isDone: true, answer: 'own' };
		const { method = '', url = '', headers } = incoming;
		const body = await text(incoming);
		missed.add(body);
		const { authorization = '' } = headers;
		const own =
			fate.isDone &&
			(await fetch(inner.url + url, {
				method,
				body,
				headers: { authorization, 'content-type': 'application/json' },
			}));
		const answer = own ? await own.text() : '';
		if (own) missed.delete(body);
		inVain = answer.includes('"mine":true') ? 0 : inVain + 1;
		if (inVain % IN_VAIN === IN_VAIN - 1) receiver.passLeases();
		if (fate.answer === 'late') await sleep(100);
		if (typeof fate.answer === 'object') {
			const {
				status = 200,
				contentType = 'application/json',
				headers: more,
				body: page,
			} = fate.answer;
			outgoing.writeHead(status, { 'content-type': contentType, ...more });
			return void outgoing.end(typeof page === 'string' ? page : JSON.stringify(page));
		}
		if (!own || fate.answer === 'cut') return void incoming.socket.destroy();
		outgoing.writeHead(own.status, { 'content-type': 'application/json' }).end(answer);
	};
	const proxy = await serve((incoming, outgoing) => {
		pass(incoming, outgoing).catch(() => outgoing.destroy());
	});

	const receiver: KeyReceiver = {
		credential: byReceiver(proxy.url, managementToken),
		requests: 0,
		// A claim that never came in holds nothing.
		get hasMissed() {
			return [...missed].some((body) => !body.includes('"leaving"'));
		},
		begin(next) {
			fates = next;
			receiver.requests = 0;
			inVain = 0;
			missed.clear();
		},
		passLeases: () => void (ahead += LEASES),
		async close() {
			await proxy.close();
			await inner.close();
		},
	};
	return receiver;
}
