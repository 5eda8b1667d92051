import type { Logger } from 'pino';
import type { ReceiverConfig } from './config/read-config.ts';
import { SHORTEST_KEY } from './config/schemas.ts';
import type { Engine } from './sql/engine.ts';
import type { Schema } from './sql/schema.ts';
import { Seals } from './sql/seals.ts';
import { SqliteEngine } from './sql/sqlite/engine.ts';
import { makeKeyFile, readKeyFile } from './sql/sqlite/key-file.ts';
import { whyNotUsable } from './sql/sqlite/open.ts';

/** A database, and what encrypts the secrets in it. */
export interface Opened {
	database: Engine;
	seals: Seals;
}

/** Opens the database that `DATABASE_URL` selects, with the tables of these parts. */
export async function openDatabase(
	config: Pick<ReceiverConfig, 'DATABASE_URL' | 'DATABASE_FILE' | 'ENCRYPTION_KEY'>,
	schemas: readonly Schema[],
	logger: Logger,
): Promise<Opened> {
	const { DATABASE_URL: url, DATABASE_FILE: file, ENCRYPTION_KEY: keys } = config;
	if (url === null) return openSqlite(file, keys, schemas);
	const [current, ...others] = keys;
	if (current === undefined) throw new TypeError('PostgreSQL needs an encryption key.');
	// Loaded on demand, so that the embedded store need not load the driver.
	const { openPostgresEngine } = await import('./sql/postgres/engine.ts');
	// The message only: a driver error may carry its settings, including the password.
	const database = await openPostgresEngine(url, schemas, ({ message }) =>
		logger.error({ reason: message }, 'database connection failed'),
	);
	return { database, seals: new Seals([current, ...others]) };
}

/** One file, one process. Creates its key at the first start unless keys are given. */
function openSqlite(file: string, keys: readonly string[], schemas: readonly Schema[]): Opened {
	let database: SqliteEngine | null = null;
	try {
		// First, since it locks out other processes.
		database = new SqliteEngine(file, schemas);
		const beside = readKeyFile(file, SHORTEST_KEY);
		const [current = beside ?? makeKeyFile(file), ...others] = keys;
		const seals = new Seals([current, ...others, ...(beside === null ? [] : [beside])]);
		return { database, seals };
	} catch (error) {
		void database?.close();
		throw new Error(`DATABASE_FILE ${file}: ${whyNotUsable(error)}`, { cause: error });
	}
}
