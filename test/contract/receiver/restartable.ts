// A receiver that tests stop and start again on what it stored, and a look at that from outside.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ManualClock, TOKEN, start, temporaryFolder } from './harness.ts';
import { query } from './postgres-server.ts';
import type { StoreKind } from './store-environment.ts';

type Receiver = Awaited<ReturnType<typeof start>>;

export class Restartable {
	readonly clock = new ManualClock();
	private readonly options: { folder: string; env: Record<string, string> };
	private current: Receiver | null = null;

	/** On a store of its own; `more` are variables beside those that name it. */
	static async on(kind: StoreKind, more: Record<string, string> = {}): Promise<Restartable> {
		const env = { ...(await kind.environment()), ...more };
		const place = new Restartable({ folder: temporaryFolder(), env });
		await place.restart();
		return place;
	}

	private constructor(options: { folder: string; env: Record<string, string> }) {
		this.options = options;
	}

	get receiver(): Receiver {
		if (this.current === null) throw new Error('It is not running.');
		return this.current;
	}

	async restart(): Promise<void> {
		await this.end();
		this.current = await start({ ...this.options, dependencies: { clock: this.clock } });
	}

	async end(): Promise<void> {
		await this.current?.close();
		this.current = null;
	}

	/** Every row of every table, as text: what whoever has the database, or a backup of it, can read. */
	async rows(): Promise<string[]> {
		const { DATABASE_URL: url } = this.options.env;
		if (url !== undefined) {
			const tables = await query(
				url,
				`SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
				WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
			);
			const rows = tables.map(({ name }) => query(url, `SELECT * FROM ${name as string}`));
			return (await Promise.all(rows)).flat().map((row) => JSON.stringify(row));
		}
		const headers = { authorization: `Bearer ${TOKEN}` };
		const copy = () => fetch(`${this.receiver.url}/backup`, { headers });
		let backup = await copy();
		// The one before counts until its file is closed, which may come after its last byte.
		while (backup.status === 409) backup = await copy();
		const file = join(temporaryFolder(), 'backup.sqlite');
		writeFileSync(file, Buffer.from(await backup.arrayBuffer()));
		const database = new DatabaseSync(file, { readOnly: true });
		const read = (sql: string) => {
			const statement = database.prepare(sql);
			statement.setReadBigInts(true);
			return statement.all();
		};
		const rows = read("SELECT name FROM sqlite_schema WHERE type = 'table'").flatMap(({ name }) =>
			read(`SELECT * FROM "${String(name)}"`),
		);
		database.close();
		return rows.map((row) =>
			JSON.stringify(row, (_, value: unknown) =>
				typeof value === 'bigint' ? String(value) : value,
			),
		);
	}
}
