// What nearly all files here share: a stack, and what workflows fetch, from before the first test to after
// the last.
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { startFileServer, type FileServer } from './file-server.ts';

export let stack: Stack;
export let files: FileServer;

export function useStack(options: Parameters<typeof startTemporaryStack>[0] = {}): void {
	beforeAll(async () => {
		files = await startFileServer();
		stack = await startTemporaryStack(options);
	}, 300_000);
	afterAll(async () => {
		await stack?.close();
		await files?.close();
	}, 120_000);
}
