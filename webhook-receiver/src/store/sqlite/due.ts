import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

type Parameters = Record<string, SQLInputValue>;

/** Where work stands: rows that have a time at which they are due. */
interface Work {
	table: string;
	key: string;
	/** Column of the time, in milliseconds. */
	at: string;
	/** Which rows are work at all; may have named parameters. An index on `at` must serve it. */
	where: string;
}

/**
 * The way to claim work: what is due is put off until its lease ends, so that nobody else gets it, and
 * somebody does should whoever has it die.
 */
export class DueWork<Row> {
	private readonly key: string;
	private readonly sql;

	constructor(database: DatabaseSync, { table, key, at, where }: Work) {
		const rows = `FROM ${table} WHERE ${where}`;
		this.key = key;
		this.sql = {
			due: database.prepare(`SELECT * ${rows} AND ${at} <= :now ORDER BY ${at} LIMIT :most`),
			lease: database.prepare(`UPDATE ${table} SET ${at} = ? WHERE ${key} = ?`),
			next: database.prepare(`SELECT ${at} AS at ${rows} ORDER BY ${at} LIMIT 1`),
		};
	}

	/** What is due, soonest first. */
	due(most: number, now: number, parameters: Parameters = {}): Row[] {
		return this.sql.due.all({ now, most, ...parameters }) as Row[];
	}

	/** Within a transaction: the same, which nobody else gets until the lease has run out. */
	claim(most: number, now: number, leaseMs: number, parameters: Parameters = {}): Row[] {
		const rows = this.due(most, now, parameters);
		for (const row of rows) {
			this.sql.lease.run(now + leaseMs, (row as Record<string, SQLInputValue>)[this.key] ?? null);
		}
		return rows;
	}

	/** When something is due next, or was; null when there is no work. */
	nextAt(parameters: Parameters = {}): number | null {
		return (this.sql.next.get(parameters) as { at: number } | undefined)?.at ?? null;
	}
}
