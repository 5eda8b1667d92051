import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { copyHome } from './home.ts';
import { packTarball } from './pack.ts';
import { startStack, type Stack, type StackOptions } from './stack.ts';

/** A separate stack for a test suite, of which nothing is left after `close`. */
export async function startTemporaryStack(
	options: Partial<Omit<StackOptions, 'folder' | 'tarball'>> = {},
): Promise<Stack> {
	const folder = await mkdtemp(join(tmpdir(), 'registered-delivery-stack-'));
	const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
	try {
		const isPinned = options.n8nInstallation === undefined;
		if (isPinned) await copyHome(join(folder, 'n8n'));
		const tarball = isPinned ? null : await packTarball(folder);
		const sandbox = { strict: true, ...options.sandbox };
		const stack = await startStack({ ...options, sandbox, folder, tarball });
		const close = stack.close.bind(stack);
		stack.close = async () => {
			await close();
			await removeFolder();
		};
		return stack;
	} catch (error) {
		await removeFolder();
		throw error;
	}
}
