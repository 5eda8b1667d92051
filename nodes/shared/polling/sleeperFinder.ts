import type {
	IExecuteFunctions,
	ITriggerFunctions,
	ITriggerResponse,
	NodeApiError,
} from 'n8n-workflow';

import { instanceName } from '../consumer/consumerKey';
import { opening } from '../consumer/consumerPlan';
import { Outage, pauseAfter } from '../consumer/outage';
import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import type { NodeContext } from '../transport/context';
import { credentialId } from '../transport/credential';
import {
	ANOTHER_N8N,
	isN8nRefusal,
	listSleeping,
	n8nError,
	readExecution,
	readN8n,
	type N8nCredential,
} from '../transport/n8nApi';
import type { RequestFailure } from '../transport/serviceError';
import { AccountPoller, type PollerHost } from './accountPoller';
import { Loop } from './loop';
import { readSleepingExecution, type SleepingExecution } from './sleepingExecution';

/** How often to look for what sleeps; executions of this process say so themselves. */
const LOOK_MS = 60_000;

/** How soon after an execution says that it falls asleep n8n has stored it, as a rule. */
const STORED_MS = 1_000;

/** How long n8n may take to store an execution that is about to sleep, and how often to look for it meanwhile. */
const EXPECT_MS = 60_000;
const SOON_MS = 5_000;

/** The most that n8n lists at once. */
const PER_PAGE = 250;

const CONSEQUENCE = 'Executions that sleep in this workflow are not woken until then.';

/** What was read of an execution that n8n lists as asleep. */
interface Seen {
	waitTill: unknown;
	/** Null if it sleeps in none of `nodes`. */
	sleeper: SleepingExecution | null;
	/** Who asks for it, or null. Also null once it was woken: n8n may list it until it goes on. */
	poller: AccountPoller | null;
}

const pollers = new Map<string, AccountPoller>();
const finders = new Map<string, SleeperFinder>();

/**
 * Finds the sleeping executions of one workflow through n8n's own API, and gives each to the poller of its
 * account: as long as the workflow is published here, or executions that were started by hand sleep.
 */
class SleeperFinder {
	private readonly workflowId: string;
	private readonly published = new Set<ITriggerFunctions>();
	/** By node id. A node that was renamed keeps its own. */
	private readonly nodes = new Map<string, NodeContext>();
	/** Executions that only this process would wake, and until when to expect each to sleep. */
	private readonly onlyHere = new Map<string, number>();
	private readonly seen = new Map<string, Seen>();
	private readonly loop = new Loop(
		async () => await this.step(),
		({ message }) => this.context.logger.warn(message),
	);
	private context!: NodeContext;
	private outage = new Outage();
	private lookAt = 0;

	constructor(workflowId: string) {
		this.workflowId = workflowId;
	}

	/** @throws NodeApiError if the key cannot list executions, and a person publishes */
	async publish(context: ITriggerFunctions): Promise<void> {
		const credential = await readN8n(context);
		if (opening(context.getActivationMode()) !== 'always') {
			const result = await listSleeping(context, credential, { limit: 1 });
			if ('failure' in result && isN8nRefusal(result.failure)) {
				throw n8nError(context, result.failure, CONSEQUENCE);
			}
		}
		this.published.add(context);
		this.use(context);
		this.lookIn(0);
	}

	unpublish(context: ITriggerFunctions): void {
		this.published.delete(context);
		const other = [...this.published].at(-1);
		if (other) this.use(other);
		else this.lookIn(0);
	}

	expect(context: IExecuteFunctions): void {
		// The process that has the workflow published finds it. A run by hand may be of another version.
		if (!context.getWorkflow().active || context.getMode() === 'manual') {
			if (this.published.size === 0) this.use(context);
			if (!this.nodes.has(context.getNode().id)) this.addNode(context);
			this.onlyHere.set(context.getExecutionId(), Date.now() + EXPECT_MS);
		}
		this.lookIn(STORED_MS);
	}

	private use(context: NodeContext): void {
		this.context = context;
		this.addNode(context);
	}

	private addNode(context: NodeContext): void {
		this.nodes.set(context.getNode().id, context);
		// What was read before may sleep in this node: n8n opens one after the other.
		for (const [id, { sleeper }] of this.seen) if (sleeper === null) this.seen.delete(id);
	}

	private lookIn(ms: number): void {
		this.lookAt = Math.min(this.lookAt, Date.now() + ms);
		this.loop.poke();
	}

	private async step(): Promise<number | null> {
		const now = Date.now();
		const onlyHere = [...this.onlyHere];
		const isExpected = onlyHere.some(([, until]) => until > now);
		const isNeeded = isExpected || onlyHere.some(([id]) => this.seen.get(id)?.poller);
		if (this.published.size === 0 && !isNeeded) {
			for (const id of [...this.seen.keys()]) this.forget(id);
			this.onlyHere.clear();
			this.nodes.clear();
			return null;
		}
		// Further ahead than any pause: the clock was set back.
		if (this.lookAt <= now || this.lookAt > now + LOOK_MS) {
			this.lookAt = now + (isExpected ? SOON_MS : LOOK_MS);
			const failure = await this.look();
			if (failure === null) this.outage = new Outage();
			else this.failed(failure);
		}
		return this.lookAt - Date.now();
	}

	private failed(failure: RequestFailure): void {
		const now = Date.now();
		const news = this.outage.failed({ refusal: isN8nRefusal(failure), patience: 0 }, now);
		this.lookAt = now + pauseAfter(this.outage.failures, Math.random());
		if (news !== null) this.tell(n8nError(this.context, failure, CONSEQUENCE));
	}

	/** @param poller tells only if one of these executions waits for it */
	tell(error: NodeApiError, poller?: AccountPoller): void {
		const hasWaiting = [...this.seen.values()].some((one) => one.poller === poller);
		if (poller !== undefined && !hasWaiting) return;
		for (const one of this.published) one.saveFailedExecution(error);
	}

	/** Lists what sleeps, and reads, with its data, only what is new. */
	private async look(): Promise<RequestFailure | null> {
		let credential: N8nCredential;
		try {
			// Each time, since it may have been replaced.
			credential = await readN8n(this.context);
		} catch (error) {
			return { ...UNREADABLE, description: (error as Error).message };
		}
		const listed = new Map<string, unknown>();
		let cursor: unknown = null;
		do {
			const query = { workflowId: this.workflowId, limit: PER_PAGE, ...(cursor ? { cursor } : {}) };
			const result = await listSleeping(this.context, credential, query);
			if ('failure' in result) return result.failure;
			const before = listed.size;
			const { data, nextCursor } = result.body;
			for (const one of (data as unknown[]).filter(isRecord)) {
				listed.set(String(one.id), one.waitTill);
			}
			cursor = listed.size > before ? nextCursor : null;
		} while (cursor);
		for (const id of [...this.seen.keys()].filter((one) => !listed.has(one))) {
			const failure = await this.missed(credential, id);
			if (failure !== null) return failure;
			this.forget(id);
		}
		for (const [id, waitTill] of listed) {
			if (this.onlyHere.has(id)) this.onlyHere.set(id, 0);
			if (this.seen.has(id) && this.seen.get(id)?.waitTill === waitTill) continue;
			// Without the last, n8n leaves out data that its editor would not show.
			const query = { includeData: true, ignoreDataSizeLimit: true };
			const result = await readExecution(this.context, credential, id, query);
			if ('failure' in result) {
				if (result.failure.status !== 404) return result.failure;
				continue;
			}
			const sleeper = readSleepingExecution(result.body);
			if (!this.isOfWorkflow(result.body) || (sleeper && sleeper.instance !== this.instance)) {
				return ANOTHER_N8N;
			}
			this.note(id, waitTill, sleeper);
		}
		return null;
	}

	/** What sleeps is not listed any more: it was ended by others, or another n8n answers. */
	private async missed(credential: N8nCredential, id: string): Promise<RequestFailure | null> {
		if (!this.seen.get(id)?.poller) return null;
		const result = await readExecution(this.context, credential, id);
		if ('body' in result) return this.isOfWorkflow(result.body) ? null : ANOTHER_N8N;
		return result.failure.status === 404 ? null : result.failure;
	}

	private isOfWorkflow({ workflowId }: Record<string, unknown>): boolean {
		return workflowId === this.workflowId;
	}

	private get instance(): string {
		return instanceName(this.context.getInstanceId());
	}

	private note(id: string, waitTill: unknown, sleeper: SleepingExecution | null): void {
		const before = this.seen.get(id);
		if (sleeper && before?.sleeper?.waitId === sleeper.waitId) {
			this.seen.set(id, { ...before, waitTill });
			return;
		}
		this.forget(id);
		const context = sleeper && this.nodes.get(sleeper.nodeId);
		const poller = context ? pollerOf(context) : null;
		this.seen.set(id, { waitTill, sleeper: poller && sleeper, poller });
		if (context && sleeper) poller?.add(sleeper, context);
	}

	/** It may sleep again, in another node or for another round, and be listed just as it was. */
	woken({ executionId, waitId }: SleepingExecution): void {
		const seen = this.seen.get(executionId);
		if (seen?.sleeper?.waitId !== waitId) return;
		this.seen.set(executionId, { ...seen, waitTill: undefined, poller: null });
		this.lookIn(STORED_MS);
	}

	private forget(id: string): void {
		const { sleeper, poller } = this.seen.get(id) ?? {};
		this.seen.delete(id);
		if (sleeper) poller?.plan.remove(sleeper);
	}
}

/** n8n itself could not read the credential: somebody has to choose it again. */
const UNREADABLE = {
	status: 401,
	code: null,
	message: 'The credential cannot be read',
};

const EACH_FINDER: PollerHost = {
	woken: (sleeper) => {
		for (const finder of finders.values()) finder.woken(sleeper);
	},
	tell: (poller, error) => {
		for (const finder of finders.values()) finder.tell(error, poller);
	},
};

function pollerOf(context: NodeContext): AccountPoller {
	const id = credentialId(context);
	const poller = pollers.get(id) ?? new AccountPoller(context, EACH_FINDER);
	pollers.set(id, poller);
	return poller;
}

function finderOf(context: NodeContext): SleeperFinder {
	const workflowId = String(context.getWorkflow().id);
	const finder = finders.get(workflowId) ?? new SleeperFinder(workflowId);
	finders.set(workflowId, finder);
	return finder;
}

/** @throws NodeOperationError or NodeApiError if it cannot work */
export async function findWhilePublished(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const finder = finderOf(context);
	await finder.publish(context);
	return { closeFunction: async () => finder.unpublish(context) };
}

/** The execution is about to sleep: lets it be found soon. */
export function expectSleeper(context: IExecuteFunctions): void {
	finderOf(context).expect(context);
}
