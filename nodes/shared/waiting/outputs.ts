import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { AwaitedOutcome, Resume } from '../../../webhook-receiver/src/core/wait-contract';
import { choiceField, type Field } from '../fields/field';
import type { StoredWait } from '../polling/storedWait';

/** The outputs of a node that waits for outcomes. */
export interface Outputs {
	/** In canvas order. The last one takes what has no outcome, and items that are invalid. */
	names: string[];
	/** Which output an outcome leads to; any other leads to the last. */
	of: Readonly<Record<string, number>>;
	/** Worst first: to stay together, all items go to the worst of their outputs. */
	worstFirst: readonly number[];
	/** What the id of an outcome is called in an item. */
	idName: string;
}

/** For items without an outcome: the deadline has passed, or the item was invalid. */
export function lastOutput({ names }: Outputs): number {
	return names.length - 1;
}

/** An input item on its way out. */
interface Routed {
	item: number;
	output: number;
	/** Data added to the item's own. */
	added: IDataObject;
}

/** What the items wait for, and how they leave. */
type Waiting = Pick<StoredWait, 'ids' | 'faults' | 'known' | 'together'>;

/** What becomes of the input items; null if an outcome is missing. */
export function route(
	outputs: Outputs,
	{ ids, faults, known, together }: Waiting,
	{ outcomes, reason }: Pick<Resume, 'outcomes' | 'reason'>,
): Routed[] | null {
	const byId = new Map([...outcomes, ...known].map((outcome) => [outcome.id, outcome]));
	if (ids.flat().some((id) => id !== null && !byId.has(id))) return null;
	const all = ids.map((own, item): Routed => {
		const each = (own ?? []).flatMap((id) => byId.get(id) ?? []);
		// Of a letter to several recipients the worst counts.
		const rank = (one: AwaitedOutcome) => outputs.worstFirst.indexOf(outputOf(outputs, one));
		const [worst] = [...each].sort((one, other) => rank(one) - rank(other));
		if (!worst) return { item, output: lastOutput(outputs), added: faults[item] ?? {} };
		const shown = ({ id, ...details }: AwaitedOutcome) => ({
			[outputs.idName]: id,
			...details,
			// Why the wait ended says nothing of a letter that was answered before.
			reason: details.outcome === 'none' ? reason : details.outcome,
		});
		const added = {
			outcome: shown(worst),
			...(each.length > 1 && { outcomes: each.map(shown) }),
		};
		return { item, output: outputOf(outputs, worst), added };
	});
	if (!together) return all;
	// Also that of a contact that it was too late to ask; an item with an error has none.
	const hasOutcome = ({ added }: Routed) => 'outcome' in added;
	const worst = outputs.worstFirst.find((output) =>
		all.some((one) => hasOutcome(one) && one.output === output),
	);
	return all.map((one) => (hasOutcome(one) ? { ...one, output: worst ?? one.output } : one));
}

/**
 * What becomes of them without any more news.
 *
 * @param reason `complete` if none were missing
 */
export function routeWithoutNews(
	outputs: Outputs,
	waiting: Waiting,
	reason: 'complete' | 'deadline' = 'deadline',
): Routed[] {
	const ids = waiting.ids.flatMap((own) => own ?? []);
	const outcomes = ids.map((id) => ownOutcome(id, 'none', null));
	return route(outputs, waiting, { outcomes, reason }) ?? [];
}

/** An outcome known without an event. */
export function ownOutcome(id: string, outcome: string, status: string | null): AwaitedOutcome {
	return { id, outcome, status, occurredAt: null, event: null, eventId: null };
}

/** The items on their outputs, each paired with its input item. */
export function toOutputs(
	{ names }: Outputs,
	all: readonly Routed[],
	input: readonly INodeExecutionData[],
): INodeExecutionData[][] {
	return names.map((_, output) =>
		all
			.filter((one) => one.output === output)
			.map(({ item, added }) => ({
				// n8n recognises an error item by its having nothing else in it.
				json: 'error' in added ? added : { ...input[item]?.json, ...added },
				...(input[item]?.binary && { binary: input[item].binary }),
				pairedItem: { item },
			})),
	);
}

/** An outcome only a newer receiver knows is shown, but nothing is concluded from it. */
function outputOf(outputs: Outputs, { outcome }: AwaitedOutcome): number {
	return Object.hasOwn(outputs.of, outcome) ? outputs.of[outcome] : lastOutput(outputs);
}

/**
 * Which output the items of a batch leave through.
 *
 * @param each what decides for each item
 * @param all what decides for all of them
 */
export function routeItemsField(each: string, all: string): Field<'each' | 'all'> {
	return choiceField({
		displayName: 'Route Items',
		name: 'routeItems',
		options: [
			{ name: 'All by the Worst Outcome', value: 'all', description: all },
			{ name: 'Each by Its Own Outcome', value: 'each', description: each },
		],
		default: 'each',
		description: 'Which output the items of a batch leave through',
	});
}
