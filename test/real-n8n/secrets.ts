import { readFile } from 'node:fs/promises';

import type { Stack } from '../n8n/stack.ts';

/** What must never appear outside a credential, in the pieces a log could show. */
export function secretsOf({ sandbox, managementToken, hmacSecret }: Stack): string[] {
	return [
		managementToken,
		hmacSecret,
		...sandbox.accounts.map(({ token }) => token),
		...sandbox.accounts.flatMap(({ key }) => pemLines(key ?? '')),
	];
}

/** Lines of the Base64 text: a log may break or escape a PEM, but not within a line. */
export function pemLines(pem: string): string[] {
	return pem.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));
}

/** Everything n8n stores for the executions of all workflows, and its logs. */
export async function traces({ api, n8n }: Stack): Promise<Record<string, string>> {
	const executions = await Promise.all(
		(await api.executionIds()).map(async (id) => [`execution ${id}`, (await api.finished(id)).raw]),
	);
	return {
		...Object.fromEntries(executions),
		'log of n8n': await readFile(n8n.logFile, 'utf8'),
	};
}

/** Names of the traces that contain a secret. */
export function leaks(found: Record<string, string>, secrets: string[]): string[] {
	return Object.entries(found)
		.filter(([, text]) => secrets.some((secret) => text.includes(secret)))
		.map(([name]) => name);
}
