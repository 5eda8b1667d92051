import type { Logger } from 'pino';
import type { ReceiverConfig } from '../config/read-config.ts';
import { whyNotUsable } from '../config/why-not-usable.ts';
import type { Engine } from '../sql/engine.ts';
import type { Schema } from '../sql/statements.ts';
import { SqliteEngine } from './sqlite/engine.ts';

/** Opens the database that `DATABASE_URL` selects, with the tables of these parts. */
export async function openDatabase(
	{ DATABASE_URL: url, DATABASE_FILE: file }: ReceiverConfig,
	schemas: readonly Schema[],
	logger: Logger,
): Promise<Engine> {
	if (url !== null) {
		// Loaded on demand, so that the embedded store need not load the driver.
		const { openPostgresEngine } = await import('./postgres/engine.ts');
		// The message only: a driver error may carry its settings, including the password.
		return openPostgresEngine(url, schemas, ({ message }) =>
			logger.error({ reason: message }, 'database connection failed'),
		);
	}
	try {
		return new SqliteEngine(file, schemas);
	} catch (error) {
		throw new Error(`DATABASE_FILE ${file}: ${whyNotUsable(error)}`, { cause: error });
	}
}
