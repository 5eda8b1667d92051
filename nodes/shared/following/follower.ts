import type {
	IExecuteFunctions,
	ITriggerFunctions,
	ITriggerResponse,
	NodeApiError,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { opening } from '../consumer/consumerPlan';
import { Outage, pauseAfter } from '../consumer/outage';
import { isRecord } from '../fields/isRecord';
import { chosenCredential, n8nCredential, serviceCredential } from '../transport/chosenCredential';
import {
	callN8n,
	dayOf,
	isN8nRefusal,
	keyEnd,
	n8nError,
	readN8n,
	SLEEPING,
	type N8nCredential,
	type N8nFailure,
	type N8nResult,
} from '../transport/n8nApi';
import type { ReceiverContext } from '../transport/receiver';
import { Account, type AccountHost } from './account';
import { LOOK_MS, STORED_MS } from './pace';
import type { Sleeper } from './plan';
import { readSleeper } from './readSleeper';

/** How often to look for one that n8n has not stored, and for how long. */
const SOON_MS = 5_000;
const EXPECT_MS = 60_000;

/** n8n's most. */
const PER_PAGE = 250;

/** How long before its end the key is said to expire. */
const WARN_MS = 7 * 86_400_000;

const CONSEQUENCE = 'Executions that sleep in this workflow are not woken until then.';

/** A listed execution. One of ours has a sleeper. */
interface Known {
	waitTill: unknown;
	found: { account: Account; sleeper: Sleeper } | null;
}

const accounts = new Map<string, Account>();
const followers = new Map<string, Follower>();

/**
 * Finds the sleeping executions of one workflow through n8n's own API, and has their accounts followed: as long
 * as the workflow is published here, or executions that were started by hand sleep.
 */
class Follower {
	private readonly workflowId: string;
	private readonly published = new Set<ITriggerFunctions>();
	/** By node id. A node that was renamed keeps its own. */
	private readonly nodes = new Map<string, ReceiverContext>();
	/** Executions that are about to sleep, and until when to expect that. */
	private readonly expected = new Map<string, number>();
	/** Executions that only this process would wake. */
	private readonly ours = new Set<string>();
	private readonly known = new Map<string, Known>();
	/** Waits whose execution is done with them, by execution; it may be asleep in one of them until n8n wakes it. */
	private readonly done = new Map<string, string>();
	private credential: N8nCredential | null = null;
	private context!: ReceiverContext;
	private outage = new Outage();
	private warnedOf: number | null = null;
	private isRunning = false;
	private lookAt = 0;
	private pause = new AbortController();

	constructor(workflowId: string) {
		this.workflowId = workflowId;
	}

	/** @throws NodeApiError if the key cannot list executions, and a person publishes */
	async publish(context: ITriggerFunctions): Promise<void> {
		this.use(context, await readN8n(context));
		this.published.add(context);
		if (opening(context.getActivationMode()) !== 'always') {
			const result = await this.call({ ...SLEEPING, query: { ...SLEEPING.query, limit: 1 } });
			if ('failure' in result && isN8nRefusal(result.failure)) {
				this.unpublish(context);
				throw n8nError(context, result.failure, CONSEQUENCE);
			}
		}
		this.look(0);
	}

	unpublish(context: ITriggerFunctions): void {
		this.published.delete(context);
		const other = [...this.published].at(-1);
		if (other) this.use(other);
		else this.look(0);
	}

	/** @param isOurs whether only this process would wake it */
	expect(context: IExecuteFunctions, isOurs: boolean): void {
		if (isOurs) {
			if (this.published.size === 0) this.use(context);
			this.ours.add(context.getExecutionId());
			if (!this.nodes.has(context.getNode().id)) this.addNode(context);
		}
		this.expected.set(context.getExecutionId(), Date.now() + EXPECT_MS);
		this.look(STORED_MS);
	}

	private use(context: ReceiverContext, credential: N8nCredential | null = null): void {
		this.context = context;
		this.credential = credential;
		this.addNode(context);
	}

	private addNode(context: ReceiverContext): void {
		this.nodes.set(context.getNode().id, context);
		// What was read before may sleep in this node: n8n opens one after the other.
		for (const [id, { found }] of this.known) if (found === null) this.known.delete(id);
	}

	private look(inMs: number): void {
		this.lookAt = Math.min(this.lookAt, Date.now() + inMs);
		this.pause.abort();
		if (!this.isRunning) void this.run();
	}

	private get isNeeded(): boolean {
		if (this.published.size > 0) return true;
		return [...this.ours].some((id) => this.expected.has(id) || this.known.get(id)?.found);
	}

	private async run(): Promise<void> {
		this.isRunning = true;
		while (this.isNeeded) {
			const wait = this.lookAt - Date.now();
			if (wait > 0) {
				this.pause = new AbortController();
				// A clock that was set back must not stop everything.
				await sleep(Math.min(wait, LOOK_MS), this.pause.signal).catch(() => undefined);
				continue;
			}
			this.lookAt = Infinity;
			const failure = await this.findSleepers();
			const now = Date.now();
			for (const [id, until] of this.expected) if (until < now) this.expected.delete(id);
			this.lookAt = Math.min(this.lookAt, now + (this.expected.size > 0 ? SOON_MS : LOOK_MS));
			if (failure === null) this.outage = new Outage();
			else this.failed(failure);
		}
		for (const id of [...this.known.keys()]) this.forget(id);
		for (const kept of [this.expected, this.ours, this.nodes, this.done]) kept.clear();
		this.isRunning = false;
	}

	private failed(failure: N8nFailure): void {
		const now = Date.now();
		const news = this.outage.failed({ refusal: isN8nRefusal(failure), patience: 0 }, now);
		this.lookAt = now + pauseAfter(this.outage.failures, Math.random());
		if (news !== null) this.tell(n8nError(this.context, failure, CONSEQUENCE));
	}

	/** @param account only if one of ours waits for it */
	tell(error: NodeApiError, account?: Account): void {
		const isOurs = [...this.known.values()].some(({ found }) => found?.account === account);
		if (account !== undefined && !isOurs) return;
		for (const one of this.published) one.saveFailedExecution(error);
	}

	/** Reads what sleeps, and with its data only what is new. */
	private async findSleepers(): Promise<N8nFailure | null> {
		const listed = new Map<string, unknown>();
		let cursor: unknown = null;
		do {
			const { workflowId } = this;
			const page = { workflowId, limit: PER_PAGE, ...(typeof cursor === 'string' && { cursor }) };
			const query = { ...SLEEPING.query, ...page };
			const result = await this.call({ ...SLEEPING, query });
			if ('failure' in result) return result.failure;
			const before = listed.size;
			const { data, nextCursor } = result.body;
			for (const one of Array.isArray(data) ? data.filter(isRecord) : []) {
				listed.set(String(one.id), one.waitTill);
			}
			cursor = listed.size > before ? nextCursor : null;
		} while (cursor);
		for (const id of [...this.known.keys()]) if (!listed.has(id)) this.forget(id);
		for (const id of [...this.done.keys()]) if (!listed.has(id)) this.done.delete(id);
		for (const [id, waitTill] of listed) {
			this.expected.delete(id);
			if (this.known.has(id) && this.known.get(id)?.waitTill === waitTill) continue;
			const failure = await this.read(id, waitTill);
			if (failure !== null) return failure;
		}
		return null;
	}

	private async read(id: string, waitTill: unknown): Promise<N8nFailure | null> {
		// Without the last, n8n leaves out data that its editor would not show.
		const query = { includeData: true, ignoreDataSizeLimit: true };
		const result = await this.call({ path: `/executions/${id}`, query, member: 'id' });
		if ('failure' in result) return result.failure.status === 404 ? null : result.failure;
		this.forget(id);
		const found = readSleeper(result.body);
		const context = found && this.nodes.get(found.nodeId);
		if (!found || !context || this.done.get(id) === found.sleeper.waitId) {
			this.known.set(id, { waitTill, found: null });
			return null;
		}
		const account = this.accountOf(context);
		const { sleeper } = found;
		account.plan.add(sleeper);
		this.known.set(id, { waitTill, found: { account, sleeper } });
		account.poke();
		return null;
	}

	/** It may sleep again, in another node or for another round, and be listed just as it was. */
	woken({ executionId, waitId }: Sleeper): void {
		if (this.known.get(executionId)?.found?.sleeper.waitId !== waitId) return;
		this.done.set(executionId, waitId);
		this.forget(executionId);
		this.look(STORED_MS);
	}

	private forget(id: string): void {
		const found = this.known.get(id)?.found;
		this.known.delete(id);
		found?.account.plan.remove(found.sleeper);
	}

	private accountOf(context: ReceiverContext): Account {
		const id = context.getNode().credentials?.[serviceCredential.name]?.id ?? '';
		const known = accounts.get(id) ?? new Account(context, EACH_FOLLOWER);
		known.use(context);
		accounts.set(id, known);
		return known;
	}

	private async call(request: Parameters<typeof callN8n>[2]): Promise<N8nResult> {
		for (;;) {
			const isFresh = this.credential === null;
			try {
				this.credential ??= await readN8n(this.context);
			} catch (error) {
				return { failure: { ...UNREADABLE, advice: (error as Error).message } };
			}
			this.warn(this.credential);
			const result = await callN8n(this.context, this.credential, request);
			// It may have been replaced since.
			if ('failure' in result) this.credential = null;
			if ('body' in result || isFresh || result.failure.status !== 401) return result;
		}
	}

	private warn({ apiKey }: N8nCredential): void {
		const end = keyEnd(apiKey);
		if (end === null || end === this.warnedOf || end - Date.now() > WARN_MS) return;
		this.warnedOf = end;
		const failure = {
			status: null,
			message: `The n8n API key under '${n8nCredential.displayName}' expires on ${dayOf(end)}`,
			advice: 'Create another under Settings > n8n API and enter it in the credential.',
		};
		this.tell(n8nError(this.context, failure, CONSEQUENCE));
	}
}

/** n8n itself could not read the credential: somebody has to choose it again. */
const UNREADABLE = {
	status: 401,
	message: `The credential under '${n8nCredential.displayName}' cannot be read`,
};

const EACH_FOLLOWER: AccountHost = {
	woken: (sleeper) => {
		for (const follower of followers.values()) follower.woken(sleeper);
	},
	tell: (account, error) => {
		for (const follower of followers.values()) follower.tell(error, account);
	},
};

function followerOf(context: ReceiverContext): Follower {
	const workflowId = String(context.getWorkflow().id);
	const follower = followers.get(workflowId) ?? new Follower(workflowId);
	followers.set(workflowId, follower);
	return follower;
}

/** @throws NodeOperationError or NodeApiError if it cannot work */
export async function followWhilePublished(context: ITriggerFunctions): Promise<ITriggerResponse> {
	await chosenCredential(context, serviceCredential);
	const follower = followerOf(context);
	await follower.publish(context);
	return { closeFunction: async () => follower.unpublish(context) };
}

/**
 * The execution is about to sleep.
 *
 * @param isOurs whether only this process would wake it
 */
export function followAsleep(context: IExecuteFunctions, isOurs: boolean): void {
	followerOf(context).expect(context, isOurs);
}
