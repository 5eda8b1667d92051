import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Path of the key file of an embedded store. */
const keyFileOf = (file: string) => `${file}.key`;

/**
 * The key beside an embedded store; null if there is none.
 *
 * @param shortest how many characters it has at least
 * @throws Error if it is shorter than one may be
 */
export function readKeyFile(file: string, shortest: number): string | null {
	const path = keyFileOf(file);
	if (!existsSync(path)) return null;
	const key = readFileSync(path, 'utf8').trim();
	if (key.length >= shortest) return key;
	throw new Error(
		`its key, ${path}, has under ${shortest} characters. Put back the right one. If it is lost, remove the file: a new one is made, and executions that sleep now are not woken at once but by n8n, after their deadline.`,
	);
}

/**
 * Creates the key that encrypts this store's secrets, readable only by its owner. Written atomically:
 * a partly written key could decrypt nothing.
 */
export function makeKeyFile(file: string): string {
	const key = randomBytes(32).toString('base64url');
	const path = keyFileOf(file);
	writeFileSync(`${path}.new`, `${key}\n`, { mode: 0o600, flush: true });
	renameSync(`${path}.new`, path);
	return key;
}
