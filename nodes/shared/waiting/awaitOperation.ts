import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { MOST_AWAITED } from '../../../webhook-receiver/src/core/wait-contract';
import type { StoredWait, Subjects } from '../polling/storedWait';
import type { routeItemsField, Outputs } from './outputs';

/** What the input items ask to wait for. */
export interface WaitRequest extends Pick<StoredWait, 'ids' | 'faults' | 'known'> {
	/** All ids that are not known yet; null if there are none. */
	subjects: Subjects | null;
	/** When to remind before the deadline, by the same clock, earliest first. */
	reminders?: number[];
}

/** In milliseconds since 1970, by the clock of who wakes the execution. */
export interface Times {
	now: number;
	/** May be past. */
	deadline: number;
}

/** A reminder while the execution waits. */
export interface DueReminder {
	/** Names it, also when it comes again. */
	id: string;
	/** Ids without an outcome so far. */
	open: string[];
}

/**
 * What a node decides for itself whose execution sleeps until outcomes are known. Falling asleep, waking and
 * leaving by the outputs are the same for all of them.
 */
export interface AwaitOperation {
	/** What the node is called. */
	name: string;
	outputs: Outputs;
	routeItems: ReturnType<typeof routeItemsField>;
	/**
	 * Reads all items, and does what has to be done before anybody can answer. Called again when the
	 * node is retried.
	 *
	 * @param times asked for before anybody is asked, and only where something is to be waited for: it throws if
	 * outcomes could not reach this execution
	 */
	prepare(context: IExecuteFunctions, times: () => Promise<Times>): Promise<WaitRequest>;
	/**
	 * Called if the receiver does not ask the service, and only waits for webhooks.
	 *
	 * @throws if no outcome would ever come
	 */
	unwatched(context: IExecuteFunctions, subjects: Subjects): void;
	/**
	 * Only for a node that asks for reminders. Called again for the same one if it failed.
	 *
	 * @throws Error to be called again soon
	 */
	remind?(context: IExecuteFunctions, due: DueReminder): Promise<void>;
}

/** What an error says that comes before anything was done. */
export const NOTHING_BEGUN = 'Nobody was asked, and the execution did not go to sleep.';

/**
 * @param consequence what was not done
 * @throws NodeOperationError on the command line, where no n8n stays to wake the execution
 */
export function assertN8nStays(context: IExecuteFunctions, consequence: string): void {
	if (context.getMode() !== 'cli') return;
	throw new NodeOperationError(
		context.getNode(),
		'There is no running n8n to wake this execution',
		{
			description: `The command-line process ends before any outcome is known. ${consequence} Start n8n with this workflow published, or run the workflow there.`,
		},
	);
}

/** @throws NodeOperationError for more than one wait can have */
export function assertOneWait(context: IExecuteFunctions, count: number, what: string): void {
	if (count <= MOST_AWAITED) return;
	throw new NodeOperationError(
		context.getNode(),
		`There are ${count} ${what} to wait for, but one node can wait for at most ${MOST_AWAITED}`,
		{
			description: `Nothing was registered. Split the ${what} with a Loop Over Items node, or start several executions.`,
		},
	);
}
