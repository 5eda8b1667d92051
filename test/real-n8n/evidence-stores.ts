// Where the examples' evidence archives store their files: a folder, and an S3-compatible store.
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { WorkflowFile } from '../n8n/api.ts';
import type { Stack } from '../n8n/stack.ts';

export interface EvidenceStore {
	/** The example that archives to it. */
	example: string;
	/** Points a workflow at this store. */
	adapt(stack: Stack): Promise<(workflow: WorkflowFile) => void>;
	/** The store's contents by name. */
	files(): Promise<Record<string, Buffer>>;
	put(name: string, content: string | Buffer): Promise<void>;
	remove(name: string): Promise<void>;
	/** From now on n8n can't tell what this file holds, or whether it is there. */
	makeUnreadable(name: string): Promise<void>;
	/** Undoes it; the file's content is lost. */
	makeReadable(name: string): Promise<void>;
	close(): Promise<void>;
}

/** A folder n8n may write to. */
export function folderStore(folder: string): EvidenceStore {
	const remove = async (name: string) => await rm(join(folder, name));
	return {
		example: 'evidence-archive.json',
		adapt: async () => (workflow) => {
			for (const { parameters } of workflow.nodes) {
				const texts = parameters as Record<string, unknown>;
				for (const [field, value] of Object.entries(texts)) {
					if (typeof value !== 'string') continue;
					texts[field] = value.replace('/home/node/.n8n-files', folder);
				}
			}
		},
		files: async () => {
			const names = await readdir(folder);
			return await byName(names, async (name) => await readFile(join(folder, name)));
		},
		put: async (name, content) => await writeFile(join(folder, name), content),
		remove,
		// Permissions would not hold back an n8n that runs as root. Links out of the folder it may use do.
		makeUnreadable: async (name) => {
			await remove(name);
			await symlink('/etc/passwd', join(folder, name));
		},
		makeReadable: remove,
		close: async () => undefined,
	};
}

/** A bucket on this machine. */
export async function bucketStore(): Promise<EvidenceStore> {
	const directory = await mkdtemp(join(tmpdir(), 'registered-delivery-bucket-'));
	const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => {
		run(): Promise<AddressInfo>;
		close(): Promise<void>;
		httpServer: Server;
	};
	const server = new S3rver({
		port: 0,
		address: '127.0.0.1',
		silent: true,
		vhostBuckets: false,
		directory,
		configureBuckets: [{ name: 'evidence' }],
	});
	const { port } = await server.run();
	const endpoint = `http://127.0.0.1:${port}`;
	const object = async (method: string, name: string, body?: BodyInit) => {
		const answer = await fetch(`${endpoint}/evidence/${name}`, { method, body });
		if (!answer.ok) throw new Error(`The bucket answered ${answer.status} to ${method} ${name}.`);
		return Buffer.from(await answer.arrayBuffer());
	};
	const refusal = refusing(server.httpServer);
	return {
		example: 'evidence-archive-s3.json',
		adapt: async ({ api }) => {
			const id = await api.saveCredential('S3 account', 's3', {
				endpoint,
				region: 'us-east-1',
				accessKeyId: 'S3RVER',
				secretAccessKey: 'S3RVER',
				forcePathStyle: true,
				ignoreSSLIssues: false,
			});
			return (workflow) => {
				for (const { type, ...node } of workflow.nodes) {
					if (type !== 'n8n-nodes-base.s3') continue;
					Object.assign(node.credentials as object, { s3: { id, name: 'S3 account' } });
				}
			};
		},
		files: async () => {
			const list = await (await fetch(`${endpoint}/evidence`)).text();
			const names = [...list.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) => key);
			return await byName(names, async (name) => await object('GET', name));
		},
		put: async (name, content) => void (await object('PUT', name, new Blob([content]))),
		remove: async (name) => void (await object('DELETE', name)),
		makeUnreadable: async () => void (refusal.isOn = true),
		makeReadable: async () => void (refusal.isOn = false),
		close: async () => {
			server.httpServer.closeAllConnections();
			await server.close();
			await rm(directory, { recursive: true, force: true });
		},
	};
}

/** Lets the server answer 403 to n8n's reading, as to a key without the right to list and get. */
function refusing(server: Server): { isOn: boolean } {
	const refusal = { isOn: false };
	const [serve] = server.listeners('request') as RequestListener[];
	server.removeAllListeners('request').on('request', (request, response) => {
		const isReading = request.method === 'GET' || request.method === 'HEAD';
		const isN8n = request.headers.authorization !== undefined;
		if (refusal.isOn && isN8n && isReading) response.writeHead(403).end();
		else serve(request, response);
	});
	return refusal;
}

async function byName(
	names: string[],
	read: (name: string) => Promise<Buffer>,
): Promise<Record<string, Buffer>> {
	const entries = names.sort().map(async (name) => [name, await read(name)] as const);
	return Object.fromEntries(await Promise.all(entries));
}
