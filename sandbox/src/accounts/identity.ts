import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { createAuthority, issueClientCertificate, issueServerCertificate } from './authority.ts';
import { readKept, replaceFile } from '../folder/kept-file.ts';
import type { Credentials } from '../state/model.ts';
import { newToken } from '../state/ids.ts';
import { SEEDED_ACCOUNTS, type AccountCredentials } from './seeded-accounts.ts';

/**
 * Kept across restarts so that clients keep working: authority, server certificate, credentials.
 */
export interface Identity {
	authority: Credentials;
	server: Credentials;
	accounts: AccountCredentials;
}

const credentials = z.object({
	certificate: z.string().refine(isCertificate, 'is no certificate'),
	key: z.string().min(1),
});
const identitySchema = z.object({
	authority: credentials,
	server: credentials,
	accounts: z.record(
		z.string(),
		z.object({ token: z.string().min(1), client: credentials.nullable() }),
	),
});

/**
 * Loads it from the folder if present; otherwise creates it, and saves it if there is a folder. A kept
 * server certificate that lacks one of the names is replaced: clients trust the authority, which stays.
 */
export async function loadIdentity(
	folder: string | null,
	names: string[],
	now: number,
): Promise<Identity> {
	const kept = folder && (await readKept<Identity>(folder, FILE, identitySchema));
	if (kept && names.every((name) => isFor(kept.server, name))) return kept;
	const identity = kept
		? { ...kept, server: await issueServerCertificate(kept.authority, now, names) }
		: await createIdentity(names, now);
	if (folder) {
		// First, since a start that finds the rest writes nothing.
		await replaceFile(join(folder, 'ca.pem'), identity.authority.certificate);
		await replaceFile(join(folder, FILE), JSON.stringify(identity, null, '\t'), 0o600);
	}
	return identity;
}

const FILE = 'identity.json';

function isFor({ certificate }: Credentials, name: string): boolean {
	const read = new X509Certificate(certificate);
	return (isIP(name) === 0 ? read.checkHost(name) : read.checkIP(name)) !== undefined;
}

async function createIdentity(names: string[], now: number): Promise<Identity> {
	const authority = await createAuthority(now);
	const server = await issueServerCertificate(authority, now, names);
	const accounts: Identity['accounts'] = {};
	for (const { name, kyc } of SEEDED_ACCOUNTS) {
		const client = kyc ? await issueClientCertificate(authority, name, now) : null;
		accounts[name] = { token: newToken(), client };
	}
	return { authority, server, accounts };
}

function isCertificate(pem: string): boolean {
	try {
		return new X509Certificate(pem).ca !== undefined;
	} catch {
		return false;
	}
}
