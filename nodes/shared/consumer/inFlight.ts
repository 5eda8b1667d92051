import type { Batch, BatchSettlement } from '../../../webhook-receiver/src/core/pull-contract';
import { keepLatest } from '../items/keepLatest';

/** How many settled batches to remember: as many as one consumer may ever have at once. */
const REMEMBERED = 100;

/**
 * Batches in flight, of one consumer or all that wake executions of this n8n, and what their receiver
 * is still to hear about them. Decisions only, no I/O.
 *
 * A batch is started once, however often it is handed out: while it runs, until the receiver
 * confirms its settlement, and for a while after that, since an answer already on its way may still
 * bring it. n8n's own execution key does the same across restarts, but is gone with an execution
 * that n8n does not save.
 */
export class InFlight {
	private readonly running = new Set<string>();
	/** Every pull repeats them until an answer confirms them. */
	private readonly settlements = new Map<string, BatchSettlement>();
	/** How batches were settled for good, confirmed, oldest first. */
	private readonly over = new Map<string, BatchSettlement>();

	/** Takes what was handed out and returns what to start. */
	take<Taken extends Pick<Batch, 'id'>>(batches: readonly Taken[]): Taken[] {
		return batches.filter(({ id }) => {
			const outcome = this.settlements.get(id)?.outcome ?? 'nak';
			if (this.running.has(id) || outcome !== 'nak') return false;
			const before = this.over.get(id);
			if (before !== undefined) {
				this.settlements.set(id, before);
				return false;
			}
			// Its nak arrived, though the confirmation did not: here the batch is again.
			this.settlements.delete(id);
			this.running.add(id);
			return true;
		});
	}

	settle(batch: string, outcome: 'ack' | 'nak' | 'term', reason?: string): void {
		this.running.delete(batch);
		this.settlements.set(batch, { batch, outcome, reason });
	}

	/** Whether something needs to be reported before the next pull. */
	get hasNews(): boolean {
		return this.settlements.size > 0;
	}

	/** What the next pull reports on all batches: their settlement, or that they still run. */
	report(): BatchSettlement[] {
		const running = [...this.running].map((batch) => ({ batch, outcome: 'inProgress' as const }));
		return [...this.settlements.values(), ...running];
	}

	/** The receiver has answered a pull that carried this report. */
	confirm(report: readonly BatchSettlement[]): void {
		for (const settlement of report) {
			// It may have been replaced by a newer one since.
			if (this.settlements.get(settlement.batch) !== settlement) continue;
			this.settlements.delete(settlement.batch);
			if (settlement.outcome === 'nak') continue;
			keepLatest(this.over, settlement.batch, settlement, REMEMBERED);
		}
	}
}
