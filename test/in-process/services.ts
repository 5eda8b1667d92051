// What stands for the service in the tests of a file, started before them, and as new before each; and a node at it.
import type { INodeType } from 'n8n-workflow';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import type { SandboxOptions } from '../../sandbox/src/sandbox.ts';
import { useSandbox, type TestSandbox } from '../../sandbox/src/testing/jest.ts';
import { takeAll } from '../support/letters.ts';
import { runNode, type RunOptions } from '../support/n8n-core.ts';
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

/** Sends one letter. @returns its id */
export async function sendOne(sandbox: TestSandbox, type: string, options = {}): Promise<string> {
	const { items } = await runAt(sandbox, new SendLetter(), {
		type,
		body: '<p>Hello there</p>',
		recipientsFrom: 'json',
		options,
		recipientsJson: { email: 'ada@recipients.example', firstname: 'Ada', lastname: 'Martin' },
	});
	return String(items[0].json.messageId);
}
