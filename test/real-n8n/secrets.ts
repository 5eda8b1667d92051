import { readFile } from 'node:fs/promises';

import type { Stack } from '../n8n/stack.ts';

/** What must never be seen outside of a credential, each in the pieces a log could show it in. */
export function secretsOf({ sandbox, managementToken, hmacSecret }: Stack): string[] {
	return [
		managementToken,
		hmacSecret,
		...sandbox.accounts.map(({ token }) => token),
		...sandbox.accounts.flatMap(({ key }) => pemLines(key ?? '')),
	];
}

/** Lines of the Base64 text: a log may break or escape a PEM, but not within one. */
export function pemLines(pem: string): string[] {
	return pem.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));
}

/** All that n8n keeps of the executions of all workflows, and what it has logged. */
export async function traces({ api, n8n }: Stack): Promise<Record<string, string>> {
	const executions = await Promise.all(
		(await api.allExecutionIds()).map(async (id) => [
			`execution ${id}`,
			(await api.finished(id)).raw,
		]),
	);
	return {
		...Object.fromEntries(executions),
		'log of n8n': await readFile(n8n.logFile, 'utf8'),
	};
}

/** Names of the traces that hold one of the secrets. */
export function leaks(found: Record<string, string>, secrets: string[]): string[] {
	return Object.entries(found)
		.filter(([, text]) => secrets.some((secret) => text.includes(secret)))
		.map(([name]) => name);
}
