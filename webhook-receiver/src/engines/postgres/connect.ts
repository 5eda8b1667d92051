import pg from 'pg';
import { HttpError } from '../../core/http-error.ts';
import { storable } from '../../core/storable.ts';
import { StoreUnavailable } from '../../sql/engine.ts';
import type { Db, Row, Value } from '../../sql/engine.ts';

export const SCHEMA = 'registered_delivery';

/** PostgreSQL cancels a statement after this long. */
const STATEMENT_MS = 4_000;
/** Shorter: a receiver that goes silent while appending holds up the others only this long. */
const IDLE_MS = 3_000;
/** If PostgreSQL has not replied by then, the connection is dead even if it looks open. */
const SILENCE_MS = 5_000;
/**
 * Set once a connection is there, not with options at its start, which poolers refuse. What the address's
 * own options say of `synchronous_commit` stays; otherwise a server may be set up to commit before the disk
 * has it.
 */
const SETTINGS = [
	`search_path = ${SCHEMA}`,
	`statement_timeout = ${STATEMENT_MS}`,
	`idle_in_transaction_session_timeout = ${IDLE_MS}`,
	// Plans are kept, and the tables grow from nothing within minutes: a plan that reads a whole table
	// because it is still small would outlive that.
	'enable_seqscan = off',
	'jit = off',
	// By default PostgreSQL keeps a dead connection for two hours, and each counts against its limit.
	'tcp_keepalives_idle = 15',
	'tcp_keepalives_interval = 5',
	'tcp_keepalives_count = 3',
	'tcp_user_timeout = 15000',
].map((setting) => `SET ${setting};`);
const PREPARE = `${SETTINGS.join(' ')} SELECT set_config(name, 'on', false) FROM pg_settings
	WHERE name = 'synchronous_commit' AND source <> 'client'`;
/** Type id of PostgreSQL's bigint, which pg would return as text. */
const BIGINT = 20;
/** Deadlock and serialization failure: nothing was committed, and a retry may succeed. */
const WORTH_REPEATING = ['40P01', '40001'];
const REPETITIONS = 3;

interface PoolOptions {
	/** Maximum number of connections, and how long to wait for one, in milliseconds. */
	connections: number;
	patienceMs: number;
	/** How long a transaction may take in all, so that slow answers can't add up. */
	transactionMs: number;
	/** Called with errors of idle connections. */
	onError: (error: Error) => void;
}

/** A pool of PostgreSQL connections. */
export class Database implements Db {
	private readonly config: pg.PoolConfig;
	private readonly transactionMs: number;
	private readonly onError: (error: Error) => void;
	private readonly cancelling = new Set<Promise<unknown>>();
	private pool: pg.Pool;

	constructor(url: string, { connections, patienceMs, transactionMs, onError }: PoolOptions) {
		this.config = {
			...connectionConfig(url),
			max: connections,
			connectionTimeoutMillis: patienceMs,
			onConnect: prepare,
		};
		this.transactionMs = transactionMs;
		this.onError = onError;
		this.pool = this.newPool();
	}

	/** A single statement outside a transaction, with the same errors as one inside. */
	rows(text: string, values: readonly Value[] = []): Promise<Row[]> {
		return this.attempt(() => rowsOf(this.pool, text, values));
	}

	/** All or nothing. If PostgreSQL is unavailable, throws `StoreUnavailable`. */
	async transaction<T>(work: (db: Db) => Promise<T>, begin = 'BEGIN'): Promise<T> {
		for (let repetition = 1; ; repetition++) {
			try {
				return await this.attempt(() => this.inTransaction(work, begin));
			} catch (error) {
				const isOver = repetition === REPETITIONS;
				if (isOver || !WORTH_REPEATING.includes(sqlState(error) ?? '')) throw error;
			}
		}
	}

	/** A connection outside the pool, for listening. */
	async connect(): Promise<pg.Client> {
		const client = new pg.Client(this.config);
		// The next query reports the error; without a listener the process would exit.
		client.on('error', () => undefined);
		try {
			await client.connect();
			await prepare(client);
			return client;
		} catch (error) {
			// Not awaited: a dead connection never ends by itself.
			void client.end();
			throw unavailable(error);
		}
	}

	async close(): Promise<void> {
		await Promise.all([this.pool.end(), ...this.cancelling]);
	}

	private newPool(): pg.Pool {
		const pool = new pg.Pool(this.config);
		// The pool replaces a broken idle connection; without a listener the process would exit.
		pool.on('error', this.onError);
		return pool;
	}

	private async attempt<T>(work: () => Promise<T>): Promise<T> {
		const pool = this.pool;
		try {
			return await work();
		} catch (error) {
			if (isSilence(error) && this.pool === pool) this.renew();
			throw unavailable(error);
		}
	}

	/**
	 * When one connection goes silent, the idle ones are no better, and each would cost a request
	 * the full timeout.
	 */
	private renew(): void {
		const silent = this.pool;
		this.pool = this.newPool();
		silent.end().catch(this.onError);
	}

	/**
	 * A COMMIT that waits for a standby goes on when its connection is closed, and its server process with
	 * it: one for each try, until the server takes no more.
	 */
	private cancel(client: pg.ClientBase): void {
		const { processID } = client as pg.ClientBase & { processID: number };
		const cancelled = this.connect()
			.then(async (other) => {
				try {
					await rowsOf(other, 'SELECT pg_cancel_backend($1)', [processID]);
				} finally {
					void other.end();
				}
			})
			.catch(this.onError)
			.finally(() => this.cancelling.delete(cancelled));
		this.cancelling.add(cancelled);
	}

	/** A connection on which something failed is not used again; closing it rolls back. */
	private async inTransaction<T>(work: (db: Db) => Promise<T>, begin: string): Promise<T> {
		const endsAt = performance.now() + this.transactionMs;
		const client = await this.pool.connect();
		// When a connection breaks, its statements say so; without a listener the process would exit.
		const ignore = () => undefined;
		client.on('error', ignore);
		const rows = (text: string, values?: readonly Value[]) => {
			const leftMs = Math.max(endsAt - performance.now(), 1);
			return rowsOf(client, text, values, Math.min(leftMs, SILENCE_MS));
		};
		let failure: unknown;
		// Not awaited: it goes out with the first statements, which fail if it does.
		const begun = rows(begin).then(ignore, (error: unknown) => {
			throw (failure = error);
		});
		try {
			const [result] = await Promise.all([work({ rows }), begun]);
			await rows('COMMIT');
			return result;
		} catch (error) {
			failure ??= error;
			if (isSilence(failure)) this.cancel(client);
			throw failure;
		} finally {
			client.removeListener('error', ignore);
			client.release(failure as Error | undefined);
		}
	}
}

/** Runs one statement on a connection, or on any of a pool. */
export async function rowsOf(
	connection: pg.Pool | pg.ClientBase,
	text: string,
	values: readonly Value[] = [],
	limitMs = SILENCE_MS,
): Promise<Row[]> {
	const bound = values.map((value, index) =>
		text.includes(`json_to_recordset($${index + 1})`) ? recordsOf(value) : textsOf(value),
	);
	const query = { ...named(text, bound), values: bound, query_timeout: limitMs };
	return (await connection.query(query)).rows;
}

const names = new Map<string, string>();

/**
 * PostgreSQL keeps the plan of a named statement for the connection: parsing and planning cost most
 * of a short statement. Without values a text may be several statements, which can't be kept.
 */
function named(text: string, values: readonly unknown[]): pg.QueryConfig {
	if (values.length === 0) return { text };
	const name = names.get(text) ?? `statement_${names.size + 1}`;
	names.set(text, name);
	return { name, text };
}

/** As JSON. */
function recordsOf(records: Value): string {
	const json = JSON.stringify(records);
	if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
	return JSON.stringify(records, (_, value: unknown) =>
		typeof value === 'string' ? storable(value) : value,
	);
}

function textsOf(value: Value | unknown): unknown {
	if (Array.isArray(value)) return value.map(textsOf);
	return typeof value === 'string' ? storable(value) : value;
}

/** The SQLSTATE with which the server answered a statement; null if it did not answer. */
function sqlState(error: unknown): string | null {
	const { code, cause } = error as { code?: unknown; cause?: unknown };
	if (typeof code === 'string' && code.length === 5) return code;
	return cause === undefined ? null : sqlState(cause);
}

async function prepare(client: pg.ClientBase): Promise<void> {
	await rowsOf(client, PREPARE);
}

function connectionConfig(url: string): pg.ClientConfig {
	const getTypeParser: typeof pg.types.getTypeParser = (type: number, format?: string) =>
		type === BIGINT ? Number : pg.types.getTypeParser(type, format as 'text');
	return {
		connectionString: url,
		keepAlive: true,
		keepAliveInitialDelayMillis: SILENCE_MS,
		// Statements that do not wait for each other share a round trip.
		pipeline: true,
		application_name: 'registered-delivery-webhook-receiver',
		types: { getTypeParser },
	};
}

/** PostgreSQL sent nothing in time, as opposed to all connections being busy. */
function isSilence(error: unknown): boolean {
	return /^(Query read timeout|Connection terminated due to connection timeout)$/.test(
		(error as Error).message,
	);
}

/** Our own mistakes pass unchanged; everything else is the database's fault. */
function unavailable(error: unknown): unknown {
	const ours = [TypeError, HttpError];
	return ours.some((kind) => error instanceof kind) ? error : new StoreUnavailable(error);
}

/** As `pg` knows them. */
const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** What `pg` takes for `verify-full` too, with a warning about its next version. */
const AS_FULL = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/** An @ that comes only after what ended user and password too early. */
const UNESCAPED = /^[a-z]+:\/\/[^@/?#]*[/?#][^=]*@/;

/**
 * A PostgreSQL address as `pg` reads it, sockets included.
 *
 * @throws Error in words for operators; quotes nothing of the address, which holds the password
 */
export function readAddress(given: string): { url: string; database: string } {
	if (UNESCAPED.test(given)) {
		throw new Error(
			'DATABASE_URL: user or password has a character that ends it: write # as %23, / as %2F, ? as %3F and % as %25.',
		);
	}
	const [, mode = 'verify-full'] = /[?&]sslmode=([^&]*)/.exec(given) ?? [];
	if (!SSL_MODES.includes(mode)) {
		throw new Error(`DATABASE_URL: its sslmode is none of ${SSL_MODES.join(', ')}.`);
	}
	const isCompatible = /[?&]uselibpqcompat=true/.test(given);
	const url = isCompatible ? given : given.replace(AS_FULL, '$1verify-full');
	try {
		return { url, database: new pg.Client({ connectionString: url }).database ?? '' };
	} catch (error) {
		// Of a file that it names.
		const { code, message } = error as NodeJS.ErrnoException;
		const reason = code === 'ENOENT' ? message : 'is not a URL of PostgreSQL';
		throw new Error(`DATABASE_URL: ${reason}`, { cause: error });
	}
}
