/**
 * The tables of a part of the receiver, in PostgreSQL's SQL (`sqlite/translate.ts`), step by step. Forward
 * only: a released step never changes; a new one follows it.
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
