import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { withClients } from '../../sandbox/src/client/with-clients.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/src/sandbox.ts';
import { startSandbox } from '../../sandbox/src/sandbox.ts';
import { readConfig } from '../../webhook-receiver/src/config/read-config.ts';
import type { ConsumerView } from '../../webhook-receiver/src/core/pull-contract.ts';
import type { Dependencies, Receiver } from '../../webhook-receiver/src/server.ts';
import { startReceiver } from '../../webhook-receiver/src/server.ts';
import { byReceiver, serviceCredential } from '../support/sandbox.ts';
import { N8nApi, type StoredWorkflow, type WorkflowFile } from './api.ts';
import {
	EXAMPLE_CREDENTIALS,
	exampleFiles,
	withCredentials,
	writingTo,
} from './example-workflows.ts';
import { type HostOptions, type N8nHost, startN8n } from './host.ts';
import { root } from './folders.ts';
import { installPack } from './pack.ts';
import { type PartProcess, startPart } from './part-process.ts';
import type { PartRequest } from './part.ts';
import { freePort } from './port.ts';
import { ReceiverApi } from './receiver-api.ts';
import { keptSecrets, type Secrets } from './secrets.ts';

export const SERVICE_CREDENTIAL = EXAMPLE_CREDENTIALS.service.name;
export const RESELLER_CREDENTIAL = EXAMPLE_CREDENTIALS.reseller.name;

/** The usual ports; 0 means any free one, so that several stacks can run side by side. */
export interface Ports {
	n8n: number;
	receiver: number;
	sandbox: number;
	page: number;
}

const ANY_PORT: Ports = { n8n: 0, receiver: 0, sandbox: 0, page: 0 };

export interface StackOptions {
	/** Where databases, keys and logs go. */
	folder: string;
	/** The pack; null if n8n's folder has it already. */
	tarball: string | null;
	ports?: Ports;
	sandbox?: Partial<SandboxOptions>;
	/** The receiver's logger and clock; by default warnings go to standard output. */
	receiverDependencies?: Dependencies;
	/** Receiver variables in addition to those the stack needs. */
	receiverEnv?: Record<string, string>;
	n8nEnv?: Record<string, string>;
	/** Whether n8n has its editor; by default it does. */
	editor?: boolean;
	/** An n8n that runs already with the pack, and goes on when the stack is closed. */
	n8n?: LentN8n;
	/** An n8n other than the pinned one: its folder under `.local`. */
	n8nInstallation?: string;
	/** Runs sandbox and receiver in processes of their own, to be killed and restarted. */
	ownProcesses?: boolean;
	/** Runs sandbox and receiver elsewhere, such as in containers. */
	elsewhere?: Elsewhere;
	/** Called before each step, to show progress. */
	onStep?: (step: string) => void;
	/** Aborts the start: what has started is closed, and the promise rejects. */
	signal?: AbortSignal;
}

/** An n8n, and how to start it again. */
export interface LentN8n {
	running: N8nHost;
	options: HostOptions;
}

/** Starts the parts from what an operator would set. */
export interface Elsewhere {
	sandbox(options: Partial<SandboxOptions>): Promise<Sandbox>;
	receiver(variables: Record<string, string>): Promise<Receiver>;
}

/** Starts sandbox, receiver and n8n with the pack, configured for each other. */
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

/** Sandbox, receiver and n8n, set up as a user would. */
export class Stack {
	sandbox!: Sandbox;
	receiver!: Receiver;
	n8n!: N8nHost;
	api!: N8nApi;
	private secrets!: Secrets;
	private host!: HostOptions;
	private receiverPort!: number;
	private sandboxOptions!: Partial<SandboxOptions>;
	private receiverEnv: Record<string, string>;
	private parts: Partial<Record<PartRequest['part'], PartProcess>> = {};
	/** Keyed by the names that example workflows use. */
	private credentialIds: Record<string, string> = {};
	private readonly options: StackOptions;

	constructor(options: StackOptions) {
		this.options = options;
		this.receiverEnv = options.receiverEnv ?? {};
	}

	get managementToken(): string {
		return this.secrets.managementToken;
	}

	/** Where databases, keys and logs are. */
	get folder(): string {
		return this.options.folder;
	}

	get hmacSecret(): string {
		return this.secrets.hmacSecret;
	}

	async start(): Promise<void> {
		const { folder, tarball, ports = ANY_PORT, n8nEnv: env, signal, n8n } = this.options;
		const { n8nInstallation: installation, editor } = this.options;
		await mkdir(folder, { recursive: true });
		this.secrets = await keptSecrets(join(folder, 'secrets.json'));
		const userFolder = join(folder, 'n8n');
		this.host = n8n?.options ?? {
			userFolder,
			port: await freePort(ports.n8n),
			env,
			installation,
			editor,
			signal,
		};

		// The two need each other: the sandbox posts to the receiver, which watches letters there.
		this.receiverPort = await freePort(ports.receiver);
		this.step('Starting the sandbox');
		this.sandboxOptions = await this.chooseSandboxOptions(ports);
		this.sandbox = await this.runSandbox();
		this.step('Starting the receiver');
		await this.startReceiver();
		if (tarball !== null) {
			this.step('Installing the pack into n8n');
			await installPack(tarball, userFolder);
		}
		this.step('Starting n8n');
		await this.take(n8n?.running ?? (await startN8n(this.host)));
		await this.saveCredentials();
	}

	/** Stops what has started, last first. */
	async close(): Promise<void> {
		if (!this.options.n8n) await this.n8n?.stop();
		await this.sandbox?.close();
		await this.receiver?.close();
	}

	/** Starts n8n on the same port and data, after a stop or a kill. */
	async startN8n(): Promise<void> {
		await this.take(await startN8n(this.host));
	}

	private async take(n8n: N8nHost): Promise<void> {
		this.n8n = n8n;
		this.api = await N8nApi.connect(n8n.url);
	}

	/** Restarts n8n on the same port and data. */
	async restartN8n(): Promise<void> {
		await this.n8n.stop();
		await this.startN8n();
	}

	/** Stops n8n and starts the pinned version on its port and data, whichever ran before. */
	async upgradeN8n(): Promise<void> {
		await this.n8n.stop();
		this.host = { ...this.host, installation: undefined };
		await this.startN8n();
	}

	/** Starts the receiver on the same port and data, after a stop or a kill. */
	async startReceiver(): Promise<void> {
		this.receiver = await this.runReceiver();
	}

	/** Stops the receiver; events wait at the sandbox until it is back. */
	async stopReceiver(): Promise<void> {
		await this.receiver.close();
	}

	/** @param change variables that differ from now on */
	async restartReceiver(change: Record<string, string> = {}): Promise<void> {
		await this.stopReceiver();
		this.receiverEnv = { ...this.receiverEnv, ...change };
		await this.startReceiver();
	}

	/** Kills the receiver with SIGKILL. @throws Error if it does not run in a process of its own */
	async killReceiver(): Promise<void> {
		if (!this.parts.receiver) throw new Error('The receiver runs in this process.');
		await this.parts.receiver.kill();
	}

	/** Sets the receiver's clock ahead, as if the leases of a killed n8n had passed; a restart sets it right. */
	async passLeases(): Promise<void> {
		await this.parts.receiver?.setClock(90_000);
	}

	/** Restarts the sandbox cleanly, on the same ports and data. */
	async restartSandbox(): Promise<void> {
		await this.sandbox.close();
		this.sandbox = await this.runSandbox();
	}

	/** Makes the receiver forget everything: deletes its database. */
	async dropReceiverDatabase(): Promise<void> {
		await this.stopReceiver();
		for (const end of ['', '-wal', '-shm']) await rm(this.receiverFile + end, { force: true });
		await this.startReceiver();
	}

	/** The account's credential data, as a user would fill it in who follows nothing. */
	serviceCredential(account: string, change?: object): object {
		return serviceCredential(this.sandbox, account, change);
	}

	/** Saves the credentials of both accounts, with what differs from now on. */
	async saveCredentials(change: object = {}, direct: object = {}): Promise<void> {
		const follow = byReceiver(this.receiver.url, this.managementToken);
		const save = async (name: string, account: string, more: object) => {
			const data = { ...this.serviceCredential(account), ...follow, ...change, ...more };
			this.credentialIds[name] = await this.api.saveCredential(name, 'registeredDeliveryApi', data);
		};
		await save(RESELLER_CREDENTIAL, 'reseller', {});
		// Last, since n8n offers the newest one in a new node.
		await save(SERVICE_CREDENTIAL, 'direct', direct);
	}

	/** The credential of an account as nodes refer to it, with service and receiver. */
	credential(name: string = SERVICE_CREDENTIAL): { id: string; name: string } {
		return { id: this.credentialIds[name], name };
	}

	/** What a node of this pack has for its credentials. */
	get credentials() {
		return { registeredDeliveryApi: this.credential() };
	}

	/** Names of the credentials in n8n. */
	get credentialNames(): string[] {
		return Object.keys(this.credentialIds);
	}

	/** Imports an example workflow with this stack's credentials. */
	async importExample(
		file: string,
		change?: (workflow: WorkflowFile) => void,
	): Promise<StoredWorkflow> {
		const workflow = await this.readExample(file);
		change?.(workflow);
		return await this.api.saveWorkflow(workflow);
	}

	/**
	 * Imports the examples that n8n does not have yet, ready to run; those it has stay as the user left
	 * them.
	 *
	 * @returns all of them, by file name
	 */
	async addExamples(): Promise<Map<string, StoredWorkflow>> {
		const all = new Map<string, StoredWorkflow>();
		for (const file of await exampleFiles()) {
			const example = writingTo(this.n8n.filesFolder, await this.readExample(file));
			const present = await this.api.findWorkflow(example.name);
			all.set(file, present ?? (await this.api.saveWorkflow(example)));
		}
		return all;
	}

	/** Publishes a workflow with the trigger and waits until n8n pulls for it. */
	async activate({ id }: StoredWorkflow): Promise<void> {
		await this.api.activate(id);
		// n8n publishes in the background, so only the receiver's view counts.
		await this.receiverApi.untilHeld(id, 1);
	}

	/** Unpublishes it and waits until n8n stops pulling for it. */
	async deactivate({ id }: StoredWorkflow): Promise<void> {
		await this.api.deactivate(id);
		await this.receiverApi.untilHeld(id, 0);
	}

	/** The receiver's current and former consumers. */
	async consumers(): Promise<ConsumerView[]> {
		return await this.receiverApi.consumers();
	}

	/** The receiver's operator interface. */
	get receiverApi(): ReceiverApi {
		return new ReceiverApi(this.receiver.url, this.managementToken);
	}

	/** n8n's own SQLite file. */
	get n8nDatabase(): string {
		return join(this.n8n.userFolder, '.n8n', 'database.sqlite');
	}

	private step(name: string): void {
		this.options.signal?.throwIfAborted();
		this.options.onStep?.(name);
	}

	private async readExample(file: string): Promise<WorkflowFile> {
		const text = await readFile(join(root, 'examples', file), 'utf8');
		return withCredentials(JSON.parse(text) as WorkflowFile, this.credentialIds);
	}

	private async runReceiver(): Promise<Receiver> {
		const variables = this.receiverVariables();
		if (this.options.elsewhere) return await this.options.elsewhere.receiver(variables);
		if (this.options.ownProcesses) {
			return (await this.runPart({ part: 'receiver', variables })) as Receiver;
		}
		return await startReceiver(readConfig(variables), this.options.receiverDependencies);
	}

	private async runSandbox(): Promise<Sandbox> {
		const options = this.sandboxOptions;
		if (this.options.elsewhere) return await this.options.elsewhere.sandbox(options);
		if (this.options.ownProcesses) {
			const there = (await this.runPart({ part: 'sandbox', options })) as Sandbox;
			return withClients(there);
		}
		return await startSandbox(options);
	}

	private async runPart(request: PartRequest) {
		const part = await startPart(request);
		this.parts[request.part] = part;
		return { ...part.started, close: part.close };
	}

	/** What an operator would set in the receiver's environment. */
	private receiverVariables(): Record<string, string> {
		const { baseUrl, apiToken, ...tls } = serviceCredential(this.sandbox, 'direct');
		return {
			PORT: String(this.receiverPort),
			DATABASE_FILE: this.receiverFile,
			MANAGEMENT_TOKEN: this.managementToken,
			INGEST_HMAC_SECRETS: this.hmacSecret,
			LOG_LEVEL: 'warn',
			SERVICE_URL: baseUrl,
			SERVICE_TOKEN: apiToken,
			SERVICE_CLIENT_CERTIFICATE: tls.clientCertificate,
			SERVICE_CLIENT_KEY: tls.clientKey,
			SERVICE_CA: tls.caCertificate,
			...this.receiverEnv,
		};
	}

	private get receiverFile(): string {
		return join(this.options.folder, 'receiver.db');
	}

	private async chooseSandboxOptions(ports: Ports): Promise<Partial<SandboxOptions>> {
		return {
			port: await freePort(ports.sandbox),
			pagePort: await freePort(ports.page),
			folder: join(this.options.folder, 'sandbox'),
			webhooks: [{ url: `http://127.0.0.1:${this.receiverPort}/events`, secret: this.hmacSecret }],
			...this.options.sandbox,
		};
	}
}
