import pg from 'pg';
import { StoreUnavailable } from '../store.ts';

/** One query at a time, in or out of a transaction; also what pg-boss asks of a database. */
export interface Db {
	executeSql(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

// The shape of a row is the query's business.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Row = any;

const CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5_000;
/** PostgreSQL's number of the type bigint, which pg would read as text. */
const BIGINT = 20;
/** Deadlock and serialization failure: nothing happened, the same again may go well. */
const WORTH_REPEATING = ['40P01', '40001'];
const REPETITIONS = 3;

export class Database implements Db {
	private readonly pool: pg.Pool;

	constructor(url: string, onError: (error: Error) => void) {
		const getTypeParser: typeof pg.types.getTypeParser = (type: number, format?: string) =>
			type === BIGINT ? Number : pg.types.getTypeParser(type, format as 'text');
		this.pool = new pg.Pool({
			connectionString: url,
			max: CONNECTIONS,
			connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
			application_name: 'registered-delivery-webhook-receiver',
			types: { getTypeParser },
		});
		// An idle connection that breaks is replaced; without a listener it would end the process.
		this.pool.on('error', onError);
	}

	async executeSql(text: string, values?: unknown[]): Promise<{ rows: Row[] }> {
		return this.pool.query(text, values);
	}

	/** All or nothing. What PostgreSQL can't do now is a `StoreUnavailable`. */
	async transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.attempt(work);
			} catch (error) {
				const code = (error as { code?: string }).code ?? '';
				if (WORTH_REPEATING.includes(code) && attempt < REPETITIONS) continue;
				throw unavailable(error);
			}
		}
	}

	/** One statement by itself, with the same errors as a transaction. */
	async query(text: string, values: unknown[] = []): Promise<Row[]> {
		try {
			return (await this.executeSql(text, values)).rows;
		} catch (error) {
			throw unavailable(error);
		}
	}

	close(): Promise<void> {
		return this.pool.end();
	}

	private async attempt<T>(work: (db: Db) => Promise<T>): Promise<T> {
		const client = await this.pool.connect();
		let broken: Error | undefined;
		// A connection that breaks between two queries says so here, and must not end the process.
		const onError = (error: Error) => (broken = error);
		client.on('error', onError);
		try {
			await client.query('BEGIN');
			const result = await work({ executeSql: (text, values) => client.query(text, values) });
			await client.query('COMMIT');
			return result;
		} catch (error) {
			await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
			throw error;
		} finally {
			client.removeListener('error', onError);
			client.release(broken);
		}
	}
}

/** Our own mistakes stay what they are; everything else is the database's. */
function unavailable(error: unknown): unknown {
	const isOurs = error instanceof TypeError || error instanceof StoreUnavailable;
	return isOurs ? error : new StoreUnavailable(error);
}
