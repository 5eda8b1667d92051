// A long run of receiver and sandbox in containers, as demo/compose.yaml starts them: a steady stream of
// events, a consumer that pulls, and at the end what was acknowledged, stored and delivered, and the memory.
//   npm run soak -- --minutes 30 --rate 50
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import type { DeliveryEvent } from '../../webhook-receiver/src/core/event-contract.ts';
import type { PullAnswer, PullRequest } from '../../webhook-receiver/src/core/pull-contract.ts';
import { root } from '../n8n/folders.ts';
import { ReceiverApi } from '../n8n/receiver-api.ts';
import { signedHeaders } from '../support/signed-headers.ts';
import { serviceClient } from '../../sandbox/src/client/service-client.ts';
import { Letters } from './letters.ts';
import { whyNoContainers } from '../support/podman.ts';
import { memoryOf, percentile, report, type Memory } from './soak-report.ts';
import { composeUp, untilHealthy, type Up } from './up.ts';

/** Without n8n, which is not measured here. */
const SERVICES = ['secrets', 'sandbox', 'prepare', 'receiver'];
const RESULTS = join(root, 'test', 'images', 'RESULTS.md');

const { values } = parseArgs({
	options: {
		minutes: { type: 'string', default: '30' },
		rate: { type: 'string', default: '50' },
	},
});
const minutes = numberOf('minutes');
const rate = numberOf('rate');

const reason = whyNoContainers();
if (reason !== null) throw new Error(`There are no containers here: ${reason}.`);
const folder = await mkdtemp(join(tmpdir(), 'soak-'));
let up: Up | undefined;
try {
	up = await composeUp('demo/compose.yaml', folder, SERVICES);
	await untilHealthy(up.ids.receiver);
	const { text, isWhole } = await soak(up);
	await writeFile(RESULTS, text);
	console.log(text);
	if (!isWhole) process.exitCode = 1;
} finally {
	await up?.down();
	await rm(folder, { recursive: true, force: true });
}

async function soak({ network, ids }: Up) {
	const read = (name: string) => readFile(join(folder, 'shared', name), 'utf8');
	const url = network.urlOf(8080);
	const token = await read('management-token');
	const secret = await read('ingest-secret');
	const account = { name: 'direct', token: await read('service-token') };
	const service = {
		url: network.urlOf(8443).replace('http:', 'https:'),
		caCertificate: await read('service-ca'),
		accounts: [{ ...account, certificate: null, key: null }],
	};
	const letters = new Letters(serviceClient(service, 'direct'));
	const consumer = consume(url, token);
	await consumer.known;

	const acknowledged: string[] = [];
	const refused: string[] = [];
	const latencies: number[] = [];
	const post = async (n: number) => {
		const id = `soak-${n}`;
		const body = JSON.stringify({
			id,
			event: 'aes_sent',
			messageId: `s${n}`,
			timestamp: new Date().toISOString(),
		});
		const startedAt = performance.now();
		const status = await postSigned(`${url}/events`, body, secret);
		latencies.push(performance.now() - startedAt);
		(status === 200 ? acknowledged : refused).push(id);
	};

	const memory: Array<Record<string, Memory>> = [];
	const look = async () => {
		memory.push({ receiver: await memoryOf(ids.receiver), sandbox: await memoryOf(ids.sandbox) });
	};
	await look();
	const total = Math.round(minutes * 60 * rate);
	const startedAt = performance.now();
	const open = new Set<Promise<void>>();
	for (let n = 0; n < total; n++) {
		// By the clock, not by the answers: a slow receiver must not slow down what comes.
		await sleep(Math.max(0, startedAt + (n * 1000) / rate - performance.now()));
		const posting = post(n).finally(() => open.delete(posting));
		open.add(posting);
		if (n % rate === 0) await letters.send();
		if (n === Math.round(total / 2)) await look();
	}
	await Promise.all(open);
	const seconds = (performance.now() - startedAt) / 1000;

	const api = new ReceiverApi(url, token);
	// What is missing then shows in the figures.
	await api.untilDrained().catch((error: Error) => console.error(error.message));
	await consumer.stop();
	await look();

	const ofLetters = new Set(letters.ids);
	const isLetter = ({ messageId }: DeliveryEvent) => ofLetters.has(messageId ?? '');
	const idOf = ({ raw }: DeliveryEvent) => String((raw as { id?: unknown } | null)?.id);
	// The sandbox's example letters have events as well.
	const stored = (await api.events()).filter(
		(event) => isLetter(event) || idOf(event).startsWith('soak-'),
	);
	const storedIds = new Set(stored.map(idOf));
	const counts = stored.map(({ id }) => consumer.delivered.get(id) ?? 0);
	return report({
		minutes,
		rate,
		sent: total / seconds,
		memory,
		refused: refused.length,
		acknowledged: acknowledged.length,
		lost: acknowledged.filter((id) => !storedIds.has(id)).length,
		ofLetters: stored.filter(isLetter).length,
		expectedOfLetters: letters.ids.length * Letters.EVENTS_EACH,
		stored: stored.length,
		deliveredOnce: counts.filter((count) => count === 1).length,
		deliveredTwice: counts.filter((count) => count > 1).length,
		p50: percentile(latencies, 0.5),
		p99: percentile(latencies, 0.99),
		most: percentile(latencies, 1),
	});
}

async function postSigned(url: string, body: string, secret: string): Promise<number> {
	const headers = signedHeaders(body, secret);
	const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => null);
	await answer?.arrayBuffer();
	return answer?.status ?? 0;
}

/** Pulls as n8n does, and counts how often each event came, by the receiver's id. */
function consume(url: string, token: string) {
	const delivered = new Map<string, number>();
	let stopping = false;
	let settle: PullRequest['settle'] = [];
	const pull = async (openMs: number): Promise<void> => {
		const asked: PullRequest = {
			holder: 'soak-holder',
			wants: { events: ['*'], batchSize: 50 },
			atOnce: 20,
			settle,
			openMs,
		};
		const answer = await fetch(`${url}/consumers/soak~1~1~production/pull`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
			body: JSON.stringify(asked),
		});
		if (!answer.ok) throw new Error(`The pull was answered ${answer.status}.`);
		const { batches } = (await answer.json()) as PullAnswer;
		for (const { id } of batches.flatMap(({ events }) => events)) {
			delivered.set(id, (delivered.get(id) ?? 0) + 1);
		}
		settle = batches.map(({ id: batch }) => ({ batch, outcome: 'ack' }));
	};
	const known = pull(0);
	const ended = known.then(async () => {
		while (!stopping || (settle ?? []).length > 0) await pull(stopping ? 0 : 1000);
	});
	// Seen by who stops it, not before.
	ended.catch(() => undefined);
	const stop = async () => {
		stopping = true;
		await ended;
	};
	return { delivered, known, stop };
}

function numberOf(name: 'minutes' | 'rate'): number {
	const value = Number(values[name]);
	if (value > 0) return value;
	throw new Error(`--${name} takes a number above 0, not "${values[name]}".`);
}
