import type { IExecuteFunctions, ILoadOptionsFunctions, ITriggerFunctions } from 'n8n-workflow';

/**
 * Lets a picker, or `trigger()` while executions sleep, make requests as an execution does: n8n provides the same
 * helpers there, but no execution to cancel, to show hints in or to remember with, and no items. Also for what a run
 * sends beside its items, whose memory is not theirs. Each POST needs a key of its own, or it would go out again.
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
