import type { IExecuteFunctions, ILoadOptionsFunctions, ITriggerFunctions } from 'n8n-workflow';

/**
 * A context that makes requests as an execution does, for a picker and for `trigger()`: n8n has the same helpers
 * there, but no execution to cancel, to show hints in or to remember with, and no items. Also for what a run sends
 * beside its items. Its memory is new each time, so each POST needs a key of its own, or it would go out again.
 */
export function asExecution(
	context: ILoadOptionsFunctions | ITriggerFunctions | IExecuteFunctions,
): IExecuteFunctions {
	const memory = {};
	const own: Partial<IExecuteFunctions> = {
		continueOnFail: () => true,
		getContext: () => memory,
		getInputData: () => [],
		getExecutionCancelSignal: () => undefined,
		addExecutionHints: () => undefined,
		isToolExecution: () => false,
	};
	return Object.assign(Object.create(context) as IExecuteFunctions, own);
}
