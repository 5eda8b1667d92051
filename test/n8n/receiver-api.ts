import type { DeliveryEvent } from '../../webhook-receiver/src/core/event-contract.ts';
import type { ConsumerView } from '../../webhook-receiver/src/core/pull-contract.ts';
import { until } from './poll.ts';

/** An operator's requests to the receiver, over its own interface. */
export class ReceiverApi {
	private readonly url: string;
	private readonly token: string;

	constructor(url: string, token: string) {
		this.url = url;
		this.token = token;
	}

	/** Current and former consumers. */
	async consumers(): Promise<ConsumerView[]> {
		return (await this.call<{ data: ConsumerView[] }>('GET', '/consumers')).data;
	}

	/** The consumers of a workflow's trigger. */
	async consumersOf(
		workflowId: string,
		purpose: 'production' | 'test' = 'production',
	): Promise<ConsumerView[]> {
		return (await this.consumers()).filter(
			({ key }) => key.includes(`~${workflowId}~`) && key.endsWith(`~${purpose}`),
		);
	}

	/** Waits until that many n8n processes hold a consumer of the workflow's trigger. */
	async untilHeld(workflowId: string, count: number, patience = 60): Promise<void> {
		let consumers: ConsumerView[] = [];
		await until(
			() =>
				`workflow ${workflowId} to be pulled for by ${count} n8n; the receiver knows ${JSON.stringify(consumers)}`,
			async () => {
				consumers = await this.consumersOf(workflowId);
				return consumers.filter(({ held }) => held).length === count;
			},
			// A receiver that was down during the kill counts n8n as present for another 30 s.
			patience,
		);
	}

	/** The whole log, oldest first. */
	async events(): Promise<DeliveryEvent[]> {
		return (await this.all<DeliveryEvent>('/events')).reverse();
	}

	/**
	 * Waits until the consumers have nothing left: no unread event of a wanted type, no batch queued
	 * or in hand. Anything that has not arrived by then never will.
	 *
	 * @param workflowId only this workflow, whose trigger must be pulling; otherwise every pulling
	 * consumer
	 * @param patience in seconds
	 */
	async untilDrained(workflowId?: string, patience = 60): Promise<void> {
		let all: ConsumerView[] = [];
		const look = async () => {
			all = await (workflowId ? this.consumersOf(workflowId) : this.consumers());
			const pulling = all.filter(({ held }) => held);
			// Not `behind`: a consumer passes unwanted events only with its next pull.
			const left = pulling.filter(({ oldestAt }) => oldestAt !== null);
			return left.length === 0 && (pulling.length > 0 || !workflowId);
		};
		try {
			await until('nothing to be left for who pulls', look, patience);
		} catch (error) {
			throw new Error(`${(error as Error).message} ${JSON.stringify(all)}`, { cause: error });
		}
	}

	/** All of a list in slices, in its order. */
	async all<T>(path: string): Promise<T[]> {
		const all: T[] = [];
		for (let before: string | number | null | undefined; before !== null; ) {
			const place = before === undefined ? '' : `&before=${before}`;
			const page: { data: T[]; next: string | number | null } = await this.call(
				'GET',
				`${path}${path.includes('?') ? '&' : '?'}limit=500${place}`,
			);
			all.push(...page.data);
			before = page.next;
		}
		return all;
	}

	async call<T>(method: string, path: string, body?: object): Promise<T> {
		const headers = {
			authorization: `Bearer ${this.token}`,
			...(body && { 'content-type': 'application/json' }),
		};
		const answer = await fetch(this.url + path, { method, headers, body: JSON.stringify(body) });
		const text = await answer.text();
		if (!answer.ok) {
			throw new Error(`The receiver answered ${answer.status} to ${method} ${path}: ${text}`);
		}
		return (text === '' ? undefined : JSON.parse(text)) as T;
	}
}
