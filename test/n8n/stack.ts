import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

import type { Sandbox, SandboxOptions } from '../../sandbox/src/sandbox.ts';
import { startSandbox } from '../../sandbox/src/sandbox.ts';
import { readConfig } from '../../webhook-receiver/src/config.ts';
import type { StoredSubscription } from '../../webhook-receiver/src/contract.ts';
import type { Receiver } from '../../webhook-receiver/src/server.ts';
import { startReceiver } from '../../webhook-receiver/src/server.ts';
import { serviceCredential } from '../support/sandbox.ts';
import { N8nApi, type StoredWorkflow, type WorkflowFile } from './api.ts';
import { type HostOptions, type N8nHost, startN8n } from './host.ts';
import { installPack, root } from './pack.ts';
import { freePort } from './port.ts';
import { keptSecrets, type Secrets } from './secrets.ts';

/** Names the example workflows refer to. */
export const SERVICE_CREDENTIAL = 'Registered Delivery (sandbox)';
export const RESELLER_CREDENTIAL = 'Registered Delivery reseller (sandbox)';
export const RECEIVER_CREDENTIAL = 'Registered Delivery Receiver (local)';

/** Ports people expect; 0 means any free one, so that several stacks run side by side. */
export interface Ports {
	n8n: number;
	receiver: number;
	sandbox: number;
	page: number;
}

const ANY_PORT: Ports = { n8n: 0, receiver: 0, sandbox: 0, page: 0 };

export interface StackOptions {
	/** Databases, keys and logs go here. */
	folder: string;
	tarball: string;
	ports?: Ports;
	sandbox?: Partial<SandboxOptions>;
	/** Where the receiver logs; by default warnings go to standard output. */
	receiverLogger?: Logger;
	/** Variables of the receiver besides those that the stack needs. */
	receiverEnv?: Record<string, string>;
	n8nEnv?: Record<string, string>;
	/** Told before each step, for what a person watches. */
	onStep?: (step: string) => void;
	/** Ends the start: what has started by then is closed, and the promise rejects. */
	signal?: AbortSignal;
}

/** Starts sandbox, receiver and n8n with the pack in it, knowing of each other. */
export async function startStack(options: StackOptions): Promise<Stack> {
	const stack = new Stack(options);
	try {
		await stack.start();
		return stack;
	} catch (error) {
		await stack.close();
		throw error;
	}
}

/** Sandbox, receiver and n8n, as a user would have them. */
export class Stack {
	sandbox!: Sandbox;
	receiver!: Receiver;
	n8n!: N8nHost;
	api!: N8nApi;
	private secrets!: Secrets;
	private host!: HostOptions;
	private receiverPort!: number;
	/** By the name that example workflows use. */
	private credentialIds: Record<string, string> = {};
	private readonly options: StackOptions;

	constructor(options: StackOptions) {
		this.options = options;
	}

	get managementToken(): string {
		return this.secrets.managementToken;
	}

	/** Databases, keys and logs are here. */
	get folder(): string {
		return this.options.folder;
	}

	get hmacSecret(): string {
		return this.secrets.hmacSecret;
	}

	async start(): Promise<void> {
		const { folder, tarball, ports = ANY_PORT, n8nEnv: env, signal } = this.options;
		await mkdir(folder, { recursive: true });
		this.secrets = await keptSecrets(join(folder, 'secrets.json'));
		const userFolder = join(folder, 'n8n');
		this.host = { userFolder, port: await freePort(ports.n8n), env, signal };

		// Each is to know the other: the sandbox posts events to the receiver, which watches letters there.
		this.receiverPort = await freePort(ports.receiver);
		this.step('Starting the sandbox');
		this.sandbox = await this.startSandbox(await this.sandboxOptions(ports));
		this.step('Starting the receiver');
		this.receiver = await this.startReceiver();
		this.step('Installing the pack into n8n');
		await installPack(tarball, userFolder);
		this.step('Starting n8n');
		await this.startN8n();
		await this.saveCredentials();
	}

	/** Ends what has started, the last first. */
	async close(): Promise<void> {
		await this.n8n?.stop();
		await this.sandbox?.close();
		await this.receiver?.close();
	}

	/** Stops n8n and starts it again on the same port and data. */
	async restartN8n(): Promise<void> {
		await this.n8n.stop();
		await this.startN8n();
	}

	/** Stops the receiver; events wait at the sandbox until it is started again. */
	async stopReceiver(): Promise<void> {
		await this.receiver.close();
	}

	/** Starts it again on the same port and data. */
	async restartReceiver(): Promise<void> {
		await this.stopReceiver();
		this.receiver = await this.startReceiver();
	}

	/** Credential data of the account, as the user would fill it in. */
	serviceCredential(account: string, change?: object): object {
		return serviceCredential(this.sandbox, account, change);
	}

	/** The id that n8n gave the credential of this name. */
	credentialId(name: string): string {
		return this.credentialIds[name];
	}

	/** Imports an example workflow, with the credentials of this stack. */
	async importExample(
		file: string,
		change?: (workflow: WorkflowFile) => void,
	): Promise<StoredWorkflow> {
		const text = await readFile(join(root, 'examples', file), 'utf8');
		const workflow = withCredentials(JSON.parse(text) as WorkflowFile, this.credentialIds);
		change?.(workflow);
		return await this.api.saveWorkflow(workflow);
	}

	/** Publishes a workflow with the trigger and waits until the receiver knows of it. */
	async activate({ id }: StoredWorkflow): Promise<void> {
		await this.api.activate(id);
		await this.untilRegistered(id, true);
	}

	/** Unpublishes it and waits until the receiver has forgotten it. */
	async deactivate({ id }: StoredWorkflow): Promise<void> {
		await this.api.deactivate(id);
		await this.untilRegistered(id, false);
	}

	/** What is registered with the receiver. */
	async subscriptions(): Promise<StoredSubscription[]> {
		const headers = { authorization: `Bearer ${this.managementToken}` };
		const answer = await fetch(`${this.receiver.url}/subscriptions`, { headers });
		const { data } = (await answer.json()) as { data: StoredSubscription[] };
		return data;
	}

	private step(name: string): void {
		this.options.signal?.throwIfAborted();
		this.options.onStep?.(name);
	}

	protected async startReceiver(): Promise<Receiver> {
		const config = readConfig(this.receiverVariables());
		return await startReceiver(config, { logger: this.options.receiverLogger });
	}

	/** What an operator would set in the receiver's environment. */
	protected receiverVariables(): Record<string, string> {
		const { baseUrl, apiToken, ...tls } = serviceCredential(this.sandbox, 'direct');
		return {
			PORT: String(this.receiverPort),
			DATABASE_FILE: join(this.options.folder, 'receiver.db'),
			MANAGEMENT_TOKEN: this.managementToken,
			INGEST_HMAC_SECRETS: this.hmacSecret,
			ALLOWED_TARGETS: `localhost:${this.host.port}`,
			LOG_LEVEL: 'warn',
			SERVICE_URL: baseUrl,
			SERVICE_TOKEN: apiToken,
			SERVICE_CLIENT_CERTIFICATE: tls.clientCertificate,
			SERVICE_CLIENT_KEY: tls.clientKey,
			SERVICE_CA: tls.caCertificate,
			...this.options.receiverEnv,
		};
	}

	protected async startSandbox(options: Partial<SandboxOptions>): Promise<Sandbox> {
		return await startSandbox(options);
	}

	private async sandboxOptions(ports: Ports): Promise<Partial<SandboxOptions>> {
		return {
			port: await freePort(ports.sandbox),
			pagePort: await freePort(ports.page),
			folder: join(this.options.folder, 'sandbox'),
			webhooks: [{ url: `http://127.0.0.1:${this.receiverPort}/events`, secret: this.hmacSecret }],
			...this.options.sandbox,
		};
	}

	private async startN8n(): Promise<void> {
		this.n8n = await startN8n(this.host);
		this.api = await N8nApi.connect(this.n8n.url);
	}

	private async saveCredentials(): Promise<void> {
		const save = async (name: string, type: string, data: object) => {
			this.credentialIds[name] = await this.api.saveCredential(name, type, data);
		};
		await save(SERVICE_CREDENTIAL, 'registeredDeliveryApi', this.serviceCredential('direct'));
		await save(RESELLER_CREDENTIAL, 'registeredDeliveryApi', this.serviceCredential('reseller'));
		await save(RECEIVER_CREDENTIAL, 'registeredDeliveryReceiverApi', {
			receiverUrl: this.receiver.url,
			managementToken: this.managementToken,
		});
	}

	// n8n publishes in the background, so what counts is what the receiver knows.
	private async untilRegistered(workflowId: string, wanted: boolean): Promise<void> {
		const deadline = Date.now() + 30_000;
		while (Date.now() < deadline) {
			const keys = (await this.subscriptions()).map(({ key }) => key);
			if (keys.some((key) => key.startsWith(`${workflowId}~`)) === wanted) return;
			await sleep(50);
		}
		throw new Error(`The trigger was not ${wanted ? 'registered' : 'removed'} within 30 s.`);
	}
}

// Example workflows name their credentials; ids differ from one n8n to the next.
function withCredentials(workflow: WorkflowFile, ids: Record<string, string>): WorkflowFile {
	for (const node of workflow.nodes) {
		const credentials = (node.credentials ?? {}) as Record<string, { id: string; name: string }>;
		for (const reference of Object.values(credentials)) {
			reference.id = ids[reference.name] ?? reference.id;
		}
	}
	return workflow;
}
