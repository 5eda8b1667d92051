// Whether each event of a receiver's log started exactly one execution, and those of one letter in
// order. Pure: what it compares was read from the log and from n8n's database.
import type { DeliveryEvent } from '../../webhook-receiver/src/core/event-contract.ts';
import type { StoredExecution } from '../n8n/executions.ts';

/**
 * What is wrong, in words, by kind; all empty if nothing is.
 *
 * @param log everything that must come in order, in the log's
 * @param wanted those of it that should have started executions
 */
export function eachOnce(
	log: readonly DeliveryEvent[],
	wanted: readonly DeliveryEvent[],
	all: readonly StoredExecution[],
) {
	const executions = startedByEvents(all);
	const started = countBy(executions.flatMap(({ started }) => eventIds(started)));
	const wantedIds = new Set(wanted.map(({ id }) => id));
	return {
		'no execution': wanted.filter(({ id }) => !started.has(id)).map(nameOf),
		'several executions': repeated(started),
		'not wanted': [...started.keys()].filter((id) => !wantedIds.has(id)),
		'out of order': outOfOrder(log, executions),
	};
}

/** Those that the trigger started with events, in n8n's order. */
export const startedByEvents = (all: readonly StoredExecution[]): StoredExecution[] =>
	all.filter(({ mode, started }) => mode === 'trigger' && eventIds(started).length > 0);

/** By the receiver's id and what the service said. */
const nameOf = ({ id, messageId, type, raw }: DeliveryEvent) =>
	`${id} (${String((raw as { id?: unknown } | null)?.id ?? 'no id')}): ${type} of ${messageId}`;

/**
 * Letters whose events started executions in a different order from the log's, or started one
 * before the previous one had ended or gone to sleep.
 */
function outOfOrder(log: readonly DeliveryEvent[], executions: StoredExecution[]): string[] {
	const byId = new Map(log.map((event) => [event.id, event]));
	const last = new Map<string, { sequence: number; execution: StoredExecution }>();
	const wrong: string[] = [];
	for (const execution of executions) {
		for (const id of eventIds(execution.started)) {
			const event = byId.get(id);
			if (!event?.messageId) continue;
			const before = last.get(event.messageId);
			last.set(event.messageId, { sequence: event.sequence, execution });
			if (!before) continue;
			if (event.sequence <= before.sequence) {
				wrong.push(`letter ${event.messageId}: ${before.sequence}, then ${event.sequence}`);
			}
			if (before.execution !== execution && overlap(before.execution, execution)) {
				wrong.push(`letter ${event.messageId}: ${describe(before.execution, execution)}`);
			}
		}
	}
	return wrong;
}

function overlap(first: StoredExecution, second: StoredExecution): boolean {
	// For an execution it was killed in, n8n makes up the end at its next start, or leaves it open.
	if (['crashed', 'waiting'].includes(first.status) || first.isDeleted) return false;
	if (first.stoppedAt === null || second.startedAt === null) return false;
	return second.startedAt < first.stoppedAt;
}

const describe = (first: StoredExecution, second: StoredExecution) =>
	`execution ${first.id} (${first.status}) ended after ${second.id} began`;

const eventIds = (items: StoredExecution['started']) =>
	items.flatMap(({ json }) => (typeof json.id === 'string' ? [json.id] : []));

export function countBy(values: string[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
	return counts;
}

export const repeated = (counts: Map<string, number>) =>
	[...counts].flatMap(([value, count]) => (count > 1 ? [`${value}: ${count}`] : []));
