import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { createAuthority, issueServerCertificate } from '../../sandbox/src/authority.ts';

/** What a service with evidence answers, as fast as one can: the sandbox writes each PDF when it is asked for. */
export interface EvidenceService {
	url: string;
	/** PEM of the authority that clients must trust. */
	caCertificate: string;
	close(): Promise<void>;
}

/** @param bytes of each PDF */
export async function startEvidenceService(bytes: number): Promise<EvidenceService> {
	const authority = await createAuthority(Date.now());
	const { certificate, key } = await issueServerCertificate(authority, Date.now());
	const pdf = Buffer.alloc(bytes, 'evidence ');
	pdf.write('%PDF-1.7\n');
	pdf.write('\n%%EOF\n', bytes - 7);
	let url = '';
	const server = createServer({ cert: certificate, key }, (request, response) => {
		const [, resource, id] = (request.url ?? '').split('/');
		if (resource === 'files') {
			response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': bytes });
			response.end(pdf);
			return;
		}
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(JSON.stringify({ url: `${url}/files/${id}` }));
	});
	server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
	await once(server, 'listening');
	url = `https://localhost:${(server.address() as AddressInfo).port}`;
	return {
		url,
		caCertificate: authority.certificate,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
