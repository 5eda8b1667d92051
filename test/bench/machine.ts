import { readFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { DatabaseSync } from 'node:sqlite';

/** What the figures were measured on, in a line each. */
export function machine(): string[] {
	const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
	const memory = Math.round(totalmem() / 2 ** 30);
	return [
		`${availableParallelism()} cores (${processor}), ${memory} GB, ${platform()} ${release()} ${arch()}`,
		`Node ${process.versions.node}, SQLite ${sqliteVersion()}, n8n ${versionIn('test/n8n/package.json', 'n8n')}`,
		`this pack ${(readJson('package.json') as { version: string }).version}`,
	];
}

function sqliteVersion(): string {
	const database = new DatabaseSync(':memory:');
	const { version } = database.prepare('SELECT sqlite_version() AS version').get() as {
		version: string;
	};
	database.close();
	return version;
}

function versionIn(file: string, name: string): string {
	const { dependencies } = readJson(file) as { dependencies: Record<string, string> };
	return dependencies[name] ?? 'unknown';
}

/** By its path from the root of the repository. */
function readJson(file: string): unknown {
	return JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));
}
