// A receiver in a company's network, where servers are reached through a forward proxy.
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { startForwardProxy } from '../../support/forward-proxy.ts';
import { authority } from './certificates.ts';
import { TOKEN, cleanUp, later, temporaryFolder, until } from './harness.ts';
import { startProcess } from './process.ts';

jest.setTimeout(90_000);
afterEach(cleanUp);

/** The service at an address of this machine that is not its own name for itself, and a proxy to it. */
async function network() {
	const issuer = authority(temporaryFolder(), 'issuer');
	const { certificate: cert, key } = issuer.issue('service');
	const service = createServer({ cert, key }, (request, response) => {
		response.setHeader('content-type', 'application/json');
		const id = request.url?.slice(-12);
		response.end(JSON.stringify({ id, status: 'ACCEPTED', evidences: [] }));
	});
	await once(service.listen(0, '127.0.0.2'), 'listening');
	const proxy = await startForwardProxy();
	later(async () => {
		service.closeAllConnections();
		service.close();
		await proxy.close();
	});
	const address = `127.0.0.2:${(service.address() as AddressInfo).port}`;
	const started = async (env: Record<string, string>) => {
		const receiver = await startProcess(temporaryFolder(), {
			SERVICE_URL: `https://${address}`,
			SERVICE_TOKEN: TOKEN,
			SERVICE_CA: issuer.certificate,
			HTTPS_PROXY: proxy.url,
			WATCH_DELAYS: '0s:1s',
			...env,
		});
		await receiver.manage('PUT', '/watches/000000000001', { messageType: 'LRE' });
		return receiver;
	};
	return { address, proxy, started };
}

it.each([
	['through HTTPS_PROXY', {}, true],
	['past it where NO_PROXY says so', { NO_PROXY: 'elsewhere.example,127.0.0.2' }, false],
])('it asks the service %s', async (_, env, isProxied) => {
	const { address, proxy, started } = await network();
	const receiver = await started(env);
	await until(
		async () => (await receiver.events()).some(({ type }) => type === 'letter.accepted'),
		'the letter was asked for',
	);
	expect(new Set(proxy.asked)).toEqual(new Set(isProxied ? [address] : []));
});

it('a proxy that refuses is told', async () => {
	const { proxy, started } = await network();
	proxy.refuse = () => 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n';
	const receiver = await started({});
	const watch = async () =>
		JSON.stringify((await receiver.manage('GET', '/watches/000000000001')).body);
	await until(
		async () => /Proxy response \(403\)/.test(await watch()),
		'it says that the proxy refuses',
	);
});

it('the keys that sign events are asked for through it, too', async () => {
	const { proxy, started } = await network();
	proxy.refuse = () => 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n';
	const { url } = await started({ INGEST_JWT_JWKS_URL: 'https://keys.example/keys' });
	const header = Buffer.from('{"alg":"ES256"}').toString('base64url');
	const headers = { authorization: `Bearer ${header}.e30.AAAA` };
	await fetch(`${url}/events`, { method: 'POST', headers, body: '{}' });
	expect(proxy.asked).toContain('keys.example:443');
});
