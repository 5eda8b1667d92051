import { existsSync, realpathSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { NewEvent } from '../../core/changes.ts';
import type { DeliveryEvent } from '../../core/event-contract.ts';
import { Notices } from '../../sql/engine.ts';
import type {
	Backup,
	Engine,
	ForEach,
	Leader,
	Row,
	StoreListener,
	StoreSpace,
	Transaction,
	Turn,
	Value,
} from '../../sql/engine.ts';
import { stepsAfter, VERSIONS } from '../../sql/statements.ts';
import type { Schema, VersionRow } from '../../sql/statements.ts';
import { backupsOf } from './backup.ts';
import { GroupCommit, WriteAheadLog } from './group-commit.ts';
import { openExclusively, Owner } from './open.ts';

/** The file's `user_version` between an erasure and the rewriting after it. */
const SCRUBBED = 1;
/** In bytes: beyond it others would wait for too long. */
const LARGEST_REWRITTEN = 500e6;
const EMPTY_LOG = 'PRAGMA wal_checkpoint(TRUNCATE)';

/** The table that the readiness check writes to: an existing page would fit even on a full disk. */
const PROBE = 'CREATE TABLE IF NOT EXISTS probe (filler BLOB NOT NULL) STRICT;';

/** The embedded database: one file, one process, one writer. */
export class SqliteEngine implements Engine {
	private readonly file: string;
	private readonly database: DatabaseSync;
	private readonly copy: ReturnType<typeof backupsOf>;
	private readonly wal: WriteAheadLog;
	private readonly commits: GroupCommit;
	private readonly owner: Owner;
	private readonly statements = new Map<string, StatementSync>();
	private listener: StoreListener | null = null;

	constructor(file: string, schemas: readonly Schema[]) {
		// SQLite has its log beside the file, not beside a link to it.
		this.file = existsSync(file) ? realpathSync(file) : file;
		this.owner = new Owner(this.file);
		this.database = openExclusively(file);
		try {
			this.owner.begin();
			migrate(this.database, schemas);
		} catch (error) {
			this.database.close();
			this.owner.end();
			throw error;
		}
		this.wal = new WriteAheadLog(this.file);
		this.commits = new GroupCommit(this.database, {
			check: () => this.owner.check(),
			sync: (hasChanged) => this.wal.sync(hasChanged),
		});
		this.copy = backupsOf(this.database, this.commits, this.file);
	}

	/** Only committed data: not while a transaction is in progress. */
	async rows(text: string, values?: readonly Value[], each?: ForEach): Promise<Row[]> {
		await this.commits.idle();
		return this.run(text, values, each);
	}

	/** One writer: every transaction is in turn. */
	transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
		return this.inTurn(work);
	}

	intake<T>(work: (tx: Turn) => Promise<T>): Promise<T> {
		return this.inTurn(work);
	}

	async inTurn<T>(work: (tx: Turn) => Promise<T>): Promise<T> {
		const notices = new Notices();
		const tx: Turn = {
			notices,
			rows: async (text, values, each) => this.run(text, values, each),
			append: async (events) => void notices.events.push(...this.append(events)),
		};
		return this.commits.write(
			() => work(tx),
			() => this.listener !== null && notices.tell(this.listener),
		);
	}

	/** Pages are overwritten as their content is deleted; the log has them as they were. */
	scrub(): Promise<void> {
		return this.commits.between(() => {
			this.database.exec(`PRAGMA user_version = ${SCRUBBED}; ${EMPTY_LOG}`);
		});
	}

	/** Where a row stood before it grew and moved is not overwritten, but new pages have nothing of it. */
	async rewrite(): Promise<number> {
		const { used, free } = await this.space();
		if (used > LARGEST_REWRITTEN || (free ?? 0) < 2 * used) return 0;
		let took = 0;
		await this.commits.between(() => {
			const [{ user_version: version }] = this.run('PRAGMA user_version');
			if (version !== SCRUBBED) return;
			this.owner.check();
			const began = performance.now();
			try {
				this.database.exec('PRAGMA temp_store = FILE; VACUUM; PRAGMA user_version = 0');
			} finally {
				this.database.exec(`PRAGMA temp_store = MEMORY; ${EMPTY_LOG}`);
			}
			took = performance.now() - began;
		});
		return took;
	}

	listen(listener: StoreListener): void {
		this.listener = listener;
	}

	/** The file is nobody else's. */
	lead(leader: Leader): void {
		leader.begin();
	}

	async check(): Promise<void> {
		await this.transaction(async ({ rows }) => {
			await rows('INSERT INTO probe VALUES (zeroblob(65536))');
			await rows('DELETE FROM probe');
		});
	}

	async space(): Promise<StoreSpace> {
		const files = [this.file, `${this.file}-wal`];
		const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
		const { bavail, bsize } = await statfs(this.file);
		return { used: sizes.reduce((sum, size) => sum + size, 0), free: bavail * bsize };
	}

	async backup(): Promise<Backup> {
		return this.copy(await this.space());
	}

	async close(): Promise<void> {
		await this.commits.flush();
		this.wal.close();
		if (this.owner.isLost) leaveOpen(this.database);
		else this.database.close();
		this.owner.end();
	}

	private append(events: readonly NewEvent[]): DeliveryEvent[] {
		return events.map((event) => {
			const receivedAt = Date.parse(event.receivedAt);
			const [{ sequence }] = this.run(
				`INSERT INTO events (id, type, message_id, received_at, event)
				VALUES ($1, $2, $3, $4, $5) RETURNING sequence`,
				[event.id, event.type, event.messageId, receivedAt, JSON.stringify(event)],
			);
			return { ...event, sequence };
		});
	}

	private run(text: string, values: readonly Value[] = [], each?: ForEach): Row[] {
		if (each !== undefined) {
			const [all] = values as [ReadonlyArray<Record<string, Value>>];
			return all.flatMap((record) =>
				this.run(
					each.text,
					each.columns.map((name) => record[name] ?? null),
				),
			);
		}
		let statement = this.statements.get(text);
		if (statement === undefined) {
			statement = this.database.prepare(translate(text));
			this.statements.set(text, statement);
		}
		return statement.all(...values.map(bound));
	}
}

const leftOpen: DatabaseSync[] = [];

/**
 * SQLite would write what it knows into the database, and delete the write-ahead log, when it closes the
 * file of another receiver. Node closes what is open at the end, unless the process exits at once.
 */
function leaveOpen(database: DatabaseSync): void {
	leftOpen.push(database);
	process.once('exit', () => process.exit());
}

function bound(value: Value): SQLInputValue {
	if (typeof value === 'boolean') return Number(value);
	return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** The file is locked exclusively, so no other process migrates it. */
function migrate(database: DatabaseSync, schemas: readonly Schema[]): void {
	database.exec(translateSchema(VERSIONS));
	const present = database.prepare('SELECT * FROM versions').all() as unknown as VersionRow[];
	const { steps, versions } = stepsAfter(present, schemas, 'it');
	if (steps.length === 0) return;
	database.exec('BEGIN IMMEDIATE');
	database.exec(`${steps.map(translateSchema).join('\n')} ${PROBE}`);
	const note = database.prepare('INSERT OR REPLACE INTO versions VALUES (?, ?)');
	for (const { part, version } of versions) note.run(part, version);
	database.exec('COMMIT');
}

/**
 * PostgreSQL syntax that the stores use and SQLite writes differently. Locks mean nothing to a
 * database with a single writer; lists are bound as JSON.
 */
const WORDS: ReadonlyArray<[RegExp, string | ((...matched: string[]) => string)]> = [
	[/ FOR (?:NO KEY UPDATE|UPDATE|KEY SHARE)(?: SKIP LOCKED)?/g, ''],
	[/::\w+(?:\[\])?/g, ''],
	[/\$(\d+)/g, '?$1'],
	[/= ANY\((\?\d+)\)/g, 'IN (SELECT value FROM json_each($1))'],
	[/json_to_recordset\((\?\d+)\) AS (\w+) \(([^)]+)\)/g, records],
	[/json_array_elements_text\(([^()]+)\) AS (\w+) \(value\)/g, 'json_each($1) AS $2'],
	[/\bstrpos\(/g, 'instr('],
	[/\bleast\(/g, 'min('],
	[/\bgreatest\(/g, 'max('],
];

function translate(text: string): string {
	return WORDS.reduce((sql, [pattern, word]) => sql.replace(pattern, word as string), text);
}

/** Tables and indexes: STRICT enforces the types that SQLite otherwise only suggests. */
function translateSchema(text: string): string {
	const typed = text
		.replace(
			/bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY/g,
			'INTEGER PRIMARY KEY AUTOINCREMENT',
		)
		.replace(/\b(?:bigint|integer|boolean)\b/g, 'INTEGER');
	return translate(typed).replace(/CREATE TABLE[^;]*\)(?=;)/gs, (table) =>
		/PRIMARY KEY/.test(table) && !/AUTOINCREMENT/.test(table)
			? `${table} STRICT, WITHOUT ROWID`
			: `${table} STRICT`,
	);
}

function records(_: string, list: string, name: string, columns: string): string {
	const names = columns.split(',').map((column) => column.trim().split(' ')[0]);
	const values = names.map((column) => `value ->> '${column}' AS ${column}`);
	return `(SELECT ${values.join(', ')} FROM json_each(${list}) ORDER BY key) AS ${name}`;
}
