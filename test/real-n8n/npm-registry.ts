// npm's registry as n8n and its npm see it, which has the pack alone, as it would be published. Nothing else on
// the network is reached.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

import { startForwardProxy } from '../support/forward-proxy.ts';
import { localhostCertificate } from '../support/tls-server.ts';

const HOST = 'registry.npmjs.org';

export interface NpmRegistry {
	/** What leads an n8n there: it takes another registry only with a license. */
	env: Record<string, string>;
	/** What npm calls `dist.integrity`. */
	integrity: string;
	close(): Promise<void>;
}

/** @param folder for its authority */
export async function startNpmRegistry(
	{ name, version, tarball }: { name: string; version: string; tarball: string },
	folder: string,
): Promise<NpmRegistry> {
	const content = await readFile(tarball);
	const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
	const file = `/${name}/-/${basename(tarball)}`;
	const manifest = { name, version, dist: { integrity, tarball: `https://${HOST}${file}` } };
	const pages: Record<string, object> = {
		[`/${name}`]: { name, 'dist-tags': { latest: version }, versions: { [version]: manifest } },
		[`/${name}/${version}`]: manifest,
	};
	const { authority, ...certificate } = await localhostCertificate(HOST);
	const server = createServer(certificate, ({ url = '' }, response) => {
		const page = pages[url];
		if (url === file) response.end(content);
		else if (page === undefined) response.writeHead(404).end('{}');
		else response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const here = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	const proxy = await startForwardProxy();
	proxy.lead = (address) => (address === `${HOST}:443` ? here : '127.0.0.1:1');
	const trusted = join(folder, 'registry.pem');
	await writeFile(trusted, authority);
	return {
		env: { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: trusted },
		integrity,
		async close() {
			await proxy.close();
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
