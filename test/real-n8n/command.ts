import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { localFolder } from '../n8n/folders.ts';
import { freePort } from '../n8n/port.ts';
import type { Stack } from '../n8n/stack.ts';

/** Runs an n8n command next to the running n8n, on its data. @returns all its output */
export async function runCommand(
	{ n8n: { userFolder } }: Stack,
	...args: string[]
): Promise<string> {
	const program = join(localFolder, 'n8n-host', 'node_modules', 'n8n', 'bin', 'n8n');
	const child = spawn(process.execPath, [program, ...args], {
		cwd: userFolder,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: {
			PATH: process.env.PATH,
			HOME: userFolder,
			N8N_USER_FOLDER: userFolder,
			N8N_DIAGNOSTICS_ENABLED: 'false',
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,agents,chat-hub,mcp',
		},
	});
	let said = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
	}
	await new Promise<void>((resolve) => child.once('close', () => resolve()));
	return said;
}
