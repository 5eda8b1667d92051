// The images that compose files name: ours built from their Dockerfiles, n8n's stood in for.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { alone } from '../n8n/alone.ts';
import { localFolder, root } from '../n8n/folders.ts';
import { makeBase } from './base.ts';
import { build, hasImage, storage } from './podman.ts';

/** What our images are tagged with, by their Dockerfiles. */
const TAGS: Record<string, string> = {
	'webhook-receiver/Dockerfile': 'registered-delivery-receiver',
	'sandbox/Dockerfile': 'registered-delivery-sandbox',
	'demo/Dockerfile': 'registered-delivery-demo',
};

// n8n's registry can't be reached everywhere: its command from the pinned installation, which is too large
// to copy, with the user, folder and entry point of n8n's own image.
const N8N_CONTAINERFILE = `
FROM docker.io/library/node:24-slim
RUN ln -s /opt/n8n/node_modules/n8n/bin/n8n /usr/local/bin/n8n
ENV NODE_ENV=production
USER node
WORKDIR /home/node
ENTRYPOINT ["n8n"]
`;

/** Arguments of \`podman run\` that give the stand-in its n8n. */
export const N8N_FILES = ['--volume', `${join(localFolder, 'n8n-host')}:/opt/n8n:ro`];

/** Builds it if need be, and returns the name to run. @param image as in `Run` */
export async function imageOf(image: string): Promise<string> {
	return await alone(storage, async () => {
		await makeBase();
		const tag = TAGS[image];
		if (tag) await build(join(root, image), root, tag);
		else if (!(await hasImage(image))) await makeN8n(image);
		return tag ?? image;
	});
}

async function makeN8n(name: string): Promise<void> {
	if (!name.includes('n8nio/n8n')) throw new Error(`Nothing here stands in for ${name}.`);
	const folder = await mkdtemp(join(tmpdir(), 'n8n-image-'));
	try {
		await writeFile(join(folder, 'Containerfile'), N8N_CONTAINERFILE);
		await build(join(folder, 'Containerfile'), folder, name);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
