// Processes of an n8n that pull: n8n-core's own context of a trigger. What n8n does when a trigger emits, its
// concurrency limit and the unique index of its database are in its server, not in the engine; what stands for
// them here lets worlds kill, refuse and fill n8n within milliseconds. A real one: test/real-n8n/pulling*.test.ts.
import { TriggerContext } from 'n8n-core';
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IRun,
	ITriggerResponse,
	WorkflowActivateMode,
} from 'n8n-workflow';

import { RegisteredDeliveryTrigger } from '../../nodes/RegisteredDeliveryTrigger/RegisteredDeliveryTrigger.node.ts';
import type { DeliveryEvent } from '../../webhook-receiver/src/core/event-contract.ts';
import { additionalDataFor, workflowOf } from '../support/n8n-core.ts';
import { Wire } from '../support/wire.ts';
import { byReceiver } from '../support/sandbox.ts';

export interface Execution {
	key: string;
	events: DeliveryEvent[];
	/** Stored, and waiting for capacity: n8n takes it over under the same key. */
	isNew: boolean;
	/** As n8n ends it: with any status, asleep included, it has been. */
	end(status?: 'success' | 'error' | 'waiting'): void;
	/** As n8n ends it when its worker has died: with the failure alone. */
	lose(): void;
	/** As n8n rejects when an execution is cancelled. */
	cancel(reason: 'manual' | 'timeout' | 'shutdown'): void;
	isOver: boolean;
}

/** n8n's, for the end of an execution. */
interface Done {
	resolve(run: IRun): void;
	reject(error: Error): void;
}

/** What outlives a process: executions, and the index that makes their keys unique. */
export class N8nDatabase {
	readonly executions: Execution[] = [];
	readonly keys = new Map<string, Execution>();
	/** Executions that failed as a whole: n8n stores the failure in place of the events. */
	readonly failed = new Map<string, DeliveryEvent[]>();
	/** Whether executions leave no trace once they have ended. */
	savesNothing = false;

	get running(): Execution[] {
		return this.executions.filter(({ isOver, isNew }) => !isOver && !isNew);
	}

	get events(): DeliveryEvent[] {
		return this.executions.flatMap(({ events }) => events);
	}
}

/** What n8n settles for whoever emits. */
interface Promises {
	response: { reject(error: Error): void } | undefined;
	done: Done | undefined;
}

export interface Publishing {
	parameters?: INodeParameters;
	mode?: WorkflowActivateMode;
	managementToken: string;
	workflowId?: string;
}

export class N8nProcess {
	readonly errors: Error[] = [];
	readonly failedExecutions: Error[] = [];
	/** How many emits n8n refuses before it starts anything. */
	refusals = 0;
	/** How many more it stores as failed, as for a node whose credential is gone. */
	failures = 0;
	/** `N8N_CONCURRENCY_PRODUCTION_LIMIT` */
	limit = Infinity;
	/** Whether executions end by themselves, at once. */
	endsAtOnce = true;
	/** How long requests may take, as a part of what the node allows. */
	patience = 1;
	/** The most executions that ran at the same time. */
	peak = 0;
	emits = 0;
	readonly wire: Wire;
	readonly database: N8nDatabase;
	private readonly node: INodeType;
	private credential: ReturnType<typeof byReceiver> | null = null;
	private response: ITriggerResponse | undefined;
	private isDead = false;

	private constructor(wire: Wire, database: N8nDatabase, node: INodeType) {
		this.wire = wire;
		this.database = database;
		this.node = node;
	}

	/** Each has modules of its own, and so a name of its own at the receiver. */
	static async start(target: string, database = new N8nDatabase()): Promise<N8nProcess> {
		let node: INodeType = new RegisteredDeliveryTrigger();
		jest.isolateModules(() => {
			const path = '../../nodes/RegisteredDeliveryTrigger/RegisteredDeliveryTrigger.node.ts';
			const loaded = jest.requireActual<{ RegisteredDeliveryTrigger: new () => INodeType }>(path);
			node = new loaded.RegisteredDeliveryTrigger();
		});
		return new N8nProcess(await Wire.open(target), database, node);
	}

	/** Opens the trigger, as n8n does when a workflow is published, edited, or n8n starts. */
	async publish(publishing: Publishing): Promise<void> {
		const { parameters = {}, mode = 'activate', managementToken, workflowId } = publishing;
		const credential = byReceiver(this.wire.url, managementToken);
		this.credential = credential;
		const credentials = { registeredDeliveryApi: credential };
		const workflow = workflowOf(
			this.node,
			{ parameters: { simplify: false, ...parameters }, credentials },
			[],
		);
		workflow.id = workflowId ?? workflow.id;
		const node = workflow.getNode('Under Test');
		if (node === null) throw new Error('The workflow has no such node.');
		const context = new TriggerContext(
			workflow,
			node,
			additionalDataFor(credentials),
			mode === 'manual' ? 'manual' : 'trigger',
			mode,
			(data, response, done, key) => this.emit(data, { response, done }, key),
			(error) => void this.errors.push(error),
			(error) => void this.failedExecutions.push(error),
		);
		const ask = context.helpers.httpRequestWithAuthentication;
		context.helpers.httpRequestWithAuthentication = async (type, options, more) => {
			const timeout = (options.timeout ?? 0) * this.patience;
			return (await ask.call(context, type, { ...options, timeout }, more)) as unknown;
		};
		this.response = await this.node.trigger?.call(context);
	}

	/** Closes it, as n8n does when a workflow is unpublished or edited, and when n8n stops. */
	async close(): Promise<void> {
		await this.response?.closeFunction?.();
	}

	async edit(publishing: Publishing): Promise<void> {
		await this.close();
		await this.publish({ mode: 'update', ...publishing });
	}

	/** What the credential says from now on. */
	replaceToken(receiverToken: string): void {
		if (this.credential) Object.assign(this.credential, { receiverToken });
	}

	/** What n8n does when it starts: it runs what waited for capacity when it ended. */
	recover(limit: number): void {
		this.limit = limit;
		this.letIn();
	}

	/** As by kill -9: what ran is over, and nobody hears of it. */
	kill(): void {
		this.isDead = true;
		this.wire.cut();
		for (const execution of this.database.running) execution.isOver = true;
		void this.close();
	}

	private emit([items]: INodeExecutionData[][], { response, done }: Promises, key = ''): void {
		this.emits++;
		if (this.isDead) return;
		const { database } = this;
		if (this.refusals > 0) {
			this.refusals--;
			return done?.reject(new Error('no room in the database'));
		}
		const known = database.keys.get(key);
		if (known?.isNew) database.executions.splice(database.executions.indexOf(known), 1);
		// n8n answers so for an execution that there is.
		else if (known || database.failed.has(key)) return done?.resolve(undefined as unknown as IRun);
		const events = items.map(({ json }: { json: IDataObject }) => json as unknown as DeliveryEvent);
		if (this.failures > 0) {
			this.failures--;
			database.failed.set(key, events);
			response?.reject(new Error('Node "Send" does not have access to the credential'));
			return done?.reject(new Error('No active execution'));
		}
		const over = (settle: () => void) => {
			if (execution.isOver) return;
			execution.isOver = true;
			if (database.savesNothing) database.keys.delete(key);
			if (this.isDead) return;
			settle();
			this.letIn();
		};
		const execution: Execution = {
			key,
			events,
			isNew: true,
			isOver: false,
			end: (status = 'success') => over(() => done?.resolve(runWith(status))),
			lose: () => over(() => done?.resolve(LOST)),
			cancel: (reason) =>
				over(() => done?.reject(Object.assign(new Error('cancelled'), { reason }))),
		};
		if (key !== '') database.keys.set(key, execution);
		database.executions.push(execution);
		this.letIn();
	}

	/** Runs what was stored first, as far as there is capacity. */
	private letIn(): void {
		const { database } = this;
		for (const execution of database.executions) {
			if (database.running.length >= this.limit) break;
			if (!execution.isNew) continue;
			execution.isNew = false;
			if (this.endsAtOnce) setImmediate(() => execution.end());
		}
		this.peak = Math.max(this.peak, database.running.length);
	}
}

/** A run as n8n reports it: it has recorded the trigger, whatever failed later. */
function runWith(status: IRun['status']): IRun {
	const resultData = { runData: {}, lastNodeExecuted: 'Under Test' };
	return { status, data: { resultData } } as unknown as IRun;
}

const LOST = {
	status: 'error',
	data: { resultData: { runData: {}, error: { message: 'No worker lived' } } },
} as unknown as IRun;
