import type {
	IExecuteFunctions,
	ILoadOptionsFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

/**
 * Lets a picker, or `webhook()` or `trigger()` while an execution sleeps, make requests as an execution does:
 * n8n provides the same helpers there, but no execution to cancel, to show hints in or to remember with, and no
 * items. So each POST needs a key of its own, or a repeated call would send it again.
 */
export function asExecution(
	context: ILoadOptionsFunctions | IWebhookFunctions | ITriggerFunctions | IExecuteFunctions,
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
