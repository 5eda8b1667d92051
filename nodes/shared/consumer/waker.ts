import { createHash } from 'crypto';
import type { IExecuteFunctions, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import type { NodeContext } from '../transport/context';
import { readReceiver } from '../transport/receiver';
import { Consumer } from './consumer';
import { instanceName } from './consumerKey';
import { type ConsumerHost, type ConsumerPlan, opening } from './consumerPlan';

/**
 * Asks one receiver for the outcomes of this n8n's sleeping executions, from this process: as long
 * as a workflow with such a node is published here, and as long as executions wait. Any of them may
 * supply the credential; the latest one does.
 */
class Waker {
	private readonly key: string;
	private readonly published = new Set<ITriggerFunctions>();
	/** Supplies the credential. */
	private context: NodeContext | null = null;
	private consumer: Consumer | null = null;
	private waiting = false;

	constructor(key: string) {
		this.key = key;
	}

	async publish(context: ITriggerFunctions): Promise<void> {
		await this.open(context, opening(context.getActivationMode()));
		this.published.add(context);
	}

	async unpublish(context: ITriggerFunctions): Promise<void> {
		this.published.delete(context);
		// The credential of a workflow that is unpublished may be deleted next.
		const other = [...this.published].at(-1);
		if (other && this.context === context) await this.open(other, 'always');
		await this.closeIfDone();
	}

	async open(context: NodeContext, opens: ConsumerPlan['opens']): Promise<void> {
		const shown = { name: '', node: '', url: null };
		const onlyWakeUps = { shown, wants: null, atOnce: 0, startFromNow: null };
		const host: ConsumerHost = {
			start: async () => ({ outcome: 'ack' }),
			// An execution about to sleep reports an outage itself.
			away: () => undefined,
			// The token was replaced while executions sleep.
			refused: (error) => {
				for (const one of this.published) one.saveFailedExecution(error);
			},
			answered: ({ waiting }) => {
				this.waiting = waiting;
				void this.closeIfDone();
			},
		};
		this.consumer = await Consumer.open(context, { key: this.key, ...onlyWakeUps, opens }, host);
		this.context = context;
	}

	private async closeIfDone(): Promise<void> {
		if (this.published.size > 0 || this.waiting) return;
		const { consumer } = this;
		this.consumer = null;
		await consumer?.close();
	}
}

const wakers = new Map<string, Waker>();

/** @throws n8n's own error when the node has no credential */
async function wakerFor(context: NodeContext): Promise<Waker> {
	const { receiverUrl } = await readReceiver(context);
	const receiver = createHash('sha256').update(receiverUrl.trim()).digest('hex').slice(0, 16);
	const key = `${instanceName(context.getInstanceId())}~wake-ups~${receiver}`;
	const waker = wakers.get(key) ?? new Waker(key);
	wakers.set(key, waker);
	return waker;
}

/**
 * Wakes executions while the workflow is published, and then until none waits any more.
 *
 * @throws NodeApiError when the receiver rejects it; an unreachable one is waited for
 */
export async function wakeWhilePublished(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const waker = await wakerFor(context);
	await waker.publish(context);
	return { closeFunction: async () => await waker.unpublish(context) };
}

/**
 * Wakes executions until none waits any more.
 *
 * @throws NodeApiError when the receiver rejects it or is unreachable
 */
export async function wakeUntilNoneWaits(context: IExecuteFunctions): Promise<void> {
	const waker = await wakerFor(context);
	await waker.open(context, 'answered');
}
