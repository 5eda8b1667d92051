// Sandbox and receivers in processes of their own, which can be killed one by one.
import { join } from 'node:path';
import { withClients } from '../../sandbox/src/client/with-clients.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import type { Receiver } from '../../webhook-receiver/src/server.ts';
import { startPart, type PartProcess } from '../n8n/part-process.ts';
import { freePort } from '../n8n/port.ts';
import type { Elsewhere } from '../n8n/stack.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';

/** Of the service, as n8n and the receiver know it. */
export const SERVICE_NAME = 'delivery.storm.example';

/** Ten minutes: what the service gives up is nobody's to keep. */
const RETRY_DELAYS_MS = Array.from({ length: 300 }, () => 2_000);

export class Parts implements Elsewhere {
	private readonly folder: string;
	/** Of each receiver, what differs from the others; more than one share a database. */
	private readonly environments: ReadonlyArray<Record<string, string>>;
	private receivers: Array<PartProcess | null> = [];
	private ports: number[] = [];
	private variables: Record<string, string> = {};
	private front: Proxy | undefined;

	constructor(folder: string, environments: ReadonlyArray<Record<string, string>>) {
		this.folder = folder;
		this.environments = environments;
	}

	/** Of receivers and sandbox. */
	get logs(): string[] {
		const names = ['sandbox', ...this.environments.map((_, index) => `receiver-${index}`)];
		return names.map((name) => this.logOf(name));
	}

	/** Its service is known by a name that only the forward proxy can reach. */
	async sandbox(given: object): Promise<Sandbox> {
		const options = { ...given, webhookRetryDelaysMs: RETRY_DELAYS_MS, names: [SERVICE_NAME] };
		const part = await startPart({ part: 'sandbox', options }, this.logOf('sandbox'));
		const running = { ...part.started, close: part.close } as unknown as Sandbox;
		// The first name stands in links.
		const pageUrl = running.pageUrl.replace(SERVICE_NAME, '127.0.0.1');
		return withClients({ ...running, pageUrl });
	}

	/** Starts all receivers; more than one get an address in front of them that takes turns. */
	async receiver(variables: Record<string, string>): Promise<Receiver> {
		this.variables = variables;
		while (this.ports.length < this.environments.length) this.ports.push(await freePort());
		// One at a time: the first makes the tables.
		for (const index of this.environments.keys()) await this.start(index);
		const targets = () => this.ports.map((port) => `http://127.0.0.1:${port}`);
		if (this.count > 1) this.front ??= await startProxy({ targets });
		return {
			url: this.front?.url ?? targets()[0],
			close: async () => {
				for (const index of this.environments.keys()) await this.takeDown(index, 'close');
			},
		} as Receiver;
	}

	get count(): number {
		return this.environments.length;
	}

	async takeDown(index: number, how: 'kill' | 'close'): Promise<void> {
		await this.receivers[index]?.[how]();
		this.receivers[index] = null;
	}

	/**
	 * As at an upgrade: of several, the new one starts beside the old one, which goes when it is up; a
	 * single one ends first, since its file has one user.
	 */
	async replace(index: number): Promise<void> {
		if (this.count === 1) await this.takeDown(index, 'close');
		const old = this.receivers[index];
		// Where what it needs is away, the old one stays, or it starts later.
		const isUp = await this.start(index, this.count === 1 ? this.ports[index] : await freePort())
			.then(() => true)
			.catch(() => false);
		if (isUp) await old?.close();
	}

	/** One that is down has none, and is right again when it comes back. */
	async setClock(index: number, ahead: number): Promise<void> {
		await this.receivers[index]?.setClock(ahead);
	}

	/** Starts those that are down. */
	async bringUp(): Promise<void> {
		for (const index of this.environments.keys())
			if (this.receivers[index] === null) await this.start(index);
	}

	async close(): Promise<void> {
		await this.front?.close();
	}

	private async start(index: number, port = this.ports[index]): Promise<void> {
		const own = { ...this.environments[index], PORT: String(port) };
		const request = { part: 'receiver' as const, variables: { ...this.variables, ...own } };
		this.receivers[index] = await startPart(request, this.logOf(`receiver-${index}`));
		this.ports[index] = port;
	}

	private logOf(name: string): string {
		return join(this.folder, `${name}.log`);
	}
}
