import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { ANY_EVENT, type Filter } from '../../../webhook-receiver/src/contract';
import { describeValue } from '../describeValue';
import { type OptionReading, Options } from '../options';

/** Which events a workflow is to start for. */
export interface Asked {
	events: string[];
	filter?: Filter;
}

/** What a trigger's fields are read from, be it while it is published or while it is called. */
export type FieldContext = Pick<ITriggerFunctions, 'getNode' | 'getNodeParameter'>;

/** @throws NodeOperationError when no event was chosen, or an expression came out as something else */
export function readEvents(context: FieldContext): string[] {
	const events = context.getNodeParameter('events', []);
	const reading = readList(events);
	if ('problem' in reading) throw fieldError(context, 'Events', reading.problem);
	return reading.value.includes(ANY_EVENT) ? [ANY_EVENT] : reading.value;
}

/** A trigger's options; the first that is wrong keeps the workflow from being published. */
export function readOptions(context: FieldContext): Options {
	const values = context.getNodeParameter('options', {}) as IDataObject;
	return new Options(values, (option, problem) => {
		throw fieldError(context, option, problem);
	});
}

/** Each part that was added narrows the events. */
export function readFilter(options: Options): Filter | undefined {
	const filter: Filter = {
		...given('messageTypes', options.read('messageTypes', 'Message Types', readList)),
		...given('statuses', options.read('statuses', 'Message Statuses', readList)),
		...given('fileReference', options.text('fileReference', 'File Reference')),
		...given('customerReference', options.text('customerReference', 'Customer Reference')),
	};
	return Object.keys(filter).length > 0 ? filter : undefined;
}

function given(name: keyof Filter, value: unknown): Filter {
	return value === undefined ? {} : { [name]: value };
}

function readList(value: unknown): OptionReading<string[]> {
	if (!Array.isArray(value)) return { problem: `It is ${describeValue(value)}; a list is needed.` };
	if (value.length === 0) return { problem: 'Nothing is chosen.' };
	return { value: value.map(String) };
}

export function fieldError(
	context: Pick<FieldContext, 'getNode'>,
	field: string,
	problem: string,
): NodeOperationError {
	return new NodeOperationError(context.getNode(), `${field}: ${problem}`, {
		description: `Correct the parameter "${field}", then publish the workflow again.`,
	});
}
