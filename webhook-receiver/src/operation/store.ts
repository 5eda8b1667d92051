import type { Logger } from 'pino';
import { attentionIn } from '../attention/record.ts';
import { claimsIn } from '../claim/claims.ts';
import type { ReceiverConfig } from '../config/read-config.ts';
import { SHORTEST_KEY } from '../config/schemas.ts';
import { MOST_TOGETHER, eventsIn, takeIn } from '../ingest/intake.ts';
import type { Intake } from '../ingest/intake.ts';
import { consumersIn } from '../pull/consumers.ts';
import { lettersIn } from '../letters/letters.ts';
import { recordsIn } from '../records/record-rows.ts';
import { Batcher } from '../store/batcher.ts';
import type { Engine } from '../store/engine.ts';
import { logIn } from '../store/log.ts';
import type { StoreListener } from '../store/notices.ts';
import { SqliteEngine } from '../store/sqlite/engine.ts';
import { makeKeyFile, readKeyFile } from '../store/sqlite/key-file.ts';
import { whyNotUsable } from '../store/sqlite/open.ts';
import { Seals } from '../wait/seals.ts';
import { waitsIn } from '../wait/waits.ts';
import { watchesIn } from '../watch/watches.ts';
import { clean } from './clean.ts';
import { erase } from './erase.ts';
import type { Erasable } from './erase.ts';

/**
 * How long a request that could not be stored makes the store not ready, if none was stored since: a
 * balancer sends nothing to a receiver that is not ready, and after this time one request may try again.
 */
const OUTAGE_COUNTS_MS = 5_000;

/** A check writes, and anybody may ask for one: they share what the last one found for so long. */
const CHECK_COUNTS_MS = 1_000;

export type Store = ReturnType<typeof storeIn>;

/**
 * Everything the receiver must not forget, each capability's part in it, on one database: a resolved
 * promise means a durable commit, a rejected one means nothing was stored. Times are milliseconds since
 * the epoch.
 */
export function storeIn(database: Engine, seals: Seals) {
	const intake: Intake = new Batcher(
		(arrivals) => database.intake((tx) => takeIn(tx, arrivals)),
		MOST_TOGETHER,
		eventsIn,
	);
	let check = { result: Promise.resolve(), at: -Infinity, isOver: true };
	const lastCheck = () => {
		if (check.isOver && performance.now() - check.at >= CHECK_COUNTS_MS) {
			const result = database.check().finally(() => (begun.isOver = true));
			const begun = { result, at: performance.now(), isOver: false };
			check = begun;
		}
		return check.result;
	};
	return {
		/** Where it is. */
		database,
		/** Where events come in. */
		intake,
		log: logIn(database),
		records: recordsIn(database),
		/** Every letter, to search and to count. */
		letters: lettersIn(database),
		watching: watchesIn(database),
		/** What executions are waiting for. */
		waits: waitsIn(database, seals),
		/** Who may send under which Send Once Key. */
		claims: claimsIn(database),
		/** Who gets the events. */
		consumers: consumersIn(database),
		/** What needs an operator. */
		attention: attentionIn(database),

		/** From now on reports every commit, on other receivers of the same database too. One listener. */
		listen: (listener: StoreListener) => database.listen(listener),
		erase: (what: Erasable, expiresAt: number) => erase(database, what, expiresAt),
		/** After something was erased. */
		scrub: () => database.scrub(),
		/** @param keepMs how long to keep events, settled batches and absent consumers, and the letters */
		clean: (keepMs: { events: number; letters: number }, now: number) =>
			database.transaction((tx) =>
				clean(tx, { now, before: now - keepMs.events, lettersBefore: now - keepMs.letters }),
			),
		/** Rejects when the store can't write or recently failed to. */
		async check(): Promise<void> {
			await lastCheck();
			// A database that has room for a check may have none for an event.
			intake.throwAfterOutage(OUTAGE_COUNTS_MS);
		},
		space: () => database.space(),
		/** A consistent copy of the embedded store; null with PostgreSQL, whose server makes its own. */
		backup: () => database.backup(),
		async close(): Promise<void> {
			await intake.idle();
			await database.close();
		},
	};
}

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
		const beside = readKeyFile(file, SHORTEST_KEY);
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
