import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { packTarball } from './pack.ts';
import { startStack, type Stack, type StackOptions } from './stack.ts';

/** A separate stack for a test suite: the pack packed fresh, all of it gone after `close`. */
export async function startTemporaryStack(
	options: Partial<Omit<StackOptions, 'folder' | 'tarball'>> = {},
): Promise<Stack> {
	const folder = await mkdtemp(join(tmpdir(), 'registered-delivery-stack-'));
	const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
	try {
		const tarball = await packTarball(folder);
		const stack = await startStack({ ...options, folder, tarball });
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
