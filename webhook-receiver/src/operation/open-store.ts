import type { Logger } from 'pino';
import type { ReceiverConfig } from '../config/read-config.ts';
import { Seals } from '../wait/seals.ts';
import { storeIn } from './store.ts';
import { SqliteEngine } from '../store/sqlite/engine.ts';
import { makeKeyFile, readKeyFile } from '../store/sqlite/key-file.ts';
import { whyNotUsable } from '../store/sqlite/open.ts';
import type { Store } from './store.ts';

/** Opens the store that `DATABASE_URL` selects. */
export async function openStore(
	config: Pick<ReceiverConfig, 'DATABASE_URL' | 'DATABASE_FILE' | 'ENCRYPTION_KEY'>,
	logger: Logger,
): Promise<Store> {
	if (config.DATABASE_URL === null) return openSqlite(config.DATABASE_FILE, config.ENCRYPTION_KEY);
	// The message only: a driver error may carry its settings, including the password.
	return openPostgres(config.DATABASE_URL, config.ENCRYPTION_KEY, ({ message }) =>
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
		throw new Error(`DATABASE_FILE ${file}: ${whyNotUsable(error)}`, { cause: error });
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
	const { openPostgresEngine } = await import('../store/postgres/engine.ts');
	return storeIn(await openPostgresEngine(url, onError), new Seals([current, ...others]));
}
