import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Path of the key file of an embedded store. */
const keyFileOf = (file: string) => `${file}.key`;

/** The key beside an embedded store; null if there is none. */
export function readKeyFile(file: string): string | null {
	const path = keyFileOf(file);
	return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
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
