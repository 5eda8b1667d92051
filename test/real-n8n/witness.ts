// The one promise: every event that the receiver acknowledged starts exactly one execution, and
// those of one letter start in order. Proven by n8n's own database and the receiver's log alone.
import type { DeliveryEvent } from '../../webhook-receiver/src/core/event-contract.ts';
import { readExecutions, type StoredExecution } from '../n8n/executions.ts';
import type { Stack } from '../n8n/stack.ts';
import { countBy, eachOnce, repeated, startedByEvents } from './each-once.ts';

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
	const wanted = log.filter((event) => !except.has(providerId(event)));
	const nothing = {
		...eachOnce([], [], []),
		'acknowledged, not in the log': [],
		'in the log twice': [],
	};
	expect({
		'acknowledged, not in the log': [...acknowledged].filter((id) => !logged.has(id)),
		'in the log twice': repeated(logged),
		...eachOnce(log, wanted, all),
	}).toEqual(nothing);
	const executions = startedByEvents(all);
	const sizes = executions.map(({ started }) => started.length);
	return { events: wanted.length, executions, largest: Math.max(0, ...sizes) };
}

/** The service's id for the event. */
const providerId = ({ raw }: DeliveryEvent) => String((raw as { id: unknown }).id);
