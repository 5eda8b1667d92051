import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

export interface Secrets {
	/** The service signs its webhooks with it. */
	hmacSecret: string;
	/** n8n pulls from the receiver with it. */
	managementToken: string;
}

/** Reads the secrets, or makes them the first time: what n8n keeps from an earlier start still fits. */
export async function keptSecrets(file: string): Promise<Secrets> {
	const kept = await readFile(file, 'utf8').catch(() => null);
	if (kept !== null) return JSON.parse(kept) as Secrets;
	const random = () => randomBytes(24).toString('base64url');
	const secrets = { hmacSecret: random(), managementToken: random() };
	await writeFile(file, JSON.stringify(secrets), { mode: 0o600 });
	return secrets;
}
