// What stands for the service in the tests of a file, started before them, and as new before each; and a node at it.
import type { INodeType } from 'n8n-workflow';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import type { SandboxOptions } from '../../sandbox/src/sandbox.ts';
import { useSandbox, type TestSandbox } from '../../sandbox/src/testing/jest.ts';
import { sendLetters, takeAll } from '../support/letters.ts';
import { runNode, testCredential, type RunOptions } from '../support/n8n-core.ts';
import { serviceCredential } from '../support/sandbox.ts';
import { startStubService, type StubService } from '../support/stub-service.ts';

/** Refuses members that the interface does not know; letters stay as they were sent. */
export const useStrictSandbox = (options: Partial<SandboxOptions> = {}): TestSandbox =>
	useSandbox({ automatic: false, strict: true, ...options });

/** Answers what it is told. */
export function useStub(): StubService {
	let stub: StubService;
	beforeAll(async () => {
		stub = await startStubService();
	});
	afterAll(() => stub.close());
	beforeEach(() => takeAll(stub));
	return new Proxy({} as StubService, {
		get: (_, name) => Reflect.get(stub, name) as unknown,
		set: (_, name, value) => Reflect.set(stub, name, value),
	});
}

export interface AtService extends Partial<Omit<RunOptions, 'parameters' | 'credentials'>> {
	/** Of the sandbox. */
	account?: string;
	/** What its credential has otherwise. */
	change?: object;
	/** In place of that. */
	credential?: object;
}

/** What tells a receiver to watch at the service of this credential, often. */
export const watchingAt = (credential: object): Record<string, string> => {
	const { baseUrl, apiToken, ...tls } = credential as Record<string, string | undefined>;
	const variables = {
		SERVICE_URL: baseUrl,
		SERVICE_TOKEN: apiToken,
		SERVICE_CA: tls.caCertificate,
		SERVICE_CLIENT_CERTIFICATE: tls.clientCertificate,
		SERVICE_CLIENT_KEY: tls.clientKey,
		WATCH_DELAYS: '0s:1s',
	};
	return Object.fromEntries(Object.entries(variables).filter(([, value]) => value)) as never;
};

/** A name that passes our check, but not the service's. */
export const TOO_LONG = 'x'.repeat(1001);

/** Runs a node with the credential of an account of the sandbox. */
export const runAt = async (
	sandbox: TestSandbox,
	node: INodeType,
	parameters: object,
	{ account = 'direct', change, credential, ...options }: AtService = {},
) =>
	await runNode(node, {
		parameters: parameters as RunOptions['parameters'],
		credentials: {
			registeredDeliveryApi: credential ?? serviceCredential(sandbox, account, change),
		},
		...options,
	});

/** What the editor says of a credential with that; all nodes have the same test of it. */
export const tested = async (credential: object) =>
	await testCredential(new AwaitOutcome(), 'registeredDeliveryApiTest', credential);

/** Sends one letter. @returns its id */
export async function sendOne(sandbox: TestSandbox, type: string, options = {}): Promise<string> {
	const credential = serviceCredential(sandbox, 'direct');
	const { items } = await sendLetters(credential, { parameters: { type }, options });
	return String(items[0].json.messageId);
}
