/** Columns of a table with their PostgreSQL types. */
export type Columns = Readonly<Record<string, string>>;

/** Inserts the records in `$1`, in order. */
export function insertInto(table: string, columns: Columns): string {
	const names = Object.keys(columns).join(', ');
	// `WHERE true` lets SQLite tell a conflict clause from a join.
	return `INSERT INTO ${table} (${names}) SELECT ${names} FROM ${records('fresh', columns)} WHERE true`;
}

/** Inserts the records in `$1`, replacing those with the same key. */
export function putInto(table: string, key: string, columns: Columns): string {
	const others = Object.keys(columns).filter((name) => name !== key);
	return `${insertInto(table, columns)} ON CONFLICT (${key})
		DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`;
}

/** Updates the columns of the existing records in `$1`; inserts none. */
export function updateOf(table: string, keys: Columns, columns: Columns): string {
	const changes = Object.keys(columns).map((name) => `${name} = next.${name}`);
	const isSame = Object.keys(keys).map((name) => `${table}.${name} = next.${name}`);
	return `UPDATE ${table} SET ${changes.join(', ')}
		FROM ${records('next', { ...keys, ...columns })} WHERE ${isSame.join(' AND ')}`;
}

function records(name: string, columns: Columns): string {
	const typed = Object.entries(columns).map((column) => column.join(' '));
	return `json_to_recordset($1) AS ${name} (${typed.join(', ')})`;
}
