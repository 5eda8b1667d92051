import type { INodeExecutionData } from 'n8n-workflow';

import type { DeliveryEvent } from '../../../webhook-receiver/src/contract';
import type { FieldContext } from './asked';

/** Makes the item of an event, as the node's field Simplify says. */
export function itemMaker(
	context: Pick<FieldContext, 'getNodeParameter'>,
): (event: DeliveryEvent) => INodeExecutionData {
	const isSimple = context.getNodeParameter('simplify', false) === true;
	return (event) => ({ json: isSimple ? simplified(event) : { ...event } }) as INodeExecutionData;
}

/** Without the payload as received, and what only tells the event from others. */
function simplified(event: DeliveryEvent): Partial<DeliveryEvent> {
	return {
		type: event.type,
		sourceType: event.sourceType,
		messageId: event.messageId,
		messageType: event.messageType,
		status: event.status,
		terminal: event.terminal,
		reversible: event.reversible,
		occurredAt: event.occurredAt,
		fileReference: event.fileReference,
		customerReference: event.customerReference,
	};
}
