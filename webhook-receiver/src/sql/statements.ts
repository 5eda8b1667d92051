import type { Db, Row, Value } from './engine.ts';

/** Columns of a table with their PostgreSQL types; with a question mark where they may be null. */
type Columns = Readonly<Record<string, string>>;

/** What a row of these columns looks like. */
export type RowOf<C extends Columns> = { -readonly [Name in keyof C]: ValueOf<C[Name]> };

type ValueOf<Type extends string> = Type extends `${infer Base}?`
	? ValueOf<Base> | null
	: Type extends 'text'
		? string
		: Type extends 'boolean'
			? boolean
			: number;

/** A column that the database numbers, and by which rows are told apart. */
export const numbered = (name: string) => `${name} bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY`;

/**
 * The table of these columns, for the first step of a schema. A column that comes later gets a step of its own
 * and does not stand here.
 *
 * @param key a {@link numbered} column, or `PRIMARY KEY (…)`
 */
export function createTable(
	table: string,
	key: string,
	columns: Columns,
	constraint?: string,
): string {
	const typed = Object.entries(columns).map(([name, type]) =>
		type.endsWith('?') ? `${name} ${type.slice(0, -1)}` : `${name} ${type} NOT NULL`,
	);
	const parts = key.startsWith('PRIMARY') ? [...typed, key] : [key, ...typed];
	return `CREATE TABLE ${table} (${[...parts, ...(constraint ? [constraint] : [])].join(', ')});`;
}

/** Writes records with one statement, or does nothing if there are none. */
type Write<Name extends string> = <R = Row>(
	db: Db,
	records: ReadonlyArray<Record<Name, unknown>>,
) => Promise<R[]>;

type NamesIn<C extends Columns> = keyof C & string;

/** Inserts records, in order; `andThen` says what to do on conflict and what to return. */
export function insertInto<C extends Columns>(
	table: string,
	columns: C,
	andThen = '',
): Write<NamesIn<C>> {
	const names = Object.keys(columns);
	const into = `INSERT INTO ${table} (${names.join(', ')})`;
	const places = names.map((_, at) => `$${at + 1}`).join(', ');
	return writing(
		`${into} SELECT ${names.join(', ')} FROM ${records('fresh', columns)} ${andThen}`,
		`${into} VALUES (${places}) ${andThen}`,
		names,
	);
}

/** Inserts records, replacing those with the same keys. */
export function putInto<K extends Columns, C extends Columns>(
	table: string,
	keys: K,
	columns: C,
): Write<NamesIn<K & C>> {
	const changes = Object.keys(columns).map((name) => `${name} = excluded.${name}`);
	const onConflict = `ON CONFLICT (${Object.keys(keys).join(', ')}) DO UPDATE SET ${changes.join(', ')}`;
	return insertInto(table, { ...keys, ...columns }, onConflict);
}

/** Updates columns of existing records; inserts none. */
export function updateOf<K extends Columns, C extends Columns>(
	table: string,
	keys: K,
	columns: C,
): Write<NamesIn<K & C>> {
	const all = { ...keys, ...columns };
	const names = Object.keys(all);
	const text = (valueOf: (name: string) => string, from: string) => {
		const changes = Object.keys(columns).map((name) => `${name} = ${valueOf(name)}`);
		const isSame = Object.keys(keys).map((name) => `${table}.${name} = ${valueOf(name)}`);
		return `UPDATE ${table} SET ${changes.join(', ')} ${from} WHERE ${isSame.join(' AND ')}`;
	};
	return writing(
		text((name) => `next.${name}`, `FROM ${records('next', all)}`),
		text((name) => `$${names.indexOf(name) + 1}`, ''),
		names,
	);
}

/** SQLite takes JSON apart more slowly than it writes a row: it gets the records one by one. */
function writing(text: string, each: string, columns: readonly string[]): Write<never> {
	const one = { text: each, columns };
	return async (db, all) => (all.length === 0 ? [] : db.rows(text, [all], one));
}

/** The only column of what a statement returns. */
export async function columnOf<T>(db: Db, text: string, values?: readonly Value[]): Promise<T[]> {
	const rows = await db.rows<Record<string, T>>(text, values);
	return rows.flatMap((row) => Object.values(row));
}

function records(name: string, columns: Columns): string {
	const typed = Object.entries(columns).map(
		([column, type]) => `${column} ${type.replace('?', '')}`,
	);
	return `json_to_recordset($1) AS ${name} (${typed.join(', ')})`;
}

/**
 * The tables of a part of the receiver, in PostgreSQL's SQL (`engines/sqlite/engine.ts` translates it), step by
 * step. Forward only: a released step never changes; a new one follows it.
 */
export interface Schema {
	/** The part whose tables they are. */
	name: string;
	steps: readonly string[];
}

/** Which step each part has come to. */
export const VERSIONS =
	'CREATE TABLE IF NOT EXISTS versions (part text PRIMARY KEY, version integer NOT NULL);';

export interface VersionRow {
	part: string;
	version: number;
}

/**
 * The steps that a database lacks. Whoever runs them does so in one transaction, with the new versions, and
 * nobody else at the same time.
 *
 * @param where names the database in the error
 */
export function stepsAfter(
	present: readonly VersionRow[],
	parts: readonly Schema[],
	where: string,
): { steps: string[]; versions: VersionRow[] } {
	const versions = new Map(present.map(({ part, version }) => [part, version]));
	const steps = parts.flatMap(({ name, steps: all }) => {
		const version = versions.get(name) ?? 0;
		if (version > all.length) {
			// Our own error: the database itself is fine.
			throw new TypeError(
				`${where} has the tables of "${name}" in version ${version}, and this receiver knows up to ${all.length}: a newer ` +
					'receiver has made or upgraded it. Start that one again, or restore a backup from before the upgrade.',
			);
		}
		return all.slice(version);
	});
	return {
		steps,
		versions: parts.map(({ name, steps: all }) => ({ part: name, version: all.length })),
	};
}

/** One step of cleaning; times are milliseconds. */
export interface Cleaning {
	now: number;
	/** What ended before then is no longer kept. */
	before: number;
	/** Letters that began before then are no longer in the book. */
	lettersBefore: number;
}

/** How many rows of each kind one step removes, so that it never holds up ingest. */
export const CLEAN_AT_ONCE = 500;

/** Removes rows, and leaves those that others have locked for the next step. */
export async function removeSome<Row>(
	db: Db,
	{
		table,
		key,
		where,
		returning = key,
	}: Record<'table' | 'key' | 'where', string> & {
		returning?: string;
	},
	before: number,
): Promise<Row[]> {
	return db.rows<Row>(
		`DELETE FROM ${table} WHERE ${key} IN (
			SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${CLEAN_AT_ONCE} FOR UPDATE SKIP LOCKED
		) RETURNING ${returning}`,
		[before],
	);
}
