import type { Batch, BatchSettlement } from '../../../webhook-receiver/src/core/pull-contract';

/** Batches that are remembered once all is said of them: as many as one consumer may ever have at once. */
const REMEMBERED = 100;

/**
 * What one consumer has in hand, and what its receiver is still to hear of it. Decisions only; it asks
 * nobody.
 *
 * A batch is started once, however often it is handed out: while it runs, while the receiver has not
 * confirmed that it is settled, and for a while after that, since an answer that was under way may still
 * bring it. n8n's own key for the execution does the same over restarts, but is gone with an execution
 * that n8n does not save.
 */
export class Hand {
	private readonly running = new Set<string>();
	/** Said until an answer confirms it. */
	private readonly settlements = new Map<string, BatchSettlement>();
	/** Acknowledged and confirmed; the oldest first. */
	private readonly over = new Set<string>();

	/** Takes what was handed out, and returns what is to be started. */
	take(batches: readonly Batch[]): Batch[] {
		return batches.filter(({ id }) => {
			const said = this.settlements.get(id)?.outcome;
			if (this.running.has(id) || said === 'ack') return false;
			if (this.over.has(id)) {
				this.settlements.set(id, { batch: id, outcome: 'ack' });
				return false;
			}
			// A nak that made its way, though nobody confirmed it: here it is again.
			this.settlements.delete(id);
			this.running.add(id);
			return true;
		});
	}

	settle(batch: string, outcome: 'ack' | 'nak', reason?: string): void {
		this.running.delete(batch);
		this.settlements.set(batch, { batch, outcome, ...(reason !== undefined && { reason }) });
	}

	/** Whether there is something to say that can't wait for the next pull. */
	get hasNews(): boolean {
		return this.settlements.size > 0;
	}

	/** What the next pull says of all batches: what became of them, or that they still run. */
	report(): BatchSettlement[] {
		const running = [...this.running].map((batch) => ({ batch, outcome: 'inProgress' as const }));
		return [...this.settlements.values(), ...running];
	}

	/** The receiver has answered a pull that said this. */
	confirm(report: readonly BatchSettlement[]): void {
		for (const settlement of report) {
			const { batch, outcome } = settlement;
			// Something else may have been said of it since.
			if (this.settlements.get(batch) !== settlement) continue;
			this.settlements.delete(batch);
			if (outcome === 'ack') this.remember(batch);
		}
	}

	private remember(batch: string): void {
		this.over.delete(batch);
		this.over.add(batch);
		for (const oldest of this.over) {
			if (this.over.size <= REMEMBERED) break;
			this.over.delete(oldest);
		}
	}
}
