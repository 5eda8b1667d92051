// Posts signed events as the service would, over keep-alive connections. It speaks HTTP/1.1 by
// itself: an HTTP client costs as much as the server it is to load, and there are two cores.
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { INGEST_SECRET } from './load.ts';
import type { LoadResult, Order } from './load.ts';
import { quantile } from './rounds.ts';
import { answer } from './worker.ts';

const KINDS = ['aes_sent', 'aes_received', 'aes_opened'];
const END_OF_HEADERS = Buffer.from('\r\n\r\n');

/** Numbers of events go on from load to load, so that no event is ever a duplicate. */
let next = 0;
const run = `${process.pid}-${Date.now()}`;

answer({ load });

async function load(order: Order): Promise<LoadResult> {
	const { url, connections, seconds, rate } = order;
	const target = new URL(url);
	const tally: Tally = { count: 0, failed: 0, latencies: [] };
	const started = performance.now();
	const until = started + seconds * 1000;
	const cpu = process.cpuUsage();
	await Promise.all(
		Array.from({ length: connections }, (_, index) => {
			const pace = rate === undefined ? null : paceOf(rate, connections, index, started);
			return keepPosting(target, order, tally, until, pace);
		}),
	);
	const elapsed = (performance.now() - started) / 1000;
	const { user, system } = process.cpuUsage(cpu);
	return {
		events: tally.count,
		failed: tally.failed,
		seconds: elapsed,
		perSecond: tally.count / elapsed,
		p50: quantile(tally.latencies, 0.5),
		p99: quantile(tally.latencies, 0.99),
		cpu: (user + system) / 1e6 / elapsed,
	};
}

interface Tally {
	count: number;
	failed: number;
	/** Milliseconds from the time a request was due to its answer. */
	latencies: number[];
}

/** Of an open loop: when the nth request of a connection is due. */
type Pace = (n: number) => number;

function paceOf(rate: number, connections: number, index: number, started: number): Pace {
	const interval = (connections * 1000) / rate;
	return (n) => started + (n + index / connections) * interval;
}

/** One connection: a request, its answer, the next request, until the time is up. */
function keepPosting(
	target: URL,
	order: Order,
	tally: Tally,
	until: number,
	pace: Pace | null,
): Promise<void> {
	return new Promise((resolve, reject) => {
		const socket: Socket = connect({ host: target.hostname, port: Number(target.port) });
		socket.setNoDelay(true);
		let sent = 0;
		let begun = 0;
		let received = Buffer.alloc(0);
		const post = () => {
			begun = performance.now();
			socket.write(request(target, order.bytes));
		};
		const goOn = () => {
			const due = pace?.(sent) ?? 0;
			const now = performance.now();
			if (Math.max(now, due) >= until) return finish();
			sent++;
			if (due <= now) {
				post();
				// An open loop counts the time a request had to wait for its turn.
				if (pace !== null) begun = due;
			} else setTimeout(post, due - now);
		};
		const finish = () => {
			socket.removeAllListeners('close');
			socket.destroy();
			resolve();
		};
		socket.on('connect', goOn);
		socket.on('data', (chunk) => {
			received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
			const length = answerLength(received);
			if (length === null || received.length < length) return;
			tally.latencies.push(performance.now() - begun);
			if (received.toString('latin1', 9, 12) === '200') tally.count++;
			else tally.failed++;
			received = received.subarray(length);
			goOn();
		});
		socket.on('error', reject);
		socket.on('close', () => reject(new Error('the receiver closed a connection')));
	});
}

/** How long the first answer is, its headers included; null while that can't be said yet. */
function answerLength(received: Buffer): number | null {
	const headers = received.indexOf(END_OF_HEADERS);
	if (headers === -1) return null;
	const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, headers));
	if (length === null) throw new Error('an answer without a content length');
	return headers + END_OF_HEADERS.length + Number(length[1]);
}

/** One event in a request, as the service sends them: three events to a letter. */
function request(target: URL, bytes: number): string {
	const n = next++;
	const event = {
		eventId: `${run}-${n}`,
		event: KINDS[n % KINDS.length],
		messageId: String(Math.floor(n / KINDS.length)).padStart(12, '0'),
		timestamp: new Date().toISOString(),
		fileReference: `invoice-${n}`,
		details: '',
	};
	const bare = JSON.stringify(event);
	const body = JSON.stringify({ ...event, details: 'x'.repeat(Math.max(0, bytes - bare.length)) });
	const timestamp = String(Math.floor(Date.now() / 1000));
	const hmac = createHmac('sha256', INGEST_SECRET).update(`${timestamp}.${body}`).digest('hex');
	return (
		`POST ${target.pathname} HTTP/1.1\r\nhost: ${target.host}\r\n` +
		`content-type: application/json\r\ncontent-length: ${body.length}\r\n` +
		`x-webhook-timestamp: ${timestamp}\r\nx-webhook-signature: ${hmac}\r\n\r\n${body}`
	);
}
