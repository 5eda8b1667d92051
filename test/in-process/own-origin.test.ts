// A credential's secrets go to its own address alone, whichever node asks, and wherever that leads on.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { NodeConnectionTypes, type IExecuteFunctions, type INodeType } from 'n8n-workflow';

import { AwaitConsent } from '../../nodes/AwaitConsent/AwaitConsent.node.ts';
import { localFolder } from '../n8n/folders.ts';
import { useForwardProxy } from '../support/forward-proxy.ts';
import { serve } from '../support/http-server.ts';
import { runNode, testCredential, type RunOptions } from '../support/n8n-core.ts';
import type { StubService } from '../support/stub-service.ts';
import { useStub } from './services.ts';

const own = useStub();
const elsewhere = useStub();
const secret = 'S3cretOfTheTest';

const caOf = ({ credential }: StubService) =>
	(credential as { caCertificate: string }).caCertificate;
const publicOnes = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...publicOnes, caOf(own), caOf(elsewhere)]));
afterAll(() => setDefaultCACertificates(publicOnes));

const { HttpRequest } = createRequire(join(localFolder, 'n8n-host/node_modules/n8n-nodes-base/x'))(
	'./dist/nodes/HttpRequest/HttpRequest.node.js',
) as { HttpRequest: new () => { nodeVersions: Record<string, INodeType> } };

/** n8n's own node, with any credential, as n8n lets it. */
function httpRequest(name: string): INodeType {
	const node = new HttpRequest().nodeVersions['4.4'];
	const description = { ...node.description, credentials: [{ name }] };
	return Object.create(node, { description: { value: description } }) as INodeType;
}

/** Each credential, where it belongs to, and what its errors call that. */
const credentials: Array<[string, () => object, string]> = [
	['registeredDeliveryApi', () => ({ ...own.credential, apiToken: secret }), 'Base URL'],
	[
		'registeredDeliveryReceiverApi',
		() => ({ receiverUrl: `${own.url}/under/a/path`, managementToken: secret }),
		'Receiver URL',
	],
	['registeredDeliveryN8nApi', () => ({ n8nUrl: `${own.url}/`, apiKey: secret }), 'n8n URL'],
];

describe.each(credentials)('%s', (name, credential, field) => {
	const run = async (node: INodeType, parameters: object) =>
		await runNode(node, {
			parameters: parameters as RunOptions['parameters'],
			credentials: { [name]: credential() },
		});

	/** How a node names the target to n8n. */
	const ways: Array<[string, (origin: string) => ReturnType<typeof run>]> = [
		[
			'the HTTP Request node',
			async (origin) =>
				await run(httpRequest(name), {
					url: `${origin}/x`,
					authentication: 'predefinedCredentialType',
					nodeCredentialType: name,
				}),
		],
		['url', async (origin) => await run(asking(name, { url: `${origin}/x` }), {})],
		['uri', async (origin) => await run(asking(name, { uri: `${origin}/x` }), {})],
		['baseURL', async (origin) => await run(asking(name, { url: '/x', baseURL: origin }), {})],
	];

	describe.each(ways)('by %s', (_way, request) => {
		it('goes to its own address', async () => {
			const { error } = await request(own.url);
			expect(error).toBeUndefined();
			expect(own.requests.map(({ headers }) => JSON.stringify(headers))).toEqual([
				expect.stringContaining(secret),
			]);
		});

		it('and to no other', async () => {
			const { error } = await request(elsewhere.url);
			expect([...own.requests, ...elsewhere.requests]).toEqual([]);
			const words = `The request goes to ${elsewhere.url}, which is not the ${field} of the credential.`;
			expect(`${error?.message} ${error?.description}`).toContain(words);
			expect(JSON.stringify(error)).not.toContain(secret);
		});

		it.each([302, 307])('nor along a redirect (%i)', async (status) => {
			own.answer = () => ({ status, headers: { location: `${elsewhere.url}/y` }, body: '' });
			await request(own.url);
			expect(own.requests).toHaveLength(1);
			expect(elsewhere.requests).toEqual([]);
		});
	});
});

/** A node that asks by n8n's helper, or by its older one where the target is a `uri`. */
function asking(name: string, request: { url: string; baseURL?: string } | { uri: string }) {
	const node: INodeType = {
		description: {
			displayName: 'Asking',
			name: 'asking',
			group: [],
			version: 1,
			description: '',
			defaults: {},
			properties: [],
			outputs: [NodeConnectionTypes.Main],
			inputs: [NodeConnectionTypes.Main],
			credentials: [{ name }],
		},
		async execute(this: IExecuteFunctions) {
			const { helpers } = this;
			const body: unknown = await ('uri' in request
				? helpers.requestWithAuthentication.call(this, name, request)
				: helpers.httpRequestWithAuthentication.call(this, name, request));
			return [[{ json: { body: String(body) } }]];
		},
	};
	return node;
}

describe('the test of a credential, the editor’s button', () => {
	it.each(credentials)('%s: takes it along no redirect', async (name, credential) => {
		own.answer = () => ({
			status: 302,
			headers: { location: `${elsewhere.url}/y` },
			body: '',
		});
		const { status } = await testCredential(new AwaitConsent(), `${name}Test`, credential());
		expect(status).toBe('Error');
		expect(own.requests).toHaveLength(1);
		expect(elsewhere.requests).toEqual([]);
	});

	const plain: Array<[string, (url: string) => object, string]> = [
		[
			'registeredDeliveryReceiverApi',
			(receiverUrl) => ({ receiverUrl, managementToken: secret }),
			'Management Token',
		],
		['registeredDeliveryN8nApi', (n8nUrl) => ({ n8nUrl, apiKey: secret }), 'n8n API key'],
	];
	it.each(plain)('%s: fails where a forward proxy has read it', async (name, dataOf, what) => {
		const server = await serve((_request, response) => {
			response.setHeader('content-type', 'application/json').end('{"data":[]}');
		});
		const test = async () =>
			await testCredential(new AwaitConsent(), `${name}Test`, dataOf(server.url));
		expect((await test()).status).toBe('OK');
		const proxy = await useForwardProxy('');
		const { status, message } = await test();
		proxy.close();
		await server.close();
		expect(status).toBe('Error');
		expect(message).toContain(`the forward proxy that n8n's HTTP_PROXY names reads the ${what}`);
	});
});
