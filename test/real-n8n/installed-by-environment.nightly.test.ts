// Where packs come by the environment alone, as in containers: n8n's variables install this one, with its checksum
// also where packs that n8n has not verified are off, and remove it.
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nApi } from '../n8n/api.ts';
import { root } from '../n8n/folders.ts';
import { copyHome } from '../n8n/home.ts';
import { startN8n, type N8nHost } from '../n8n/host.ts';
import { installPack, packTarball } from '../n8n/pack.ts';
import { startNpmRegistry, type NpmRegistry } from './npm-registry.ts';

jest.setTimeout(300_000);

const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
	'name' | 'version',
	string
>;

let folder: string;
let tarball: string;
let registry: NpmRegistry;
let n8n: N8nHost | undefined;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'registered-delivery-by-env-'));
	await copyHome(folder);
	await rm(join(folder, '.n8n', 'nodes'), { recursive: true });
	tarball = await packTarball(folder);
	registry = await startNpmRegistry({ name, version, tarball }, folder);
}, 300_000);
afterAll(async () => {
	await n8n?.stop();
	await registry?.close();
	await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** What n8n has listed after a start with these packs. */
async function startedWith(
	packs: object[],
	change: Record<string, string> = {},
): Promise<object[]> {
	await n8n?.stop();
	const env = {
		...registry.env,
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'false',
		N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
		N8N_COMMUNITY_PACKAGES: JSON.stringify(packs),
		...change,
	};
	n8n = await startN8n({ userFolder: folder, editor: false, env });
	return await (await N8nApi.connect(n8n.url)).communityPackages();
}

it('n8n installs what the variable lists, if its checksum is right, and removes what it lacks', async () => {
	const { integrity } = registry;
	const wrong = integrity.replace(/^sha512-.{4}/, 'sha512-AAAA');
	expect(await startedWith([{ name, version, checksum: wrong }])).toEqual([]);
	expect(await readFile(n8n!.logFile, 'utf8')).toContain('Failed to verify package checksum');

	const right = [{ name, version, checksum: integrity }];
	const listed = { packageName: name, installedVersion: version, failedLoading: false };
	expect(await startedWith(right)).toEqual([expect.objectContaining(listed)]);

	// In a new container, with the database of before.
	const nodes = join(folder, '.n8n', 'nodes');
	await rm(nodes, { recursive: true });
	const gone = { ...listed, failedLoading: true };
	expect(await startedWith(right)).toEqual([expect.objectContaining(gone)]);
	const missing = { N8N_REINSTALL_MISSING_PACKAGES: 'true' };
	expect(await startedWith(right, missing)).toEqual([expect.objectContaining(gone)]);
	const all = { ...missing, N8N_UNVERIFIED_PACKAGES_ENABLED: 'true' };
	expect(await startedWith(right, all)).toEqual([expect.objectContaining(listed)]);

	expect(await startedWith([])).toEqual([]);

	// In place of one from the command line.
	await installPack(tarball, folder);
	expect(await startedWith(right)).toEqual([expect.objectContaining(listed)]);
});
