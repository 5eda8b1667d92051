import type { WakeUp } from '../../../webhook-receiver/src/core/pull-contract';
import type { NodeContext } from '../transport/context';
import { InFlight } from './inFlight';
import { postWakeUp } from './postWakeUp';

/** Each wakes an execution, which costs n8n more than the request. */
export const WAKE_AT_ONCE = 4;

/**
 * Delivers outcomes to this n8n's sleeping executions, each in a request from n8n to itself. Only the
 * sleeping node's own answer counts: n8n answers everything with 200 while it starts. One that n8n may have
 * is not made again, neither here nor at another address: it is *in progress*, as every pull says, and so
 * the receiver hands it to nobody else.
 */
export class WakeUps {
	readonly inFlight = new InFlight();
	private readonly queue: Array<() => Promise<void>> = [];
	private posting = 0;

	/**
	 * Takes in hand what is not.
	 *
	 * @param onResult called for each result
	 */
	take(context: NodeContext, wakeUps: readonly WakeUp[], onResult: () => void): void {
		for (const wakeUp of this.inFlight.take(wakeUps)) {
			this.queue.push(async () => {
				const { outcome, reason } = await postWakeUp(context, wakeUp);
				this.inFlight.settle(wakeUp.id, outcome, reason);
				onResult();
			});
		}
		while (this.posting < WAKE_AT_ONCE && this.queue.length > 0) void this.work();
	}

	private async work(): Promise<void> {
		this.posting++;
		for (let next = this.queue.shift(); next; next = this.queue.shift()) await next();
		this.posting--;
	}
}

const everywhere = new Map<string, WakeUps>();

/** This process's wake-ups from one receiver, whichever consumers pulled them. */
export function wakeUpsFrom(receiverUrl: string): WakeUps {
	const known = everywhere.get(receiverUrl) ?? new WakeUps();
	everywhere.set(receiverUrl, known);
	return known;
}
