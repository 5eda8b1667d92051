import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

/** Where events come from: a webhook receiver, or the delivery service itself. */
export type Mode = 'receiver' | 'direct';

export const WEBHOOK_CREDENTIAL = 'registeredDeliveryWebhookApi';

export function readMode(context: IHookFunctions | IWebhookFunctions): Mode {
	return context.getNodeParameter('mode', 'receiver') as Mode;
}

/** Names a registration: workflow, node, and kind of run (design, section Receiver API). */
export function registrationKey(
	context: IHookFunctions | IWebhookFunctions,
	isTest: boolean,
): string {
	const { id: workflowId } = context.getWorkflow();
	return [workflowId, context.getNode().id, isTest ? 'test' : 'production'].join('~');
}
