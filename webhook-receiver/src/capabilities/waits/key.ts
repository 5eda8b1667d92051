import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { ReceiverConfig } from '../../config/read-config.ts';
import { SHORTEST_KEY } from '../../config/schemas.ts';
import { whyNotUsable } from '../../config/why-not-usable.ts';

type KeyConfig = Pick<ReceiverConfig, 'DATABASE_URL' | 'DATABASE_FILE' | 'ENCRYPTION_KEY'>;

/**
 * The keys of what waits have secret, the current one first. An embedded store makes its own at the first start,
 * unless one is given.
 *
 * @throws Error in words for operators
 */
export function keysOf(config: KeyConfig): [string, ...string[]] {
	const { DATABASE_URL: url, DATABASE_FILE: file, ENCRYPTION_KEY: given } = config;
	try {
		const beside = url === null ? readKeyFile(`${file}.key`) : null;
		const [current = beside ?? makeKeyFile(`${file}.key`), ...others] = given;
		return [current, ...others, ...(beside === null ? [] : [beside])];
	} catch (error) {
		throw new Error(`DATABASE_FILE ${file}: ${whyNotUsable(error)}`, { cause: error });
	}
}

/** Null if there is none. */
function readKeyFile(path: string): string | null {
	if (!existsSync(path)) return null;
	const key = readFileSync(path, 'utf8').trim();
	if (key.length >= SHORTEST_KEY) return key;
	throw new Error(
		`its key, ${path}, has under ${SHORTEST_KEY} characters. Put back the right one. If it is lost, remove the file: a new one is made, and executions that sleep now are not woken at once but by n8n, after their deadline.`,
	);
}

/** Readable only by its owner. Written atomically: a partly written key could decrypt nothing. */
function makeKeyFile(path: string): string {
	const key = randomBytes(32).toString('base64url');
	writeFileSync(`${path}.new`, `${key}\n`, { mode: 0o600, flush: true });
	renameSync(`${path}.new`, path);
	return key;
}
