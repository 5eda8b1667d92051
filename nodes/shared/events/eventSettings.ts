import type { INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { DeliveryEvent, Filter } from '../../../webhook-receiver/src/core/event-contract';
import { FieldReader, type Fields, type Values } from '../fields/field';
import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { filterOptions, readChosen, TRIGGER_ON } from './eventFields';

/** The events a workflow starts for. */
interface Selection {
	events: string[];
	filter?: Filter;
}

/** A context to read a trigger's fields from, on publishing or on a call. */
type FieldContext = Pick<ITriggerFunctions, 'getNode' | 'getNodeParameter' | 'getTimezone'>;

/** @throws NodeOperationError when no event was chosen or a field is invalid */
export function readSelection(context: FieldContext): Selection {
	const events = readChosen(context.getNodeParameter('events', []));
	if ('problem' in events) throw fieldError(context, TRIGGER_ON, events.problem);
	const filter = readTriggerOptions(context, filterOptions);
	return { events: events.value, ...(Object.keys(filter).length > 0 && { filter }) };
}

/** A trigger's options; the first invalid one prevents publishing. @throws NodeOperationError */
export function readTriggerOptions<F extends Fields>(
	context: FieldContext,
	options: F,
): Partial<Values<F>> {
	const node = new FieldReader(context, (name, byDefault) => ({
		value: context.getNodeParameter(name, byDefault),
		raw: context.getNodeParameter(name, byDefault, { rawExpressions: true }),
	}));
	const values = node.options(options);
	const [problem] = node.problems;
	if (problem) throw fieldError(context, problem.parameter, problem.message);
	return values;
}

function fieldError(
	context: Pick<FieldContext, 'getNode'>,
	field: string,
	problem: string,
): NodeOperationError {
	return new NodeOperationError(context.getNode(), `${field}: ${problem}`, {
		description: `Correct the parameter "${field}", then publish the workflow again.`,
	});
}

/** Turns an event into an item, according to the node's field Simplify. */
export function itemMaker(
	context: Pick<FieldContext, 'getNodeParameter'>,
): (event: DeliveryEvent) => INodeExecutionData {
	const isSimple = context.getNodeParameter('simplify', true) !== false;
	return (event) => ({ json: isSimple ? simplified(event) : { ...event } }) as INodeExecutionData;
}

/**
 * Flat, so that a row of a table can be made of it: without the raw payload, and without fields that only
 * identify the event.
 */
function simplified(event: DeliveryEvent): object {
	if (event.attention) {
		const { workflow, ...rest } = event.attention;
		const { name = null, node = null, url = null } = workflow ?? {};
		return { type: event.type, ...rest, workflow: name, node, url };
	}
	return {
		type: event.type,
		sourceType: event.sourceType,
		messageId: event.messageId,
		messageType: event.messageType,
		status: event.status,
		terminal: event.terminal,
		reversible: event.reversible,
		occurredAt: event.occurredAt,
		receivedAt: event.receivedAt,
		fileReference: event.fileReference,
		customerReference: event.customerReference,
		...(event.consentId !== undefined && { consentId: event.consentId, ...who(event.raw) }),
		...(event.customerId !== undefined && { customerId: event.customerId, ...who(event.raw) }),
	};
}

/** Names the contact or the customer: an ID alone means nothing to a person. */
const WHO = ['name', 'email', 'firstName', 'lastName', 'company'];

function who(raw: unknown): object {
	if (!isRecord(raw)) return {};
	return Object.fromEntries(WHO.filter((name) => name in raw).map((name) => [name, raw[name]]));
}
