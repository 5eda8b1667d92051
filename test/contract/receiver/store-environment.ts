// Both databases that a receiver can use, for tests that must pass whichever the operator chose.
import { join } from 'node:path';
import { openPostgres, openSqlite } from '../../../webhook-receiver/src/operation/store.ts';
import type { Store } from '../../../webhook-receiver/src/operation/store.ts';
import { allAtNight, tenfoldAtNight } from '../../support/ring.ts';
import { ENCRYPTION_KEY, cleanUp, temporaryFolder } from './harness.ts';
import { sharedPostgres } from './shared-postgres.ts';
import type { Databases } from './postgres-server.ts';

export interface Opened {
	store: Store;
	/** The same store again, as after a restart. */
	reopen(): Promise<Opened>;
	/** Closes it. */
	end(): Promise<void>;
}

export interface StoreKind {
	name: 'SQLite' | 'PostgreSQL';
	/** How many generated histories a test tries. */
	runs: number;
	/** Opens an empty store. */
	open(): Promise<Opened>;
	/** The variables that make a receiver use this store, on its own database. */
	environment(): Promise<Record<string, string>>;
}

let postgres: Databases | undefined;
afterAll(async () => {
	await cleanUp();
	await postgres?.stop();
});

/** Returns the URL of an empty PostgreSQL database of its own. */
export async function freshDatabase(): Promise<string> {
	postgres ??= await sharedPostgres();
	return postgres.freshDatabase();
}

async function openedBy(open: () => Store | Promise<Store>): Promise<Opened> {
	const store = await open();
	return {
		store,
		async reopen() {
			await store.close();
			return openedBy(open);
		},
		end: () => store.close(),
	};
}

const SQLITE: StoreKind = {
	name: 'SQLite',
	runs: tenfoldAtNight(20),
	async open() {
		const file = join(temporaryFolder(), 'receiver.sqlite');
		return openedBy(() => openSqlite(file));
	},
	environment: async () => ({}),
};

const POSTGRES: StoreKind = {
	name: 'PostgreSQL',
	runs: tenfoldAtNight(4),
	async open() {
		const url = await freshDatabase();
		return openedBy(() => openPostgres(url, [ENCRYPTION_KEY], () => undefined));
	},
	environment: async () => ({ DATABASE_URL: await freshDatabase() }),
};

export const STORES: readonly StoreKind[] = [SQLITE, POSTGRES];

/** For what is asked over HTTP: by day the store's own tests answer for PostgreSQL. */
export const HTTP_STORES = allAtNight(SQLITE, POSTGRES);
