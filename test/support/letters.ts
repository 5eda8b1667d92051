// Letters to a stub of the service, for tests of how each of its answers is handled.
import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { runNode, type Credentials, type RunOptions, type RunResult } from './n8n-core.ts';
import type { StubAnswer, StubRequest, StubService } from './stub-service.ts';

export interface Letters extends Partial<Omit<RunOptions, 'parameters'>> {
	parameters?: object;
	/** The node's own *Options*. */
	options?: object;
	node?: INodeType;
}

/** Sends a simple letter to each item's address, or to one if there are no items. */
export async function sendLetters(
	credential: object,
	{ parameters = {}, options = {}, node = new SendLetter(), credentials, ...run }: Letters = {},
): Promise<RunResult> {
	return await runNode(node, {
		parameters: {
			type: 'LS',
			body: '<p>Dear reader</p>',
			recipientsFrom: 'json',
			recipientsJson: '={{ { email: $json.email, firstname: "A", lastname: "B" } }}',
			...parameters,
			options,
		} as RunOptions['parameters'],
		credentials: { registeredDeliveryApi: credential, ...credentials } as Credentials,
		items: readers(1),
		...run,
	});
}

export const readers = (count: number) =>
	Array.from({ length: count }, (_, at) => ({ json: { at, email: `reader${at}@x.example` } }));

let ids = 0;

/** The interface's own response to a letter: an id for each recipient. */
export function accepted({ body }: Pick<StubRequest, 'body'>): StubAnswer {
	const recipients = body.match(/"email":|\.email"/g) ?? [];
	const messages = recipients.map(() => ({ id: String(++ids).padStart(12, '0') }));
	return { status: 201, body: { type: 'LS', messages } };
}

/** Makes the service accept every letter again, dropping earlier instructions. */
export function takeAll(stub: StubService): void {
	stub.answer = accepted;
	stub.earlyAnswer = () => undefined;
	stub.readBytes = () => undefined;
	stub.handshake = () => 'ok';
	stub.requests = [];
	stub.connections = 0;
	stub.handshakes = 0;
}

/** Letters that reached the service in full, whatever it answered. */
export const arrived = ({ requests }: StubService) => requests.filter(({ complete }) => complete);

/** What an output item reports about its letter. */
export function verdictOf({ json }: INodeExecutionData): 'sent' | 'not sent' | 'unknown' {
	if (json.error === undefined) return 'sent';
	return String(json.error).startsWith('Outcome unknown: ') ? 'unknown' : 'not sent';
}

/** Send Letter with its requests inspected and changed before n8n's helper gets them. */
export function requesting(
	change: (request: IHttpRequestOptions) => IHttpRequestOptions,
): INodeType {
	const node: INodeType = new SendLetter();
	const { execute } = SendLetter.prototype;
	node.execute = async function (this: IExecuteFunctions) {
		const { helpers } = this;
		const ask = helpers.httpRequestWithAuthentication;
		helpers.httpRequestWithAuthentication = async function (name, request) {
			return (await ask.call(this, name, change(request))) as unknown;
		};
		return await execute.call(this);
	};
	return node;
}
