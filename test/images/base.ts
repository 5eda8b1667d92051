// A stand-in for node:24-slim where no registry of images can be reached: Debian's base system, the
// project's own Node 24, npm 11 and the user "node".
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../n8n/folders.ts';
import { hasImage, podman } from '../support/podman.ts';

const run = promisify(execFile);

export const BASE = 'docker.io/library/node:24-slim';

const CONTAINERFILE = `
FROM scratch
ADD rootfs.tar /
COPY node /usr/local/bin/node
COPY package /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && \\
	groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
CMD ["node"]
`;

/** Makes it once a checkout. */
export async function makeBase(): Promise<void> {
	if (await hasImage(BASE)) return;
	const folder = await mkdtemp(join(tmpdir(), 'node-image-'));
	try {
		await mkdir(join(folder, 'package'));
		await run('mmdebstrap', [
			'--quiet',
			'--variant=minbase',
			'--include=ca-certificates',
			'bookworm',
			join(folder, 'rootfs.tar'),
		]);
		await cp(join(root, 'node_modules', 'node', 'bin', 'node'), join(folder, 'node'));
		const { stdout } = await run('npm', ['pack', 'npm@11', '--silent'], { cwd: folder });
		await run('tar', ['-xzf', stdout.trim(), '-C', folder], { cwd: folder });
		await writeFile(join(folder, 'Containerfile'), CONTAINERFILE);
		await podman('build', '--isolation=chroot', '--network=host', '--tag', BASE, folder);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
