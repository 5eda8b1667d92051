// A program: one receiver that watches a whole mailing over 90 days of a virtual clock, in minutes.
// The test that runs it kills and restarts it in the middle, and it continues where it was: time
// never goes back, since its limit is on disk before the clock advances to it.
import fs, { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../../../../webhook-receiver/src/config/read-config.ts';
import type { DeliveryEvent } from '../../../../webhook-receiver/src/core/event-contract.ts';
import { startReceiver } from '../../../../webhook-receiver/src/server.ts';
import { eventTypes, isUnreadable, lifeOf, statusAt } from './lives.ts';
import { VirtualClock } from './virtual-clock.ts';
import { signedHeaders } from '../../../support/signed-headers.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 5);
const END = START + 90 * DAY;
const TOKEN = 'management-token-of-tests';
const SECRET = 'ingest-secret-of-tests';
const SERVICE_TOKEN = 'service-token-of-tests';

const [folder = '', count = '1000', rate = '300'] = process.argv.slice(2);
const letters = Number(count);
const pollsPerMinute = Number(rate);

interface Progress {
	/** How far the clock may go before this is written again. */
	until: number;
	/** Webhooks posted before this was last written. */
	webhooks: number;
	registered: boolean;
	/** Across all runs so far. */
	polls: number;
	busiestMinute: number;
	starts: number;
}

const progressFile = join(folder, 'progress.json');
const progress = readProgress();
const clock = new VirtualClock(progress.until);
const { at: webhookTimes, change: webhookChanges } = allWebhooks();

// The service: each letter's current status, with occasional trouble.
let underWay = 0;
const lastMinute: number[] = [];
const service = createServer((request, response) => {
	underWay++;
	response.once('close', () => underWay--);
	progress.polls++;
	noteRate(clock.now());
	const trouble = progress.polls % 800;
	if (trouble === 100) return void request.socket.destroy();
	if (trouble === 200) return void response.writeHead(500).end();
	if (trouble === 300) return void response.writeHead(429, { 'retry-after': '90' }).end();
	if (trouble === 400) return void response.writeHead(503, { 'retry-after': '30' }).end();
	if (trouble === 500) return void response.writeHead(404).end('{"code":"message-not-found"}');
	if (trouble === 600) return void response.end('<html>Maintenance</html>');
	if (trouble === 700) return void response.end('{"id":"999999999999","status":"EXPIRED"}');
	const id = request.url?.split('/').at(-1) ?? '';
	if (isUnreadable(Number(id))) return void response.end('<html>Oops</html>');
	const life = lifeOf(Number(id));
	const evidences = life.type === 'AES' ? [] : [{ eventType: 'SENT', url: 'https://x.example/' }];
	const status = statusAt(life, clock.now() - START);
	response.setHeader('content-type', 'application/json');
	response.end(JSON.stringify({ id, status, evidences }));
});
// The store waits for the disk outside the event loop; meanwhile nothing is quiet.
let syncing = 0;
const { fdatasync } = fs;
fs.fdatasync = Object.assign((descriptor: number, done: fs.NoParamCallback) => {
	syncing++;
	fdatasync(descriptor, (error) => {
		syncing--;
		done(error);
	});
}, fdatasync);

await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
const { port } = service.address() as AddressInfo;

const config = readConfig({
	...{ PORT: '0', LOG_LEVEL: 'silent', MANAGEMENT_TOKEN: TOKEN, INGEST_HMAC_SECRETS: SECRET },
	DATABASE_FILE: join(folder, 'receiver.sqlite'),
	RETENTION: '365d',
	SERVICE_URL: `http://127.0.0.1:${port}`,
	SERVICE_TOKEN,
	WATCH_RATE_LIMIT: rate,
	WATCH_DELAYS: '0s:12h,2d:3d',
});
const receiver = await startReceiver(config, { clock, logger: pino({ level: 'silent' }) });
const manage = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

progress.starts++;
if (!progress.registered) await register();
save();
say({ started: progress.starts });

const memory: number[] = [];
let saidAt = Date.now();
let posted = progress.webhooks;
const sampleEvery = 10 * DAY;
let sampleAt = Math.ceil((clock.now() - START) / sampleEvery) * sampleEvery + START;
let stopping = false;
process.once('SIGTERM', () => (stopping = true));
while (clock.now() < END && !stopping) await go();
if (stopping) {
	await receiver.close();
	process.exit(0);
}
await quiet();
const figures = {
	done: true,
	...{ letters, polls: progress.polls, busiestMinute: progress.busiestMinute },
	...{ pollsPerMinute, starts: progress.starts, heapMB: memory },
	...(await compare()),
};
await receiver.close();
service.close();
say(figures);

/** Moves on to the next thing due, once the current work has had its time. */
async function go(): Promise<void> {
	const webhookAt = webhookTimes[posted] ?? Infinity;
	const next = Math.min(clock.next(), webhookAt, END);
	// Polls overlap as in reality; longer stretches pass only when no poll is in progress.
	if (underWay >= 6 || (underWay > 0 && next - clock.now() > 5_000)) return turn();
	if (next - clock.now() > 5_000 && !(await isQuiet())) return;
	if (next > progress.until) {
		progress.until = Math.min(Math.max(next, progress.until) + 6 * HOUR, END);
		progress.webhooks = posted;
		save();
	}
	clock.moveTo(next);
	if (webhookAt <= clock.now()) await postWebhooks();
	if (clock.now() >= sampleAt) {
		sampleAt += sampleEvery;
		global.gc?.();
		memory.push(Math.round(process.memoryUsage().heapUsed / 1e5) / 10);
	}
	if (Date.now() - saidAt > 200) {
		saidAt = Date.now();
		say({ day: Math.round((clock.now() - START) / DAY), polls: progress.polls });
	}
	await turn();
}

/** A few turns of the event loop in which no poll starts and nothing new falls due. */
async function isQuiet(): Promise<boolean> {
	const due = clock.next();
	const { polls } = progress;
	for (let n = 0; n < 8; n++) {
		await turn();
		if (underWay > 0 || syncing > 0 || polls !== progress.polls || clock.next() !== due)
			return false;
	}
	return true;
}

async function quiet(): Promise<void> {
	while (!(await isQuiet())) await turn();
}

function turn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

async function register(): Promise<void> {
	for (let first = 1; first <= letters; first += 1000) {
		const last = Math.min(first + 999, letters);
		const messages = Array.from({ length: last - first + 1 }, (_, index) => {
			const { messageId, type } = lifeOf(first + index);
			return { messageId, messageType: type };
		});
		const body = JSON.stringify({ messages });
		const answer = await fetch(`${receiver.url}/watches`, {
			method: 'POST',
			headers: manage,
			body,
		});
		if (!answer.ok) throw new Error(`POST /watches: ${answer.status} ${await answer.text()}`);
	}
	progress.registered = true;
}

/** Everything due by now, in requests of up to a hundred. */
async function postWebhooks(): Promise<void> {
	const events: object[] = [];
	for (; (webhookTimes[posted] ?? Infinity) <= clock.now() && events.length < 100; posted++) {
		const place = webhookChanges[posted] ?? 0;
		const life = lifeOf(Math.floor(place / 10));
		const change = life.changes[place % 10];
		if (change === undefined) throw new Error('no such change');
		const timestamp = new Date(START + change.at).toISOString();
		const event = `${life.type.toLowerCase()}_${change.status.toLowerCase()}`;
		events.push({ event, messageId: life.messageId, timestamp });
	}
	const body = JSON.stringify(events);
	const headers = signedHeaders(body, SECRET, clock.now());
	const answer = await fetch(`${receiver.url}/events`, { method: 'POST', headers, body });
	if (!answer.ok) throw new Error(`POST /events: ${answer.status} ${await answer.text()}`);
	await answer.arrayBuffer();
}

/**
 * Times and changes of all webhooks in order; a change is the letter's number and its index there.
 */
function allWebhooks(): { at: Float64Array; change: Float64Array } {
	const all: Array<[number, number]> = [];
	for (let n = 1; n <= letters; n++) {
		for (const [place, { at, webhook }] of lifeOf(n).changes.entries()) {
			const id = n * 10 + place;
			const late = START + at + HOUR + ((n * 7_919) % (60 * HOUR));
			if (webhook === 'at once' || webhook === 'twice') all.push([START + at, id]);
			if (webhook === 'late' || webhook === 'twice') all.push([late, id]);
		}
	}
	all.sort(([left], [right]) => left - right);
	return {
		at: Float64Array.from(all, ([at]) => at),
		change: Float64Array.from(all, ([, id]) => id),
	};
}

/** Polls within any minute, in virtual time. */
function noteRate(now: number): void {
	lastMinute.push(now);
	while ((lastMinute[0] ?? now) <= now - 60_000) lastMinute.shift();
	progress.busiestMinute = Math.max(progress.busiestMinute, lastMinute.length);
}

/** What the receiver has compared with what happened: missing events, and surplus ones. */
async function compare() {
	const found = new Map<string, string[]>();
	let byWatching = 0;
	let events = 0;
	for (let before: number | null = null; ; ) {
		const page: string = before === null ? '' : `&before=${before}`;
		const answer = await fetch(`${receiver.url}/events?limit=500${page}`, { headers: manage });
		const { data, next } = (await answer.json()) as { data: DeliveryEvent[]; next: number | null };
		for (const { messageId, type, sourceType } of data) {
			// The service's outages are told, and are no letter's.
			if (type === 'receiver.attention') continue;
			events++;
			if (sourceType === 'status') byWatching++;
			found.set(messageId ?? '', [...(found.get(messageId ?? '') ?? []), type]);
		}
		if (next === null || data.length === 0) break;
		before = next;
	}
	const wrong: object[] = [];
	let changes = 0;
	for (let n = 1; n <= letters; n++) {
		const life = lifeOf(n);
		const expected = isUnreadable(n) ? [] : eventTypes(life);
		changes += expected.length;
		const got = (found.get(life.messageId) ?? []).reverse();
		if ([...got].sort().join() !== [...expected].sort().join()) {
			wrong.push({ messageId: life.messageId, got, changes: life.changes });
		}
	}
	return { changes, events, byWatching, wrong: wrong.length, examples: wrong.slice(0, 5) };
}

function readProgress(): Progress {
	try {
		return JSON.parse(readFileSync(progressFile, 'utf8')) as Progress;
	} catch {
		const none = { polls: 0, busiestMinute: 0, starts: 0 };
		return { until: START, webhooks: 0, registered: false, ...none };
	}
}

function save(): void {
	writeFileSync(`${progressFile}.new`, JSON.stringify(progress));
	renameSync(`${progressFile}.new`, progressFile);
}

function say(line: object): void {
	process.stdout.write(`${JSON.stringify(line)}\n`);
}
