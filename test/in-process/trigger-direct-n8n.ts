// An Express server that stands for n8n's webhook endpoint: it hands the direct trigger the raw body and
// what n8n makes of it, and answers as n8n does.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request } from 'express';
import type { IDataObject, INodeParameters, Workflow } from 'n8n-workflow';
import { ObservableObject } from 'n8n-workflow';

import { RegisteredDeliveryDirectTrigger } from '../../nodes/RegisteredDeliveryDirectTrigger/RegisteredDeliveryDirectTrigger.node.ts';
import { type Credentials, triggerContexts } from '../support/n8n-core.ts';

export type Contexts = ReturnType<typeof triggerContexts>;

export interface OpenOptions {
	parameters?: INodeParameters;
	credentials: Credentials;
	isTest?: boolean;
	/** Instead of the server's own. */
	webhookUrl?: string;
}

export class N8nLike {
	/** Items of each execution that the trigger started, in order. */
	readonly started: IDataObject[][] = [];
	/** How many of the next executions n8n fails to start. */
	failures = 0;
	contexts!: Contexts;
	/** Static data as it stands in n8n's database. */
	private readonly saved = new WeakMap<Workflow, string>();
	private node = new RegisteredDeliveryDirectTrigger();
	private readonly server: Server;

	private constructor() {
		const app = express();
		app.use(express.raw({ type: '*/*', limit: '16mb' }));
		app.post(/.*/, async (request, response) => {
			const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
			const asN8nHasIt = Object.assign(request, { rawBody, body: parsed(rawBody) });
			const context = this.contexts.webhook(asN8nHasIt as unknown as Request, response);
			const { workflow } = context as unknown as { workflow: Workflow };
			this.loadStaticData(workflow);
			const result = await this.node.webhook.call(context);
			if (result.workflowData && this.failures > 0) {
				this.failures--;
				response.status(500).json({ message: 'Error in workflow' });
				return;
			}
			for (const items of result.workflowData ?? []) {
				this.started.push(items.map(({ json }) => json));
				workflow.staticData.__dataChanged = false;
			}
			const answer: unknown = result.webhookResponse;
			if (workflow.staticData.__dataChanged) {
				this.saved.set(workflow, JSON.stringify(workflow.staticData));
			}
			if (!result.noWebhookResponse) response.json(answer);
		});
		this.server = app.listen(0, '127.0.0.1');
	}

	static async start(): Promise<N8nLike> {
		const n8n = new N8nLike();
		await once(n8n.server, 'listening');
		return n8n;
	}

	/** n8n reads static data for each request, and forgets with each start that it was changed. */
	private loadStaticData(workflow: Workflow): void {
		const saved = this.saved.get(workflow) ?? JSON.stringify(workflow.staticData);
		this.saved.set(workflow, saved);
		const data = JSON.parse(saved) as IDataObject;
		workflow.staticData = ObservableObject.create(data, undefined, {
			ignoreEmptyOnFirstChild: true,
		});
	}

	get port(): number {
		return (this.server.address() as AddressInfo).port;
	}

	get url(): string {
		return `http://localhost:${this.port}/webhook`;
	}

	get hooks() {
		return this.node.webhookMethods.default;
	}

	/** Opens a workflow with the trigger; its static data starts empty. */
	open({ parameters = {}, credentials, isTest = false, webhookUrl = this.url }: OpenOptions) {
		this.contexts = triggerContexts(this.node, { webhookUrl, isTest, parameters, credentials });
		return this.contexts;
	}

	/** Goes on with the same workflows, and a reloaded node: its memory is gone. */
	restart(): void {
		jest.isolateModules(() => {
			const path =
				'../../nodes/RegisteredDeliveryDirectTrigger/RegisteredDeliveryDirectTrigger.node.ts';
			const loaded = jest.requireActual<{ RegisteredDeliveryDirectTrigger: new () => never }>(path);
			this.node = new loaded.RegisteredDeliveryDirectTrigger();
		});
	}

	async post(body: string, headers: Record<string, string>): Promise<Response> {
		return await fetch(`${this.url}/x/events`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body,
		});
	}

	close(): void {
		this.server.close();
	}
}

function parsed(rawBody: Buffer): unknown {
	try {
		return JSON.parse(rawBody.toString());
	} catch {
		return {};
	}
}
