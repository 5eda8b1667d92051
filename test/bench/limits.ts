// What this machine can do at best: the limits that no receiver on it gets past.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { normalise } from '../../webhook-receiver/src/normalise.ts';
import { duplicateKey } from '../../webhook-receiver/src/dedup.ts';
import { SqliteStore } from '../../webhook-receiver/src/store/sqlite.ts';
import type { Candidate } from '../../webhook-receiver/src/store/store.ts';
import type { Round } from './benchmark.ts';
import { markdownTable, plainTable, readable } from './figures.ts';
import { BYTES, CONNECTIONS, pace, withLoad } from './ingest.ts';
import { writePart } from './results.ts';

/** A page of SQLite's log for each of an event's rows and index entries, roughly. */
const COMMIT_BYTES = 128 * 1024;

export async function limits(round: Round): Promise<void> {
	const { seconds } = pace(round.short);
	const milliseconds = (seconds * 1000) / 2;
	const store = await storeAlone(milliseconds);
	const table = [
		['limit', 'a second', 'what it bounds'],
		['4 kB written and synced', readable(syncs(4096, milliseconds)), 'commits, one request each'],
		[
			`${COMMIT_BYTES / 1024} kB written and synced`,
			readable(syncs(COMMIT_BYTES, milliseconds)),
			`commits of ${CONNECTIONS} events`,
		],
		[
			`events through the store alone, ${CONNECTIONS} a commit`,
			readable(store.perSecond),
			'durable ingest without any HTTP',
		],
		[
			`the same by its processor time, ${readable(store.microseconds)} µs an event`,
			readable(1e6 / store.microseconds),
			'durable ingest on a disk that takes no time',
		],
		[
			'requests to a bare Node server that reads the body',
			readable(await bareHttp(seconds)),
			'the same app without a store',
		],
	];
	console.log(`\n${plainTable(table)}`);
	if (!round.short) await writePart('limits', markdownTable(table));
}

function syncs(bytes: number, milliseconds: number): number {
	const folder = mkdtempSync(join(tmpdir(), 'bench-limits-'));
	const file = openSync(join(folder, 'file'), 'w');
	try {
		const content = Buffer.alloc(bytes, 1);
		const began = performance.now();
		let count = 0;
		while (performance.now() - began < milliseconds) {
			writeSync(file, content);
			fdatasyncSync(file);
			count++;
		}
		return (count * 1000) / (performance.now() - began);
	} finally {
		closeSync(file);
		rmSync(folder, { recursive: true });
	}
}

/** The embedded store with as many events a turn as there are connections. */
async function storeAlone(
	milliseconds: number,
): Promise<{ perSecond: number; microseconds: number }> {
	const folder = mkdtempSync(join(tmpdir(), 'bench-limits-'));
	const store = new SqliteStore(join(folder, 'receiver.sqlite'));
	try {
		let [events, elapsed, processor] = [0, 0, 0];
		while (elapsed < milliseconds) {
			const candidates = Array.from({ length: CONNECTIONS }, () => candidate(events++));
			const began = performance.now();
			const cpu = process.cpuUsage();
			await Promise.all(candidates.map((one) => store.ingest([one], Date.now())));
			const { user, system } = process.cpuUsage(cpu);
			elapsed += performance.now() - began;
			processor += user + system;
		}
		return { perSecond: (events * 1000) / elapsed, microseconds: processor / events };
	} finally {
		await store.close();
		rmSync(folder, { recursive: true });
	}
}

function candidate(n: number): Candidate {
	const received = new Date().toISOString();
	const normalised = normalise({
		...{ eventId: `limit-${n}`, event: 'aes_sent', messageId: n, timestamp: received },
		details: 'x'.repeat(BYTES),
	});
	const dedup = { bodyWindowMs: 600_000, keyRetentionMs: 86_400_000 };
	return {
		event: { ...normalised.event, receivedAt: received },
		duplicateKey: duplicateKey(normalised, dedup),
	};
}

function bareHttp(seconds: number): Promise<number> {
	return withLoad(async (load) => {
		const server = createServer((request, response) => {
			request
				.resume()
				.once('end', () => response.writeHead(200, { 'content-length': 2 }).end('{}'));
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
		const { port } = server.address() as AddressInfo;
		const url = `http://127.0.0.1:${port}/`;
		const order = { url, connections: CONNECTIONS, bytes: BYTES };
		await load.post({ ...order, seconds: seconds / 4 });
		const { perSecond } = await load.post({ ...order, seconds });
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
		return perSecond;
	});
}
