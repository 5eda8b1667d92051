import type { NodeApiError, WorkflowActivateMode } from 'n8n-workflow';

import type {
	Batch,
	PullAnswer,
	PullRequest,
	Wants,
} from '../../../webhook-receiver/src/core/pull-contract';

/** What the receiver shows its operator of a workflow. */
export type ShownWorkflow = Required<Pick<PullRequest, 'name' | 'node' | 'url'>>;

/** What a consumer asks for. */
export interface ConsumerPlan {
	key: string;
	/** Workflow and node by name, and where n8n shows the workflow; for the operator. */
	shown: ShownWorkflow;
	/** Null: only wake-ups. */
	wants: Wants | null;
	/** How many executions may run at once. */
	atOnce: number;
	/** A value never used before: skips everything earlier. Null to continue. */
	startFromNow: string | null;
	/**
	 * When it opens. `answered`: only once the receiver answers. `accepted`: unless the receiver
	 * rejects it; an unreachable one is waited for. `always`: n8n itself is starting, and nobody
	 * would publish again what did not open.
	 */
	opens: 'answered' | 'accepted' | 'always';
}

/**
 * A user who publishes learns at once what is wrong. When n8n opens a trigger on its own it must
 * open: n8n 2.41 tries five times within 15 s, and never again.
 */
export function opening(mode: WorkflowActivateMode): ConsumerPlan['opens'] {
	if (mode === 'manual') return 'answered';
	return mode === 'activate' || mode === 'update' ? 'accepted' : 'always';
}

/** A batch that is done with; `term`: its events were lost, until a person has it handed out again. */
export type Started = { outcome: 'ack'; reason?: string } | { outcome: 'term'; reason: string };

/** What a node does for its consumer. */
export interface ConsumerHost {
	/** Starts an execution. Resolves once the batch is done with; rejects to have it redelivered. */
	start(batch: Batch): Promise<Started>;
	/**
	 * The receiver rejects pulls until somebody fixes something. Called once; pulling continues.
	 */
	refused(error: NodeApiError): void;
	/** Nothing has come from the receiver for long. Called once; pulling continues. */
	away(error: NodeApiError): void;
	/** Called for each answer that arrives while the consumer is open. */
	answered?(answer: PullAnswer): void;
}
