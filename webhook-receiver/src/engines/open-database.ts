import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { ReceiverConfig } from '../config/read-config.ts';
import { SHORTEST_KEY } from '../config/schemas.ts';
import type { Engine } from '../sql/engine.ts';
import { Seals } from '../sql/seals.ts';
import { SqliteEngine } from './sqlite/engine.ts';
import { whyNotUsable } from './sqlite/open.ts';
import type { Schema } from '../sql/statements.ts';

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
	const { openPostgresEngine } = await import('./postgres/engine.ts');
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

/** Path of the key file of an embedded store. */
const keyFileOf = (file: string) => `${file}.key`;

/**
 * The key beside an embedded store; null if there is none.
 *
 * @param shortest how many characters it has at least
 * @throws Error if it is shorter than one may be
 */
function readKeyFile(file: string, shortest: number): string | null {
	const path = keyFileOf(file);
	if (!existsSync(path)) return null;
	const key = readFileSync(path, 'utf8').trim();
	if (key.length >= shortest) return key;
	throw new Error(
		`its key, ${path}, has under ${shortest} characters. Put back the right one. If it is lost, remove the file: a new one is made, and executions that sleep now are not woken at once but by n8n, after their deadline.`,
	);
}

/**
 * Creates the key that encrypts this store's secrets, readable only by its owner. Written atomically:
 * a partly written key could decrypt nothing.
 */
function makeKeyFile(file: string): string {
	const key = randomBytes(32).toString('base64url');
	const path = keyFileOf(file);
	writeFileSync(`${path}.new`, `${key}\n`, { mode: 0o600, flush: true });
	renameSync(`${path}.new`, path);
	return key;
}
