// Certificates are renewed on disk while the receiver runs, by whoever issues them.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';

import { authority } from './certificates.ts';
import {
	ManualClock,
	TOKEN,
	cleanUp,
	later,
	recordedLog,
	start,
	temporaryFolder,
	until,
} from './harness.ts';

jest.setTimeout(90_000);
afterEach(cleanUp);

const DAY = 86_400_000;

/** Files with a certificate and its key, and a receiver's clock at the present. */
function renewable(name: string) {
	const folder = temporaryFolder();
	const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
	const issuer = authority(folder, 'issuer');
	const write = (subject: string, days?: number) => {
		const pair = issuer.issue(subject, days);
		writeFileSync(certificate, pair.certificate);
		writeFileSync(key, pair.key);
	};
	const clock = new ManualClock();
	clock.advance(Date.now() - clock.now());
	const { logger, lines } = recordedLog();
	const env = {
		[`${name}_FILE`]: certificate,
		[`${name.replace('CERTIFICATE', 'KEY')}_FILE`]: key,
	};
	const said = (text: string) => lines.filter((line) => line.includes(text)).length;
	return { issuer, write, certificate, env, dependencies: { clock, logger }, clock, said };
}

async function servedBy(url: string): Promise<string> {
	const { hostname, port } = new URL(url);
	const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
	await once(socket, 'secureConnect');
	const { CN } = socket.getPeerCertificate().subject;
	socket.destroy();
	return String(CN);
}

it('handshakes have the new certificate within a minute, never half of a pair', async () => {
	const { issuer, write, certificate, env, dependencies, clock, said } =
		renewable('TLS_CERTIFICATE');
	write('first', 60);
	const { url } = await start({ env, dependencies });
	expect(await servedBy(url)).toBe('first');
	let served = 'first';
	for (const [before, next] of ['second', 'third'].entries()) {
		// The key is still to come.
		writeFileSync(certificate, issuer.issue('half').certificate);
		clock.advance(60_000);
		const told = () => said('goes on with what it has read before') - before;
		await until(() => told() === 1, 'it is told');
		clock.advance(60_000);
		expect(await servedBy(url)).toBe(served);
		write(next, 60);
		clock.advance(60_000);
		await until(async () => (await servedBy(url)) === next, 'the new one is in use');
		expect(told()).toBe(1);
		served = next;
	}
	expect(said('expire')).toBe(0);
});

it.each([
	['soon', 2, 'TLS_CERTIFICATE expires soon'],
	['since yesterday', 0, 'TLS_CERTIFICATE has expired'],
])('one that expires %s is told at the start, each day, and anew', async (_, days, words) => {
	const { write, env, dependencies, clock, said } = renewable('TLS_CERTIFICATE');
	write('short', Math.max(days, 1));
	if (days === 0) clock.advance(2 * DAY);
	await start({ env, dependencies });
	await until(() => said(words) === 1, 'it is told');
	clock.advance(DAY);
	await until(() => said('TLS_CERTIFICATE') === 2, 'it is told again');
	write('as short', Math.max(days, 1));
	clock.advance(60_000);
	await until(() => said(words) === 3, 'the next one is told');
});

it('the service is asked with the new client certificate', async () => {
	const renewed = renewable('SERVICE_CLIENT_CERTIFICATE');
	renewed.write('first', 60);
	const own = renewed.issuer.issue('service', 60);
	const seen: string[] = [];
	const service = createServer(
		{
			cert: own.certificate,
			key: own.key,
			ca: renewed.issuer.certificate,
			requestCert: true,
			rejectUnauthorized: true,
		},
		(request, response) => {
			seen.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN));
			const id = request.url?.slice(-12) ?? '';
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ id, status: 'SENT', evidences: [] }));
		},
	);
	await once(service.listen(0, '127.0.0.1'), 'listening');
	later(() => {
		service.closeAllConnections();
		service.close();
	});
	const { port } = service.address() as AddressInfo;
	const receiver = await start({
		env: {
			...renewed.env,
			SERVICE_URL: `https://127.0.0.1:${port}`,
			SERVICE_TOKEN: TOKEN,
			SERVICE_CA: renewed.issuer.certificate,
			WATCH_DELAYS: '0s:1m',
		},
		dependencies: renewed.dependencies,
	});
	await receiver.manage('PUT', '/watches/000000000001', { messageType: 'LRE' });
	const asked = (by: string) =>
		until(() => {
			renewed.clock.advance(10_000);
			return seen.includes(by);
		}, `it is asked by the ${by}`);
	await asked('first');
	expect(new Set(seen)).toEqual(new Set(['first']));
	renewed.write('second', 60);
	renewed.clock.advance(60_000);
	await until(() => renewed.said('was renewed') === 1, 'the new one is in use');
	await asked('second');
});
