// Download Evidence at hosts that are not the service's own: what their connections, redirects, certificates
// and networks do.
import tls from 'node:tls';

import { DownloadEvidence } from '../../nodes/DownloadEvidence/DownloadEvidence.node.ts';
import { until } from '../n8n/poll.ts';
import { binaryContent } from '../support/binary.ts';
import { protectFromSsrf, runNode, useBinaryStore } from '../support/n8n-core.ts';
import type * as Pauses from '../support/short-pauses.ts';
import type { StubAnswer, StubService } from '../support/stub-service.ts';
import { useStub } from './services.ts';

const MINUTE = 60_000;

// The time limit of a file is half a second.
jest.mock('n8n-workflow', () => {
	const n8n = jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses();
	const sleep = async (ms: number, signal?: AbortSignal) =>
		await n8n.sleep(ms > MINUTE ? 25_000 : ms, signal);
	return { ...n8n, sleep };
});

const service = useStub();
const host = useStub();

const pdf = { contentType: 'application/pdf', body: '%PDF-1.7 here %%EOF' };

/** Downloads from the host, which answers so; the service gives the link. */
function download(
	answer: (path: string) => StubAnswer,
	{
		link = `${host.url}/link`,
		credential = trusting(host),
	}: { link?: string; credential?: object } = {},
) {
	host.answer = ({ path }) => answer(path);
	service.answer = () => ({ body: { url: link } });
	return runNode(new DownloadEvidence(), {
		parameters: { operation: 'download', messageId: '000000000001', eventType: 'SENT' },
		credentials: { registeredDeliveryApi: credential },
	});
}

const authorityOf = ({ credential }: StubService) =>
	(credential as { caCertificate: string }).caCertificate;

/** A credential whose authorities are those of the service and of others. */
const trusting = (...others: StubService[]) => ({
	...service.credential,
	caCertificate: [service, ...others].map(authorityOf).join('\n'),
});

describe.each(['in the items', 'in n8n’s binary store'])('a file kept %s', (place) => {
	if (place !== 'in the items') beforeAll(useBinaryStore);

	it.each([
		['after the headers', '', 300],
		['in mid-file', `%PDF-1.7 half of it${' '.repeat(100_000)}`, 90_000],
	])('[EVID-03][N] a host that falls silent %s fails its item', async (_title, body, cutAt) => {
		const answer = { ...pdf, body, cutAt, stalls: true, headers: { 'content-length': '200000' } };
		const { error } = await download(() => answer);
		expect(error?.description).toMatch(/^The connection to localhost:\d+ failed \(ETIMEDOUT\)\.$/);
		await until('closed connections', async () => host.open === 0, 2);
	});
});

describe('the connection', () => {
	const body = Buffer.alloc(20 * 1024 * 1024, 'x');

	it.each<[string, StubAnswer]>([
		['redirects', { status: 302, headers: { location: '/file' }, body }],
		['refuses', { status: 404, body }],
		[
			'redirects, compressed',
			{ status: 302, headers: { location: '/file', 'content-encoding': 'gzip' }, body },
		],
	])(
		'[EVID-03][N] to a host that %s is closed, however much it has to say',
		async (_title, answer) => {
			const { error } = await download((path) => (path === '/file' ? pdf : answer));
			if (answer.status === 302) expect(error).toBeUndefined();
			else expect(error?.description).toContain('HTTP status 404');
			await until('closed connections', async () => host.open === 0, 1);
		},
	);
});

it('[EVID-03][N] a redirect in UTF-8 is followed byte by byte', async () => {
	const asked: string[] = [];
	const location = '/Lettre à Zoë %C3%A9.pdf?für=ü';
	const { error } = await download((path) => {
		asked.push(path);
		// In raw bytes, which `setHeader` refuses to write.
		return path === '/link'
			? { status: 302, headers: { location }, body: '', cutAt: Infinity }
			: pdf;
	});
	expect(error).toBeUndefined();
	// A connection that breaks on a busy machine is tried again.
	expect([...new Set(asked)]).toEqual(['/link', '/Lettre%20%C3%A0%20Zo%C3%AB%20%C3%A9.pdf']);
	expect([...(host.requests.at(-1)?.query ?? [])]).toEqual([['für', 'ü']]);
});

describe('the host’s certificate', () => {
	const known = tls.getCACertificates('default');
	afterEach(() => tls.setDefaultCACertificates(known));

	it('[EVID-03][N] may be from a public authority, whatever the credential’s is', async () => {
		tls.setDefaultCACertificates([...known, authorityOf(host)]);
		const { items, error } = await download(() => pdf, { credential: service.credential });
		expect(error).toBeUndefined();
		expect(String(await binaryContent(items[0].binary!.data))).toBe(pdf.body);
	});

	it('[EVID-03][N] may be from any authority in the credential', async () => {
		const { error } = await download(() => pdf, { credential: trusting(host) });
		expect(error).toBeUndefined();
	});

	it('[EVID-03][N] from elsewhere is refused, in words', async () => {
		const { error } = await download(() => pdf, { credential: service.credential });
		expect(error?.description).toMatch(
			/^The certificate of localhost:\d+ is neither from a public authority nor from the one in "CA Certificate \(PEM\)" of the credential\. Paste the certificate of its authority below the one that is there\.$/,
		);
		tls.setDefaultCACertificates([...known, authorityOf(service)]);
		const credential = { ...service.credential, caCertificate: '' };
		const { error: without } = await download(() => pdf, { credential });
		expect(without?.description).toMatch(
			/^The certificate of localhost:\d+ is not from a known authority\. Paste the certificate of the authority into "CA Certificate \(PEM\)" of the credential\.$/,
		);
		expect(host.requests).toEqual([]);
	});
});

describe('with n8n’s SSRF protection', () => {
	// n8n reads the names with the first request.
	protectFromSsrf(false, ['localhost']);
	beforeAll(() => protectFromSsrf(true, ['localhost']));
	afterAll(() => protectFromSsrf(false));

	it('[EVID-03][N] a host that it blocks is named, with the setting that allows it', async () => {
		const link = host.url.replace('localhost', '127.0.0.1');
		const { error } = await download(() => pdf, { link });
		expect(error?.description).toBe(
			`${new URL(link).host}: n8n's SSRF protection forbids requests to this address, which is a private or a blocked one. To allow it, start n8n with its host in N8N_SSRF_ALLOWED_HOSTNAMES or its range in N8N_SSRF_ALLOWED_IP_RANGES.`,
		);
		expect(host.requests).toEqual([]);
	});
});
