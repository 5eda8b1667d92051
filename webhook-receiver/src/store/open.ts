import type { Logger } from 'pino';
import { Seals } from './seals.ts';
import { storeIn } from './sql-store.ts';
import { SqliteEngine } from './sqlite/engine.ts';
import { makeKeyFile, readKeyFile } from './sqlite/key-file.ts';
import type { Store } from './store.ts';

export interface StoreConfig {
	/** URL of a PostgreSQL database, or null for the embedded store. */
	databaseUrl: string | null;
	databaseFile: string;
	/** The first one encrypts secrets, all decrypt; empty for the key file beside the database. */
	encryptionKeys: readonly string[];
}

/** Opens the store that `DATABASE_URL` selects. */
export async function openStore(config: StoreConfig, logger: Logger): Promise<Store> {
	const { databaseUrl, databaseFile, encryptionKeys } = config;
	if (databaseUrl === null) return openSqlite(databaseFile, encryptionKeys);
	// The message only: a driver error may carry its settings, including the password.
	return openPostgres(databaseUrl, encryptionKeys, ({ message }) =>
		logger.error({ reason: message }, 'database connection failed'),
	);
}

/** One file, one process. Creates its key at the first start unless keys are given. */
export function openSqlite(file: string, encryptionKeys: readonly string[] = []): Store {
	let engine: SqliteEngine | null = null;
	try {
		// First, since it locks out other processes.
		engine = new SqliteEngine(file);
		const beside = readKeyFile(file);
		const [current = beside ?? makeKeyFile(file), ...others] = encryptionKeys;
		return storeIn(engine, new Seals([current, ...others, ...(beside === null ? [] : [beside])]));
	} catch (error) {
		void engine?.close();
		const { message } = error as Error;
		throw new Error(`DATABASE_FILE ${file} can't be used: ${message}`, { cause: error });
	}
}

/** `onError` receives the errors of idle connections. */
export async function openPostgres(
	url: string,
	encryptionKeys: readonly string[],
	onError: (error: Error) => void,
): Promise<Store> {
	const [current, ...others] = encryptionKeys;
	if (current === undefined) throw new TypeError('PostgreSQL needs an encryption key.');
	// Loaded on demand, so that the embedded store need not load the driver.
	const { openPostgresEngine } = await import('./postgres/engine.ts');
	return storeIn(await openPostgresEngine(url, onError), new Seals([current, ...others]));
}
