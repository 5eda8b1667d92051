import type { IExecuteFunctions, ILoadOptionsFunctions, ITriggerFunctions } from 'n8n-workflow';

/** The contexts in which nodes call a server: n8n's helpers and credentials are the same in all. */
export type NodeContext = IExecuteFunctions | ITriggerFunctions;

/**
 * A context that makes requests as an execution does, for a picker and for `trigger()`: n8n has the same helpers
 * there, but no execution to cancel, to show hints in or to remember with, and no items. Also for what a run sends
 * beside its items. Its memory is new each time, so each POST needs a key of its own, or it would go out again.
 */
export function asExecution(context: NodeContext | ILoadOptionsFunctions): IExecuteFunctions {
	const memory = {};
	return deriveFrom<IExecuteFunctions>(context, {
		continueOnFail: () => true,
		getContext: () => memory,
		getInputData: () => [],
		getExecutionCancelSignal: () => undefined,
		addExecutionHints: () => undefined,
		isToolExecution: () => false,
	});
}

/**
 * A context whose requests go on when somebody stops the execution: n8n ends all requests of one that is stopped,
 * also those that tell what has happened by then.
 *
 * @param signal what ends them instead: n8n replaces the signal of a request by that of the execution
 */
export function uncancelled<Context extends NodeContext>(
	context: Context,
	signal?: AbortSignal,
): Context {
	return deriveFrom<Context>(context, { getExecutionCancelSignal: () => signal });
}

function deriveFrom<Context>(context: object, own: Partial<IExecuteFunctions>): Context {
	return Object.assign(Object.create(context), own) as Context;
}
