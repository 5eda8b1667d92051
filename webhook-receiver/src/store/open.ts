import type { Logger } from 'pino';
import { SqlStore } from './sql-store.ts';
import { SqliteEngine } from './sqlite/engine.ts';
import type { Store } from './store.ts';

export interface StoreConfig {
	/** URL of a PostgreSQL database, or null for the embedded store. */
	databaseUrl: string | null;
	databaseFile: string;
}

/** Opens the store that `DATABASE_URL` selects (design § 7). */
export async function openStore(config: StoreConfig, logger: Logger): Promise<Store> {
	if (config.databaseUrl === null) return openSqlite(config.databaseFile);
	// The message only: a driver error may carry its settings, including the password.
	return openPostgres(config.databaseUrl, ({ message }) =>
		logger.error({ reason: message }, 'database connection failed'),
	);
}

/** One file, one process. */
export function openSqlite(file: string): Store {
	return new SqlStore(new SqliteEngine(file));
}

/** `onError` receives the errors of idle connections. */
export async function openPostgres(url: string, onError: (error: Error) => void): Promise<Store> {
	// Loaded on demand, so that the embedded store need not load the driver.
	const { PostgresEngine } = await import('./postgres/engine.ts');
	return new SqlStore(await PostgresEngine.open(url, onError));
}
