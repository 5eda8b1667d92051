import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** One operation of a node: its entry in the list, its fields, and what it does. */
export interface NodeOperation {
	name: string;
	value: string;
	description: string;
	/** Shown in the nodes panel and to AI agents as the tool's description, so it says what is charged. */
	action: string;
	fields: INodeProperties[];
	execute(context: IExecuteFunctions): Promise<INodeExecutionData[]>;
}

/**
 * The properties of a node: the choice of an operation, then the fields of each, shown for it alone.
 * A field that several operations list appears once.
 *
 * @param resource what the operations are about. There is only one, but without it n8n 2.41 describes a tool
 * by its node, so Check and Send look the same to an agent.
 */
export function operationProperties(
	operations: readonly NodeOperation[],
	{ value: byDefault }: NodeOperation,
	resource: string,
): INodeProperties[] {
	const users = new Map<INodeProperties, string[]>();
	for (const { value, fields } of operations) {
		for (const field of fields) users.set(field, [...(users.get(field) ?? []), value]);
	}
	const resourceValue = resource.toLowerCase();
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'hidden',
			noDataExpression: true,
			options: [{ name: resource, value: resourceValue }],
			default: resourceValue,
		},
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			options: operations.map(({ name, value, description, action }) => ({
				name,
				value,
				description,
				action,
			})),
			default: byDefault,
			displayOptions: { show: { resource: [resourceValue] } },
		},
		...[...users].map(([field, operation]) => ({
			...field,
			displayOptions: { show: { operation, ...field.displayOptions?.show } },
		})),
	];
}

/**
 * A subtitle that shows the name of the operation.
 *
 * @param details by operation: the field whose choice the subtitle shows, too
 */
export function operationSubtitle(
	operations: readonly NodeOperation[],
	details: Record<string, INodeProperties> = {},
): string {
	const chosen = (parameter: string, choices: readonly INodePropertyOptions[]) => {
		const names = Object.fromEntries(choices.map(({ value, name }) => [value, name]));
		return `(${JSON.stringify(names)})[$parameter[${JSON.stringify(parameter)}]]`;
	};
	const shown = Object.entries(details).map(([operation, { name, options }]) => {
		const choice = chosen(name, options as INodePropertyOptions[]);
		return ` + ($parameter["operation"] === ${JSON.stringify(operation)} ? ": " + ${choice} : "")`;
	});
	return `={{ ${chosen('operation', operations)}${shown.join('')} }}`;
}

/** Runs the selected operation. */
export async function executeOperation(
	context: IExecuteFunctions,
	operations: readonly NodeOperation[],
): Promise<INodeExecutionData[][]> {
	const chosen = context.getNodeParameter('operation', 0);
	const operation = operations.find(({ value }) => value === chosen);
	if (operation) return [await operation.execute(context)];
	throw new NodeOperationError(context.getNode(), `The node has no operation "${chosen}"`);
}

/** The collection of an operation's options, sorted by name, as n8n requires. */
export function optionsField(options: Record<string, INodeProperties>): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: Object.values(options).sort((one, other) =>
			byName({ name: one.displayName }, { name: other.displayName }),
		),
	};
}

/**
 * Sorts the options of a field as n8n's lint wants them. Not by `localeCompare`, which would load the
 * rules of a language: 5 ms of the pack's load time.
 */
export function byName(one: { name: string }, other: { name: string }): number {
	return one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1;
}
