import pg from 'pg';
import { StoreUnavailable } from '../store.ts';

/** One query at a time, in or out of a transaction. */
export interface Db {
	rows(text: string, values?: unknown[]): Promise<Row[]>;
}

// The shape of a row is the query's business.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Row = any;

/** PostgreSQL ends a statement, or a transaction that nobody goes on with, after so long. */
const STATEMENT_MS = 4_000;
/** When PostgreSQL has not answered by then the connection is dead, though it may look open. */
const SILENCE_MS = 5_000;
/** Shorter, since whoever asks whether we are ready does not wait long. */
const CHECK_MS = 2_000;
/** PostgreSQL's number of the type bigint, which pg would read as text. */
const BIGINT = 20;
/** Deadlock and serialization failure: nothing happened, the same again may go well. */
const WORTH_REPEATING = ['40P01', '40001'];
const REPETITIONS = 3;

export interface PoolOptions {
	/** How many connections at most, and how long to wait for one, in milliseconds. */
	connections: number;
	patienceMs: number;
	/** Of connections that nobody waits for. */
	onError: (error: Error) => void;
}

/** A pool of connections to PostgreSQL. */
export class Database implements Db {
	private readonly config: pg.PoolConfig;
	private readonly onError: (error: Error) => void;
	private pool: pg.Pool;

	constructor(url: string, { connections, patienceMs, onError }: PoolOptions) {
		this.config = {
			...connectionConfig(url),
			max: connections,
			connectionTimeoutMillis: patienceMs,
		};
		this.onError = onError;
		this.pool = this.newPool();
	}

	/** One statement by itself, with the same errors as a transaction. */
	rows(text: string, values: unknown[] = []): Promise<Row[]> {
		return this.attempt(async () => (await this.pool.query(text, values)).rows);
	}

	/** All or nothing. What PostgreSQL can't do now is a `StoreUnavailable`. */
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

	/** One statement that says soon whether PostgreSQL answers. */
	async check(text: string): Promise<void> {
		await this.attempt(() => this.pool.query({ text, query_timeout: CHECK_MS } as pg.QueryConfig));
	}

	/** A connection beside the pool, for who listens. */
	async connect(): Promise<pg.Client> {
		const client = new pg.Client(this.config);
		// Whoever uses it learns of an error by its next query; without a listener the process ends.
		client.on('error', () => undefined);
		try {
			await client.connect();
			return client;
		} catch (error) {
			throw unavailable(error);
		}
	}

	close(): Promise<void> {
		return this.pool.end();
	}

	private newPool(): pg.Pool {
		const pool = new pg.Pool(this.config);
		// An idle connection that breaks is replaced; without a listener it would end the process.
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
	 * When one connection has gone silent the idle ones beside it are no better, and each would cost a
	 * request its patience.
	 */
	private renew(): void {
		const silent = this.pool;
		this.pool = this.newPool();
		silent.end().catch(this.onError);
	}

	private async inTransaction<T>(work: (db: Db) => Promise<T>, begin: string): Promise<T> {
		const client = await this.pool.connect();
		let broken: Error | undefined;
		// A connection that breaks between two queries says so here, and must not end the process.
		const onError = (error: Error) => (broken = error);
		client.on('error', onError);
		try {
			await client.query(begin);
			const result = await work({
				rows: async (text, values) => (await client.query(text, values)).rows,
			});
			await client.query('COMMIT');
			return result;
		} catch (error) {
			if (isSilence(error)) broken = error as Error;
			else await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
			throw error;
		} finally {
			client.removeListener('error', onError);
			client.release(broken);
		}
	}
}

/** SQLSTATE of the server's own word about a statement; null when it said nothing. */
export function sqlState(error: unknown): string | null {
	const { code, cause } = error as { code?: unknown; cause?: unknown };
	if (typeof code === 'string' && code.length === 5) return code;
	return cause === undefined ? null : sqlState(cause);
}

function connectionConfig(url: string): pg.ClientConfig {
	const getTypeParser: typeof pg.types.getTypeParser = (type: number, format?: string) =>
		type === BIGINT ? Number : pg.types.getTypeParser(type, format as 'text');
	return {
		connectionString: url,
		statement_timeout: STATEMENT_MS,
		idle_in_transaction_session_timeout: STATEMENT_MS,
		query_timeout: SILENCE_MS,
		keepAlive: true,
		keepAliveInitialDelayMillis: SILENCE_MS,
		application_name: 'registered-delivery-webhook-receiver',
		types: { getTypeParser },
	};
}

/** Nothing came from PostgreSQL within the time; not that all connections were busy. */
function isSilence(error: unknown): boolean {
	return /^(Query read timeout|Connection terminated due to connection timeout)$/.test(
		(error as Error).message,
	);
}

/** Our own mistakes stay what they are; everything else is the database's. */
function unavailable(error: unknown): unknown {
	const isOurs = error instanceof TypeError || error instanceof StoreUnavailable;
	return isOurs ? error : new StoreUnavailable(error);
}
