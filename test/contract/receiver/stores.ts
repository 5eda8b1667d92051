// Both stores behind one contract, for the tests that run on each.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Wants } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { duplicateKey } from '../../../webhook-receiver/src/core/duplicates.ts';
import { normalise } from '../../../webhook-receiver/src/core/normalise.ts';
import type { Take } from '../../../webhook-receiver/src/pull/consumer-store.ts';
import type { Engine } from '../../../webhook-receiver/src/store/engine.ts';
import { openPostgres, openSqlite } from '../../../webhook-receiver/src/store/open.ts';
import type { Candidate, Store } from '../../../webhook-receiver/src/store/store.ts';
import { tenfoldAtNight } from '../../support/ring.ts';
import { ENCRYPTION_KEY } from './harness.ts';
import { sharedPostgres } from './shared-postgres.ts';
import type { Databases } from './postgres-server.ts';

export interface Opened {
	store: Store;
	/** The same store again, as after a restart. */
	reopen(): Promise<Opened>;
	/** Closes it and leaves nothing behind. */
	end(): Promise<void>;
}

export interface StoreKind {
	name: string;
	/** How many generated histories a test tries. */
	runs: number;
	/** Once before all tests, and after them. */
	start(): Promise<void>;
	stop(): Promise<void>;
	/** Opens an empty store. */
	open(): Promise<Opened>;
}

const sqlite: StoreKind = {
	name: 'SQLite',
	runs: 100,
	start: async () => undefined,
	stop: async () => undefined,
	async open() {
		const folder = mkdtempSync(join(tmpdir(), 'receiver-store-'));
		const opened = (): Opened => {
			const store = openSqlite(join(folder, 'receiver.sqlite'));
			return {
				store,
				async reopen() {
					await store.close();
					return opened();
				},
				async end() {
					await store.close();
					rmSync(folder, { recursive: true, force: true });
				},
			};
		};
		return opened();
	},
};

function postgres(): StoreKind {
	let server: Databases;
	const openAt = async (url: string): Promise<Opened> => {
		const store = await openPostgres(url, [ENCRYPTION_KEY], () => undefined);
		return {
			store,
			async reopen() {
				await store.close();
				return openAt(url);
			},
			end: () => store.close(),
		};
	};
	return {
		name: 'PostgreSQL',
		runs: tenfoldAtNight(10),
		start: async () => {
			server = await sharedPostgres();
		},
		stop: () => server.stop(),
		open: async () => openAt(await server.freshDatabase()),
	};
}

export const STORES: readonly StoreKind[] = [sqlite, postgres()];

export function candidate(raw: object, now: number): Candidate {
	const normalised = normalise(raw);
	const receivedAt = new Date(now).toISOString();
	const dedup = { bodyWindowMs: 600_000, keyRetentionMs: 30 * 24 * 3_600_000 };
	return {
		event: { ...normalised.event, receivedAt },
		duplicateKey: duplicateKey(normalised, dedup),
	};
}

/** Every row of every table, as text. */
export async function dumped(store: Store): Promise<Array<{ table: string; row: string }>> {
	const { database } = store as unknown as { database: Engine };
	const isPostgres = (await database.space()).free === null;
	const tables = await database.rows(
		isPostgres
			? `SELECT table_name AS name FROM information_schema.tables
				WHERE table_schema = 'registered_delivery'`
			: `SELECT name FROM sqlite_schema WHERE type = 'table'`,
	);
	const all = (tables as Array<{ name: string }>).map(async ({ name: table }) => {
		const rows = await database.rows(`SELECT * FROM ${table}`);
		return rows.map((row: unknown) => ({ table, row: JSON.stringify(row) }));
	});
	return (await Promise.all(all)).flat();
}

/** Rows in which a text stands, besides the tombstones. */
export async function tracesOf(store: Store, text: string) {
	const rows = await dumped(store);
	return rows.filter(({ table, row }) => table !== 'erased' && row.includes(text));
}

export const EVERYTHING: Wants = { events: ['*'], batchSize: 1 };

/** A pull of everything, one at a time. */
export function pullOf(key: string, more: Partial<Take> = {}): Take {
	return {
		...{
			key,
			name: `name of ${key}`,
			node: 'Trigger',
			url: null,
			wants: EVERYTHING,
			holder: 'first-n8n',
			holdMs: 25_000,
		},
		...{ atOnce: 1, settle: [], startFromNow: null, since: null },
		...more,
	};
}

/** Listeners are told once it is committed, which may be a moment after the promise resolved. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
