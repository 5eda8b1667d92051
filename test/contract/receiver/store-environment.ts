// Both stores, for tests of what must hold whichever the operator chose.
import { startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';

export const STORES = ['sqlite', 'postgres'] as const;
export type StoreKind = (typeof STORES)[number];

let postgres: PostgresServer | undefined;

/** What makes a receiver store there, on a database of its own. */
export async function storeEnvironment(kind: StoreKind): Promise<Record<string, string>> {
	if (kind === 'sqlite') return {};
	postgres ??= await startPostgres();
	return { DATABASE_URL: await postgres.freshDatabase() };
}

/** For `afterAll`. */
export async function stopPostgres(): Promise<void> {
	await postgres?.stop();
}
