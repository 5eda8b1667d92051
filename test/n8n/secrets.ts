import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

export interface Secrets {
	/** The key the service signs its webhooks with. */
	hmacSecret: string;
	/** The token n8n uses to pull from the receiver. */
	managementToken: string;
}

/**
 * Reads the secrets, creating them on first use, or if that was cut off: what n8n kept from earlier still
 * fits.
 */
export async function keptSecrets(file: string): Promise<Secrets> {
	try {
		return JSON.parse(await readFile(file, 'utf8')) as Secrets;
	} catch {
		// None yet.
	}
	const random = () => randomBytes(24).toString('base64url');
	const secrets = { hmacSecret: random(), managementToken: random() };
	await writeFile(file, JSON.stringify(secrets), { mode: 0o600 });
	return secrets;
}
