// Both stores, for tests that must pass whichever the operator chose.
import { allAtNight } from '../../support/ring.ts';
import { sharedPostgres } from './shared-postgres.ts';
import type { Databases } from './postgres-server.ts';

export type StoreKind = 'sqlite' | 'postgres';

/** By day the store's own tests answer for PostgreSQL. */
export const STORES = allAtNight<StoreKind>('sqlite', 'postgres');

let postgres: Databases | undefined;

/** The variables that make a receiver use this store, on its own database. */
export async function storeEnvironment(kind: StoreKind): Promise<Record<string, string>> {
	if (kind === 'sqlite') return {};
	postgres ??= await sharedPostgres();
	return { DATABASE_URL: await postgres.freshDatabase() };
}

/** For `afterAll`. */
export async function stopPostgres(): Promise<void> {
	await postgres?.stop();
}
