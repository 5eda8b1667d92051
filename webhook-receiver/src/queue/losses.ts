import type { ConsumerView } from '../core/pull-contract.ts';
import type { Transaction } from '../sql/engine.ts';

/** A workflow as n8n named it at its last pull. */
export type WorkflowName = Pick<ConsumerView, 'name' | 'node' | 'url'>;

/** What a workflow misses for good. */
export interface Loss {
	/** The key of its consumer. */
	subject: string;
	workflow: WorkflowName | null;
	reason: string;
	/** Batches. */
	count: number;
	/** Events that were not even in a batch, wanted or not. */
	events: number;
}

/** Puts a loss on record, in the transaction that removes what is lost. */
export type NoteLoss = (tx: Transaction, loss: Loss, now: number) => Promise<void>;
