import type { Db, Row, Value } from './engine.ts';

/** Columns of a table with their PostgreSQL types; with a question mark where they may be null. */
export type Columns = Readonly<Record<string, string>>;

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
export type Write<Name extends string> = <R = Row>(
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
	const names = Object.keys(columns).join(', ');
	// `WHERE true` lets SQLite tell a conflict clause from a join.
	return writing(`INSERT INTO ${table} (${names})
		SELECT ${names} FROM ${records('fresh', columns)} WHERE true ${andThen}`);
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
	const changes = Object.keys(columns).map((name) => `${name} = next.${name}`);
	const isSame = Object.keys(keys).map((name) => `${table}.${name} = next.${name}`);
	return writing(`UPDATE ${table} SET ${changes.join(', ')}
		FROM ${records('next', { ...keys, ...columns })} WHERE ${isSame.join(' AND ')}`);
}

function writing(text: string): Write<never> {
	return async (db, all) => (all.length === 0 ? [] : db.rows(text, [all]));
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
