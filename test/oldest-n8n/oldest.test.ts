// The packed tarball in the engine of the oldest n8n that the README claims. jest.config.mjs has
// n8n-core and n8n-workflow come from there; what n8n adds around them is proved on the newest (real-n8n).
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PackageDirectoryLoader } from 'n8n-core';
import type { ICredentialType, INodeParameters, INodeType } from 'n8n-workflow';

import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { packTarball } from '../n8n/pack.ts';
import { binaryContent } from '../support/binary.ts';
import { runNode, useBinaryStore, type RunOptions } from '../support/n8n-core.ts';
import { sandboxState, serviceCredential, startStrictSandbox } from '../support/sandbox.ts';

jest.setTimeout(120_000);

const run = promisify(execFile);

let folder: string;
let loader: PackageDirectoryLoader;
let manifest: { n8n: { nodes: string[]; credentials: string[] } };
let sandbox: Sandbox;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'registered-delivery-oldest-'));
	await run('tar', ['-xzf', await packTarball(folder)], { cwd: folder });
	const pack = join(folder, 'package');
	manifest = JSON.parse(await readFile(join(pack, 'package.json'), 'utf8'));
	loader = new PackageDirectoryLoader(pack);
	await loader.loadAll();
	await useBinaryStore();
	sandbox = await startStrictSandbox({ automatic: true });
}, 300_000);
afterAll(async () => {
	await sandbox?.close();
	await rm(folder, { recursive: true, force: true });
});

const letter: INodeParameters = {
	type: 'LRE',
	recipientsFrom: 'json',
	recipientsJson: JSON.stringify([
		{ email: 'accept@recipients.example', firstname: 'Ada', lastname: 'Martin' },
	]),
	body: '<p>The contract ends.</p>',
};

/** Runs a node of the tarball with the credential of the tarball. */
async function runPacked(name: string, parameters: INodeParameters, options?: Partial<RunOptions>) {
	const credentialTypes = Object.fromEntries(
		Object.entries(loader.credentialTypes).map(([key, { type }]) => [key, type as ICredentialType]),
	);
	return await runNode(loader.nodeTypes[name].type as INodeType, {
		parameters,
		credentials: { registeredDeliveryApi: serviceCredential(sandbox, 'direct') },
		credentialTypes,
		...options,
	});
}

it('is another engine than the newest', async () => {
	const version = async (file: string) => JSON.parse(await readFile(file, 'utf8')).version;
	const newest = await version(join(process.cwd(), 'node_modules/n8n-core/package.json'));
	expect(await version(join(require.resolve('n8n-core'), '../../package.json'))).not.toBe(newest);
});

it('loads every node and credential', () => {
	expect(Object.keys(loader.nodeTypes)).toHaveLength(manifest.n8n.nodes.length);
	expect(Object.keys(loader.credentialTypes)).toHaveLength(manifest.n8n.credentials.length);
});

it('sends a registered letter with the client certificate, and gets its status and evidence', async () => {
	const sent = await runPacked('sendLetter', letter);
	expect(sent.error).toBeUndefined();
	const messageId = sent.items[0].json.messageId as string;
	expect(messageId).toMatch(/^\d{12}$/);
	const { messages } = await sandboxState(sandbox);
	expect(messages).toMatchObject([{ id: messageId, type: 'LRE' }]);

	const status = await runPacked('getStatus', { messageId });
	expect(status.items).toMatchObject([
		{ json: { messageId, status: 'SENT' }, pairedItem: { item: 0 } },
	]);

	const evidence = await runPacked('downloadEvidence', { messageId, eventType: 'SENT' });
	const file = evidence.items[0].binary?.data;
	expect(file?.fileName).toBe(`${messageId}-SENT.pdf`);
	expect((await binaryContent(file!)).subarray(0, 5).toString()).toBe('%PDF-');
});

// Older engines took the error item for a success, which is why this is the oldest.
it('leads a wrong item to the error output', async () => {
	const result = await runPacked(
		'sendLetter',
		{ ...letter, body: '={{ $json.body }}' },
		{
			items: [{ json: { body: '<p>Good</p>' } }, { json: { body: '' } }],
			onError: 'continueErrorOutput',
		},
	);
	expect(result.items.map(({ json }) => json.body)).toEqual(['<p>Good</p>']);
	expect(result.errorItems).toMatchObject([{ json: { error: expect.any(String) } }]);
});
