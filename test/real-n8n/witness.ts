// The one promise: every event that the receiver acknowledged starts exactly one execution, and
// those of one letter start in order. Proven by n8n's own database and the receiver's log alone.
import type { DeliveryEvent } from '../../webhook-receiver/src/core/event-contract.ts';
import { readExecutions, type StoredExecution } from '../n8n/executions.ts';
import type { Stack } from '../n8n/stack.ts';

/** What to compare. */
export interface Claim {
	/** Its trigger subscribes to the reference. */
	workflowId: string;
	/** Reference of the events it should have received, in all loads under it. */
	reference: string;
	/** Events the service got a 200 for, by its own ids. */
	acknowledged: ReadonlySet<string>;
	/** Events it should not have received, by the service's ids. */
	except?: ReadonlySet<string>;
	/** n8n's SQLite file, if not the stack's own. */
	database?: string;
	/** The workflow's executions from n8n's store, if that is not a SQLite file. */
	stored?: StoredExecution[];
}

/** What else the executions show. */
export interface Seen {
	events: number;
	/** Executions started with events, in n8n's order. */
	executions: StoredExecution[];
	/** The most events in a single execution. */
	largest: number;
}

/** @throws Error that names what is missing, duplicated or out of order */
export async function expectEachOnce(stack: Stack, claim: Claim): Promise<Seen> {
	const { workflowId, reference, acknowledged, except = new Set(), database, stored } = claim;
	const log = (await stack.receiverApi.events()).filter(
		({ fileReference }) => fileReference === reference,
	);
	const logged = countBy(log.map(providerId));
	const all = stored ?? readExecutions(database ?? stack.n8nDatabase, workflowId);
	const executions = all.filter(
		({ mode, started }) => mode === 'trigger' && eventIds(started).length > 0,
	);
	const started = countBy(executions.flatMap(({ started }) => eventIds(started)));
	const wanted = log.filter((event) => !except.has(providerId(event)));
	const wantedIds = new Set(wanted.map(({ id }) => id));

	expect({
		'acknowledged, not in the log': [...acknowledged].filter((id) => !logged.has(id)),
		'in the log twice': repeated(logged),
		'no execution': wanted.filter(({ id }) => !started.has(id)).map(providerId),
		'several executions': repeated(started),
		'not wanted': [...started.keys()].filter((id) => !wantedIds.has(id)),
		'out of order': outOfOrder(log, executions),
	}).toEqual({
		'acknowledged, not in the log': [],
		'in the log twice': [],
		'no execution': [],
		'several executions': [],
		'not wanted': [],
		'out of order': [],
	});
	const sizes = executions.map(({ started }) => started.length);
	return { events: wanted.length, executions, largest: Math.max(0, ...sizes) };
}

/**
 * Letters whose events started executions in a different order from the log's, or started one
 * before the previous one had ended or gone to sleep.
 */
function outOfOrder(log: DeliveryEvent[], executions: StoredExecution[]): string[] {
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

/** The service's id for the event. */
const providerId = ({ raw }: DeliveryEvent) => String((raw as { id: unknown }).id);

const eventIds = (items: StoredExecution['started']) =>
	items.flatMap(({ json }) => (typeof json.id === 'string' ? [json.id] : []));

function countBy(values: string[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
	return counts;
}

const repeated = (counts: Map<string, number>) =>
	[...counts].flatMap(([value, count]) => (count > 1 ? [`${value}: ${count}`] : []));
