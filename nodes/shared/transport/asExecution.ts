import type { IExecuteFunctions, ILoadOptionsFunctions, IWebhookFunctions } from 'n8n-workflow';

/**
 * Lets a picker, or `webhook()` while its execution sleeps, request as an execution does: n8n gives
 * the same helpers there, but no execution to stop, to hint at, or to remember anything. So whatever
 * goes out needs a key of its own, or a repeated call would send it again.
 */
export function asExecution(context: ILoadOptionsFunctions | IWebhookFunctions): IExecuteFunctions {
	const memory = {};
	const own: Partial<IExecuteFunctions> = {
		continueOnFail: () => true,
		getContext: () => memory,
		getExecutionCancelSignal: () => undefined,
		addExecutionHints: () => undefined,
		isToolExecution: () => false,
	};
	return Object.assign(Object.create(context) as IExecuteFunctions, own);
}
