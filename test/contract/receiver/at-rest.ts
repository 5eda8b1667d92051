// Proves that something did not happen: a receiver at rest does nothing more until a request comes
// or its clock moves, so what has not happened by then does not happen. Seen at the wires of this
// process: its databases, its requests to others, its files.
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';

/** Commits wait for a turn of the event loop, or two, without anything under way. */
const QUIET_TURNS = 10;

type Method = (this: object, ...args: unknown[]) => unknown;

let watching = 0;
const undo: Array<() => void> = [];

/** What was asked of databases and others so far. */
let asked = 0;
/** Requests to others that are not answered yet. */
const requests = new Set<object>();
const connections = new Set<pg.Client>();
/** Those on which PostgreSQL tells what was committed: the channel, and what was heard. */
const listening = new Map<pg.Client, { channel: string; heard: Set<string> }>();
/** Where requests are for receivers of ours: those of tests. */
const own = new Set<string>();

/** Watches the wires of this process until the returned function is called. */
export function watchWires(): () => void {
	if (watching++ === 0) begin();
	return () => {
		if (--watching > 0) return;
		for (const end of undo.splice(0)) end();
		for (const all of [requests, connections, listening, own]) all.clear();
	};
}

/** Requests to it are no sign of a receiver's work. */
export function isOurs(url: string): void {
	own.add(new URL(url).origin);
}

/** Changes with each thing that is asked of a database or of others. */
export const activity = (): number => asked;

/**
 * Whether no receiver of this process has anything to do: it was told everything that is committed,
 * waits for no answer of a database, a file or the service, and does not go on by itself.
 */
export async function isAtRest(): Promise<boolean> {
	await hearNotifications();
	const before = asked;
	for (let n = 0; n < QUIET_TURNS; n++) {
		if (isUnderWay() || asked !== before) return false;
		await turn();
	}
	return true;
}

function isUnderWay(): boolean {
	const isBusy = (client: pg.Client) => Reflect.get(client, 'readyForQuery') !== true;
	return (
		requests.size > 0 ||
		[...connections].some(isBusy) ||
		process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'))
	);
}

/** PostgreSQL delivers notifications in order of commit: ours comes after all before it. */
async function hearNotifications(): Promise<void> {
	const all = [...listening].map(async ([client, { channel, heard }]) => {
		const { host, port, user, database } = client;
		const other = new pg.Client({ host, port, user, database });
		const ours = randomUUID();
		try {
			await other.connect();
			await other.query('SELECT pg_notify($1, $2)', [channel, ours]);
		} catch {
			// The database is away.
			return;
		} finally {
			await other.end();
		}
		while (listening.has(client) && !heard.delete(ours)) await turn();
	});
	await Promise.all(all);
}

function begin(): void {
	replace(DatabaseSync.prototype, 'exec', counted);
	for (const name of ['all', 'get', 'run'] as const)
		replace(StatementSync.prototype, name, counted);
	replace(pg.Client.prototype, 'connect', (connect) => {
		return function (...args) {
			follow(this as pg.Client);
			return connect.apply(this, args);
		};
	});
	replace(pg.Client.prototype, 'end', (end) => {
		return function (...args) {
			forget(this as pg.Client);
			return end.apply(this, args);
		};
	});
	replace(pg.Client.prototype, 'query', (query) => {
		return function (...args) {
			asked++;
			const [given] = args as [string | { text?: string }];
			const text = typeof given === 'string' ? given : given.text;
			const [, channel] = /^LISTEN (\w+)$/.exec(text ?? '') ?? [];
			if (channel !== undefined) hear(this as pg.Client, channel);
			return query.apply(this, args);
		};
	});
	follows('undici:request:create', (request) => {
		if (own.has(String(Reflect.get(request, 'origin')))) return;
		asked++;
		requests.add(request);
	});
	for (const end of ['trailers', 'error']) {
		follows(`undici:request:${end}`, (request) => void requests.delete(request));
	}
}

const counted = (method: Method): Method =>
	function (...args) {
		asked++;
		return method.apply(this, args);
	};

function replace<T extends object>(target: T, name: keyof T, make: (method: Method) => Method) {
	const method = target[name] as Method;
	const other = make(method);
	Object.assign(target, { [name]: other });
	undo.push(() => Object.assign(target, { [name]: method }));
}

function follows(channel: string, note: (request: object) => void): void {
	const listener = (message: unknown) => note((message as { request: object }).request);
	subscribe(channel, listener);
	undo.push(() => unsubscribe(channel, listener));
}

function follow(client: pg.Client): void {
	connections.add(client);
	client.on('error', () => forget(client));
	client.on('end', () => forget(client));
}

function forget(client: pg.Client): void {
	connections.delete(client);
	listening.delete(client);
}

function hear(client: pg.Client, channel: string): void {
	const heard = new Set<string>();
	listening.set(client, { channel, heard });
	client.on('notification', ({ payload = '' }) => heard.add(payload));
}
