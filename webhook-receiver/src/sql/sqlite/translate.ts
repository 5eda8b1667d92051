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

export function translate(text: string): string {
	return WORDS.reduce((sql, [pattern, word]) => sql.replace(pattern, word as string), text);
}

/** Tables and indexes: STRICT enforces the types that SQLite otherwise only suggests. */
export function translateSchema(text: string): string {
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
