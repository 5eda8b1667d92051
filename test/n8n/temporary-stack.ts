import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { copyHome } from './home.ts';
import { packTarball } from './pack.ts';
import { startStack, type Stack, type StackOptions } from './stack.ts';
import { takeWorkersN8n } from './workers-n8n.ts';

/**
 * A stack for a test file, of which nothing is left after `close`. Its n8n is the one that the files of a
 * Jest worker have in turn, unless it needs settings, a version or the editor.
 */
export async function startTemporaryStack({
	editor = false,
	...options
}: Partial<Omit<StackOptions, 'folder' | 'tarball' | 'n8n'>> = {}): Promise<Stack> {
	const folder = await mkdtemp(join(tmpdir(), 'registered-delivery-stack-'));
	const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
	try {
		const isPinned = options.n8nInstallation === undefined;
		const isShared = isPinned && !editor && options.n8nEnv === undefined;
		const n8n = isShared ? await takeWorkersN8n() : undefined;
		if (isPinned && !n8n) await copyHome(join(folder, 'n8n'));
		const tarball = isPinned ? null : await packTarball(folder);
		const sandbox = { strict: true, ...options.sandbox };
		const stack = await startStack({ ...options, editor, sandbox, folder, tarball, n8n });
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
