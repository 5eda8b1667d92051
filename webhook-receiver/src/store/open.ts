import type { Logger } from 'pino';
import { SqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';

export interface StoreConfig {
	/** Of PostgreSQL, or null for the embedded store. */
	databaseUrl: string | null;
	databaseFile: string;
}

/** The store that `DATABASE_URL` chooses (design § 7). */
export async function openStore(config: StoreConfig, logger: Logger): Promise<Store> {
	if (config.databaseUrl === null) return new SqliteStore(config.databaseFile);
	// Its driver is nothing that the embedded store should wait for.
	const { PostgresStore } = await import('./postgres.ts');
	return PostgresStore.open(config.databaseUrl, {
		// The message only: an error of the driver may carry its settings, the password included.
		onError: ({ message }) => logger.error({ reason: message }, 'database connection failed'),
	});
}
