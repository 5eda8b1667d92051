// A credential's secrets go to its own address alone, whichever node asks, and wherever that leads on.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { NodeConnectionTypes, type IExecuteFunctions, type INodeType } from 'n8n-workflow';

import { localFolder } from '../n8n/folders.ts';
import { runNode, type RunOptions } from '../support/n8n-core.ts';
import { byN8n, byReceiver } from '../support/sandbox.ts';
import type { StubService } from '../support/stub-service.ts';
import { tested, useStub } from './services.ts';

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

const CREDENTIAL = 'registeredDeliveryApi';

/** n8n's own node, with the credential, as n8n lets it. */
function httpRequest(): INodeType {
	const node = new HttpRequest().nodeVersions['4.4'];
	const description = { ...node.description, credentials: [{ name: CREDENTIAL }] };
	return Object.create(node, { description: { value: description } }) as INodeType;
}

/** The service where it is not the part in question. */
const SERVICE = { baseUrl: 'https://service.example', apiToken: 'S3cretOfTheService' };

/** Each part of the credential, with what it has besides, and what its errors call all of them. */
const parts: Array<[string, () => object, string]> = [
	[
		'the service',
		() => ({
			...own.credential,
			apiToken: secret,
			...byReceiver(elsewhere.url, 'S3cretOfBefore'),
			followWith: 'nothing',
		}),
		'Base URL',
	],
	[
		'the receiver',
		() => ({ ...SERVICE, ...byReceiver(`${own.url}/under/a/path`, secret) }),
		'Base URL nor the Receiver URL',
	],
	['n8n', () => ({ ...SERVICE, ...byN8n(`${own.url}/`, secret) }), 'Base URL nor the n8n URL'],
];

const run = async (node: INodeType, credential: object, parameters: object = {}) =>
	await runNode(node, {
		parameters: parameters as RunOptions['parameters'],
		credentials: { [CREDENTIAL]: credential },
	});

describe.each(parts)('what is for %s', (_part, credential, fields) => {
	/** How a node names the target to n8n. */
	const ways: Array<[string, (origin: string) => ReturnType<typeof run>]> = [
		[
			'the HTTP Request node',
			async (origin) =>
				await run(httpRequest(), credential(), {
					url: `${origin}/x`,
					authentication: 'predefinedCredentialType',
					nodeCredentialType: CREDENTIAL,
				}),
		],
		['url', async (origin) => await run(asking({ url: `${origin}/x` }), credential())],
		['uri', async (origin) => await run(asking({ uri: `${origin}/x` }), credential())],
		['baseURL', async (origin) => await run(asking({ url: '/x', baseURL: origin }), credential())],
	];

	describe.each(ways)('by %s', (_way, request) => {
		it('goes to its own address', async () => {
			const { error } = await request(own.url);
			expect(error).toBeUndefined();
			const [sent, ...more] = own.requests.map(({ headers }) => JSON.stringify(headers));
			expect(more).toEqual([]);
			expect(sent.match(/S3cret\w+/g)).toEqual([secret]);
		});

		it('and to no other', async () => {
			const { error } = await request(elsewhere.url);
			expect([...own.requests, ...elsewhere.requests]).toEqual([]);
			const words = `The request goes to ${elsewhere.url}, which is not the ${fields} of the credential.`;
			expect(`${error?.message} ${error?.description}`).toContain(words);
			expect(JSON.stringify(error)).not.toContain(secret);
		});

		it.each([302, 307])('nor along a redirect (%i)', async (status) => {
			own.answer = () => ({ status, headers: { location: `${elsewhere.url}/y` }, body: '' });
			await request(own.url);
			expect(own.requests).toHaveLength(1);
			expect(elsewhere.handshakes).toBe(0);
		});
	});
});

it('two parts at one server are told apart by nobody, so nothing is sent', async () => {
	const credential = { ...own.credential, ...byReceiver(`${own.url}/receiver`, secret) };
	const { error } = await run(asking({ url: `${own.url}/x` }), credential);
	expect(`${error?.message} ${error?.description}`).toContain(
		`The Base URL and the Receiver URL of the credential are the same server, ${own.url}.`,
	);
	expect(own.requests).toEqual([]);
});

/** A node that asks by n8n's helper, or by its older one where the target is a `uri`. */
function asking(request: { url: string; baseURL?: string } | { uri: string }) {
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
			credentials: [{ name: CREDENTIAL }],
		},
		async execute(this: IExecuteFunctions) {
			const { helpers } = this;
			const body: unknown = await ('uri' in request
				? helpers.requestWithAuthentication.call(this, CREDENTIAL, request)
				: helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, request));
			return [[{ json: { body: String(body) } }]];
		},
	};
	return node;
}

describe('the test of a credential, the editor’s button', () => {
	it.each(parts)('of %s: takes it along no redirect', async (part, credential) => {
		own.answer = () => ({
			status: 302,
			headers: { location: `${elsewhere.url}/y` },
			body: '',
		});
		const alone = part === 'the service' ? {} : { baseUrl: '', apiToken: '' };
		const data = { ...credential(), ...alone };
		const { status } = await tested(data);
		expect(status).toBe('Error');
		expect(own.requests).toHaveLength(1);
		expect(elsewhere.requests).toEqual([]);
	});
});
