// Images by their names: ours built from their Dockerfiles, the pinned n8n's stood in for, others pulled.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { alone } from '../n8n/alone.ts';
import { pinnedN8n, root } from '../n8n/folders.ts';
import { BASE, makeBase } from './base.ts';
import { build, hasImage, podman, storage } from '../support/podman.ts';

/** What our images are tagged with, by their Dockerfiles. */
const TAGS: Record<string, string> = {
	'webhook-receiver/Dockerfile': 'registered-delivery-receiver',
	'sandbox/Dockerfile': 'registered-delivery-sandbox',
	'demo/Dockerfile': 'registered-delivery-demo',
};

const { dependencies } = JSON.parse(
	readFileSync(join(root, 'test', 'n8n', 'package.json'), 'utf8'),
) as { dependencies: { n8n: string } };

/** The name of the pinned version's image. */
export const PINNED_N8N = `docker.n8n.io/n8nio/n8n:${dependencies.n8n}`;

/** The user that all images run as. */
export const NODE = 1000;

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
export const filesOf = (image: string): string[] =>
	image === PINNED_N8N ? ['--volume', `${pinnedN8n}:/opt/n8n:ro`] : [];

/**
 * Builds or pulls it if need be.
 *
 * @param image as in `Run`
 * @returns the name to run
 * @throws Error if it can't be pulled
 */
export async function imageOf(image: string): Promise<string> {
	return await alone(storage, async () => {
		const tag = TAGS[image];
		if (tag || image === BASE || image === PINNED_N8N) await makeBase();
		if (tag) await build(join(root, image), root, tag);
		else if (!(await hasImage(image))) await (image === PINNED_N8N ? makeN8n() : pull(image));
		return tag ?? image;
	});
}

async function pull(image: string): Promise<void> {
	await podman('pull', image).catch(({ stderr }: { stderr: string }) => {
		throw new Error(`The image ${image} can't be pulled: ${stderr}`);
	});
}

async function makeN8n(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'n8n-image-'));
	try {
		await writeFile(join(folder, 'Containerfile'), N8N_CONTAINERFILE);
		await build(join(folder, 'Containerfile'), folder, PINNED_N8N);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
