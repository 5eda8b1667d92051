import type { IExecuteFunctions, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { StoredWait, Subjects, WokenByN8n } from '../polling/storedWait';
import type { NodeContext } from '../transport/context';
import { readCredential } from '../transport/credential';
import { n8nRegistry } from './n8nRegistry';
import { receiverRegistry } from './receiverRegistry';

/** Where executions that sleep are found, so that they are woken when outcomes are known. */
interface Registry {
	/**
	 * Checks that outcomes could reach this execution, before anybody is asked.
	 *
	 * @returns the time that waits end by, in milliseconds since 1970: its own, which a rehearsal may be weeks ahead
	 * of n8n's
	 * @throws if they could not
	 */
	begin(context: IExecuteFunctions): Promise<number>;
	/**
	 * That time, for an execution that was woken to sleep on.
	 *
	 * @param until for how long to go on asking, by n8n's clock
	 */
	now(context: IExecuteFunctions, until: number): Promise<number>;
	/** What n8n has to store with the execution for that, besides the wait. */
	toStore(context: IExecuteFunctions, secret: string, since: number): WokenByN8n | null;
	/**
	 * Lets the execution be found until the first end of its wait.
	 *
	 * @param unwatched called if nobody asks the service
	 * @throws if it cannot; then nothing is registered, as far as can be known
	 */
	register(
		context: IExecuteFunctions,
		wait: StoredWait,
		secret: string,
		unwatched: (context: IExecuteFunctions, subjects: Subjects) => void,
	): Promise<void>;
	/** The same for an execution that was woken to sleep on: does not give up before the deadline. */
	registerAgain(context: IExecuteFunctions, wait: StoredWait, secret: string): Promise<void>;
	/** Wakes executions as long as the workflow is published. */
	whilePublished(context: ITriggerFunctions): Promise<ITriggerResponse>;
}

const REGISTRIES: Record<string, Registry> = { receiver: receiverRegistry, n8n: n8nRegistry };

/**
 * The one that the credential names.
 *
 * @throws NodeOperationError where it names none
 */
export async function registryOf(context: NodeContext): Promise<Registry> {
	const { followWith } = await readCredential(context);
	const registry = REGISTRIES[followWith ?? ''];
	if (registry) return registry;
	throw new NodeOperationError(context.getNode(), 'The credential follows no letters', {
		description:
			"Open the credential, and choose 'Webhook Receiver' or 'This n8n' under 'Follow Letters With': this node needs one of them to learn of the outcome while the execution sleeps. Nobody was asked, and the execution did not go to sleep.",
	});
}
