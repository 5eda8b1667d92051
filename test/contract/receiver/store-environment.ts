// Both databases that a receiver can use, for tests that must pass whichever the operator chose.
import { allAtNight } from '../../support/ring.ts';
import { cleanUp } from './harness.ts';
import { sharedPostgres } from './shared-postgres.ts';
import type { Databases } from './postgres-server.ts';

export interface StoreKind {
	name: 'SQLite' | 'PostgreSQL';
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

const SQLITE: StoreKind = {
	name: 'SQLite',
	environment: async () => ({}),
};

const POSTGRES: StoreKind = {
	name: 'PostgreSQL',
	environment: async () => ({ DATABASE_URL: await freshDatabase() }),
};

export const STORES: readonly StoreKind[] = [SQLITE, POSTGRES];

/** For what is asked over HTTP: by day the store's own tests answer for PostgreSQL. */
export const HTTP_STORES = allAtNight(SQLITE, POSTGRES);
