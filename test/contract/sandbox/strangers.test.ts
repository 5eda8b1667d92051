// Who gets nothing of what the control API and the pages show: tokens, keys, letters.
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxClient } from '../../../sandbox/src/client/client.ts';
import { ownSandbox } from './own.ts';

async function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
	const sent = request(url, { headers }).end();
	const [response] = (await once(sent, 'response')) as [IncomingMessage];
	response.resume();
	return response.statusCode;
}

it.each(['/', '/accounts', '/_sandbox/accounts', '/_sandbox/state'])(
	'%s is for its own name and its own page alone',
	async (path) => {
		const { pageUrl } = await ownSandbox();
		const url = `${pageUrl}${path}`;
		expect(await statusOf(url, {})).toBe(200);
		// A name of theirs that leads to this machine, and a page of theirs.
		expect(await statusOf(url, { host: 'rebound.example' })).toBe(403);
		expect(await statusOf(url, { origin: 'https://other.example' })).toBe(403);
		expect(await statusOf(url, { origin: 'http://localhost:1' })).toBe(403);
		expect(await statusOf(url, { 'sec-fetch-site': 'cross-site' })).toBe(403);
	},
);

it('only its owner may read the tokens and keys in its folder', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'sandbox-strangers-'));
	const sandbox = await ownSandbox({ folder });
	try {
		// Something to keep.
		await sandboxClient(sandbox.pageUrl)('PUT /accounts/{name}/kyc', {
			name: 'direct',
			valid: true,
		});
		const [{ token }] = sandbox.accounts;
		const secrets = [token, 'PRIVATE KEY'];
		const kept = (await readdir(folder)).map((name) => join(folder, name));
		const withSecrets: string[] = [];
		for (const file of kept) {
			if (!(await stat(file)).isFile()) continue;
			const text = await readFile(file, 'latin1');
			if (secrets.some((secret) => text.includes(secret))) withSecrets.push(file);
		}
		expect(withSecrets.some((file) => file.includes('state.sqlite'))).toBe(true);
		for (const file of withSecrets) expect((await stat(file)).mode & 0o077).toBe(0);
	} finally {
		await sandbox.close();
		await rm(folder, { recursive: true });
	}
});
