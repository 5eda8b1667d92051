import type { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from '../store.ts';

interface Job {
	work(): void;
	committed(): void;
	failed(error: unknown): void;
}

/**
 * Commits together what arrives in one turn of the event loop: one fsync for many requests.
 * Measured on 2 cores: 2.5 to 3.2 thousand ingests a second with a commit each, 11.9 to 12.8 so; a
 * timer instead of the turn's end adds latency and gains nothing.
 */
export class GroupCommit {
	private readonly database: DatabaseSync;
	private jobs: Job[] = [];

	constructor(database: DatabaseSync) {
		this.database = database;
	}

	/** Runs `work` in a transaction; resolves once that is committed. */
	write<T>(work: () => T): Promise<T> {
		return new Promise((resolve, reject) => {
			let result: T;
			if (this.jobs.length === 0) setImmediate(() => this.flush());
			this.jobs.push({
				work: () => (result = work()),
				committed: () => resolve(result),
				failed: reject,
			});
		});
	}

	/** Commits what is waiting, now. */
	flush(): void {
		const jobs = this.jobs;
		this.jobs = [];
		if (jobs.length === 0) return;
		try {
			this.database.exec('BEGIN IMMEDIATE');
			const done = jobs.filter((job) => this.attempt(job));
			this.database.exec('COMMIT');
			for (const job of done) job.committed();
		} catch (error) {
			this.rollBack();
			for (const job of jobs) job.failed(new StoreUnavailable(error));
		}
	}

	/** One job's failure undoes that job alone, unless SQLite has given up the whole transaction. */
	private attempt(job: Job): boolean {
		this.database.exec('SAVEPOINT job');
		try {
			job.work();
			this.database.exec('RELEASE job');
			return true;
		} catch (error) {
			if (!this.database.isTransaction) throw error;
			this.database.exec('ROLLBACK TO job; RELEASE job');
			job.failed(isSqliteError(error) ? new StoreUnavailable(error) : error);
			return false;
		}
	}

	/** A failed COMMIT may leave the transaction open, or have closed it already. */
	private rollBack(): void {
		if (this.database.isTransaction) this.database.exec('ROLLBACK');
	}
}

function isSqliteError(error: unknown): boolean {
	return (error as { code?: unknown } | null)?.code === 'ERR_SQLITE_ERROR';
}
