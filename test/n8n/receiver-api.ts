import type { DeliveryEvent } from '../../webhook-receiver/src/contract.ts';
import type { StoredConsumer } from '../../webhook-receiver/src/core/pull-contract.ts';
import { until } from './poll.ts';

/** What an operator asks of the receiver, done over its own interface. */
export class ReceiverApi {
	private readonly url: string;
	private readonly token: string;

	constructor(url: string, token: string) {
		this.url = url;
		this.token = token;
	}

	/** Who pulls, and who did. */
	async consumers(): Promise<StoredConsumer[]> {
		return (await this.call<{ data: StoredConsumer[] }>('GET', '/consumers')).data;
	}

	/** Those of a workflow's trigger. */
	async consumersOf(
		workflowId: string,
		purpose: 'production' | 'test' = 'production',
	): Promise<StoredConsumer[]> {
		return (await this.consumers()).filter(
			({ key }) => key.includes(`~${workflowId}~`) && key.endsWith(`~${purpose}`),
		);
	}

	/** Waits until so many n8n hold a consumer of the workflow's trigger. */
	async untilHeld(workflowId: string, count: number): Promise<void> {
		await until(
			`workflow ${workflowId} to be pulled for by ${count} n8n`,
			async () => {
				const consumers = await this.consumersOf(workflowId);
				return consumers.filter(({ held }) => held).length === count;
			},
			// A killed n8n is believed to be there for 30 s by a receiver that was away just then.
			60,
		);
	}

	/** The whole log, oldest first. */
	async events(): Promise<DeliveryEvent[]> {
		const all: DeliveryEvent[] = [];
		for (let before: number | null | undefined; before !== null; ) {
			const page: { data: DeliveryEvent[]; next: number | null } = await this.call(
				'GET',
				`/events?limit=500${before ? `&before=${before}` : ''}`,
			);
			all.push(...page.data);
			before = page.next;
		}
		return all.reverse();
	}

	/** Hands the event once more to whoever wants it. */
	async replay(eventId: string): Promise<void> {
		await this.call('POST', `/events/${eventId}/replay`);
	}

	/**
	 * Waits until nothing is left for who pulls: no event of a wanted type that has not been looked at,
	 * no batch that is queued or in hand. What has not come by then will not come.
	 *
	 * @param workflowId of one workflow alone, whose trigger is to be pulling; else of whoever pulls
	 * @param patience in seconds
	 */
	async untilDrained(workflowId?: string, patience = 60): Promise<void> {
		await until(
			'nothing to be left for who pulls',
			async () => {
				const all = await (workflowId ? this.consumersOf(workflowId) : this.consumers());
				const pulling = all.filter(({ held }) => held);
				// Not `behind`: what a consumer does not want it passes with its next pull only.
				const left = pulling.filter(({ oldestAt }) => oldestAt !== null);
				return left.length === 0 && (pulling.length > 0 || !workflowId);
			},
			patience,
		);
	}

	async call<T>(method: string, path: string): Promise<T> {
		const headers = { authorization: `Bearer ${this.token}` };
		const answer = await fetch(this.url + path, { method, headers });
		const text = await answer.text();
		if (!answer.ok) {
			throw new Error(`The receiver answered ${answer.status} to ${method} ${path}: ${text}`);
		}
		return (text === '' ? undefined : JSON.parse(text)) as T;
	}
}
