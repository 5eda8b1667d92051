import type {
	IDataObject,
	IExecuteData,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import {
	wakeUpBodySchema,
	type WakeUpAnswer,
	type WakeUpBody,
} from '../../../webhook-receiver/src/core/wait-contract';
import { acceptedBefore, acceptOnce } from '../consumer/acceptOnce';
import type { Awaiting } from './awaiting';
import { INTERIM_PATIENCE_MS, isLeftToN8n } from './deadline';
import { routeItems, toOutputs, type Outputs } from './outputs';
import { putWait } from './registerWait';
import {
	isSecretOf,
	partId,
	partOf,
	readInput,
	readSleeping,
	rememberedSleeping,
	RESUME_PATH,
	type Sleeping,
} from '../following/sleeping';

/**
 * How n8n receives the resume request of a sleeping execution: at the execution's own URL, with a
 * suffix of these nodes. POST only, so that a mail scanner or a preview that follows the URL resumes nothing. It
 * answers once the execution is awake, with what the node says.
 */
export const resumeWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		// If omitted, n8n answers with the word firstEntryJson, not the node's response.
		responseData: '',
		path: RESUME_PATH,
		restartWebhook: true,
		isFullPath: true,
	},
];

/**
 * Takes the outcomes that another node of this n8n fetched from the receiver, and wakes the
 * execution with them. Invalid requests are rejected and leave the execution asleep. Never throws:
 * n8n would wake the execution with an error, and its data would be lost.
 *
 * @param now milliseconds since 1970
 */
export async function wakeUp(
	context: IWebhookFunctions,
	awaiting: Awaiting,
	now: number,
): Promise<IWebhookResponseData> {
	try {
		return await readOutcomes(context, awaiting, now);
	} catch {
		return sleepOn(context, 500, { message: 'The node could not read its own state.' });
	}
}

async function readOutcomes(
	context: IWebhookFunctions,
	awaiting: Awaiting,
	now: number,
): Promise<IWebhookResponseData> {
	const body = wakeUpBodySchema.safeParse(context.getBodyData());
	if (!body.success) return sleepOn(context, 401, { wakeUp: 'refused' });
	const sleeping = readSleeping(context);
	const part = partOf(sleeping, body.data.waitId);
	// A loop sleeps repeatedly at the same URL: a late wake-up for an earlier round is not ours.
	if (part === null) return sleepOn(context, 410, { wakeUp: 'over' });
	if (!isSecretOf(sleeping.secretDigest, body.data.secret)) {
		return sleepOn(context, 401, { wakeUp: 'refused' });
	}
	if (isLeftToN8n(sleeping, now)) return sleepOn(context, 410, { wakeUp: 'over' });
	const { waitId } = body.data;
	const before = acceptedBefore(waitId);
	if (before !== null) return sleepOn(context, 200, { wakeUp: before });
	return await acceptOnce(
		waitId,
		context.getResponseObject(),
		async () => await accept(context, awaiting, sleeping, { ...body.data, part, now }),
	);
}

async function accept(
	context: IWebhookFunctions,
	{ interim, outputs }: Awaiting,
	sleeping: Sleeping,
	wake: WakeUpBody & { part: number; now: number },
): Promise<IWebhookResponseData> {
	if (interim && wake.reason === 'deadline' && wake.part + 1 < sleeping.ends.length) {
		const open = wake.outcomes.filter(({ outcome }) => outcome === 'none').map(({ id }) => id);
		return sleeping.followed === null
			? await endPart(context, interim, sleeping, { ...wake, open })
			: runForInterim(context, outputs, sleeping, open);
	}
	const all = routeItems(outputs, sleeping, wake);
	if (all === null) return sleepOn(context, 422, { message: 'Outcomes are missing.' });
	const resumed: WakeUpAnswer = { wakeUp: 'resumed' };
	return {
		webhookResponse: resumed,
		workflowData: withPairing(context, toOutputs(outputs, all, readInput(context, sleeping))),
	};
}

/**
 * A part of the wait has ended before the deadline: does what is due, and waits on under another
 * name. Any of this may happen again after a crash, so the receiver hears last that the part is
 * over. Does nothing so late that the next part has ended, too.
 */
async function endPart(
	context: IWebhookFunctions,
	interim: NonNullable<Awaiting['interim']>,
	{ waitId, ends }: Sleeping,
	ended: WakeUpBody & { part: number; now: number; open: string[] },
): Promise<IWebhookResponseData> {
	const { outcomes, secret, part, now, open } = ended;
	const deadline = ends[part + 1];
	try {
		if (now < Date.parse(deadline)) await interim.act(context, { id: ended.waitId, open });
	} catch (error) {
		const { message } = error as Error;
		if (now < Date.parse(ends[part]) + INTERIM_PATIENCE_MS)
			return sleepOn(context, 503, { message });
		context.logger.warn(message);
	}
	const subjects = interim.subjects(outcomes.map(({ id }) => id));
	const result = await putWait(context, partId(waitId, part + 1), subjects, { secret, deadline });
	if ('failure' in result) return sleepOn(context, 503, { message: result.failure.message });
	return sleepOn(context, 200, { wakeUp: 'over' });
}

/**
 * The same where n8n itself follows: lets the node run, act, and sleep again. Only there can it record, before it
 * acts, that it does, and remember that the part is over.
 */
function runForInterim(
	context: IWebhookFunctions,
	{ names }: Outputs,
	sleeping: Sleeping,
	open: string[],
): IWebhookResponseData {
	const input = readInput(context, sleeping);
	if (!willRunAgain(context)) {
		return sleepOn(context, 503, { message: 'This n8n does not let the node run again.' });
	}
	const lists = names.map((_, output) => (output === 0 ? input : []));
	const resumed: WakeUpAnswer = { wakeUp: 'resumed' };
	return { webhookResponse: resumed, workflowData: [...lists, [{ json: { open } }]] };
}

/** Gives n8n nothing to continue with. A status inside `webhookResponse` would go out as 200. */
function sleepOn(
	context: IWebhookFunctions,
	status: number,
	answer: WakeUpAnswer | { message: string },
): IWebhookResponseData {
	context.getResponseObject().status(status).json(answer);
	return { noWebhookResponse: true };
}

// n8n 2.41 does not run a resumed node: it marks the node as disabled and passes the outputs of
// `webhook()` through. On the way it pairs every item with the item at the same index of the input
// with the same number, so that `$('Send Letter').item` would refer to another letter, or fail. So
// the node runs once more and pairs the items itself. The data for that comes as an extra list
// after the outputs. If n8n passes them through anyway, the items are on the right outputs, just
// badly paired.

/** Follows the outputs: which input item each of their items came from. */
interface Pairing {
	items: number[][];
}

/** The outputs, with the data to pair them in another run of the node. */
function withPairing(
	context: IWebhookFunctions,
	outputs: INodeExecutionData[][],
): INodeExecutionData[][] {
	if (!willRunAgain(context)) return outputs;
	const items = outputs.map((output) =>
		output.map(({ pairedItem }) => (pairedItem as { item: number }).item),
	);
	const [first, ...others] = outputs;
	// In its legacy execution order n8n runs a node only if the first list has items.
	const isRun = first.length > 0 || context.getWorkflowSettings().executionOrder === 'v1';
	return [isRun ? first : [{ json: {} }], ...others, [{ json: { items } }]];
}

/** The outputs of a node that runs again after being resumed; null in any other run. */
export function outcomesOf(
	context: IExecuteFunctions,
	{ names }: Outputs,
): INodeExecutionData[][] | null {
	const { data, source } = context.getExecuteData();
	const { main } = data;
	const { items } = (extraOf(context, names) ?? {}) as Partial<Pairing>;
	if (!items) return null;
	// Asleep, the first output may have had none. n8n has taken the list for this run's by now.
	if (source) source.main[0] = rememberedSleeping(context)?.source ?? null;
	return items.map((pairs, output) =>
		// Without the one that stands in.
		(main[output] ?? []).slice(0, pairs.length).map((one, place) => ({
			...one,
			pairedItem: { item: pairs[place] },
		})),
	);
}

/** The ids without an outcome, in a run that is to act on them and sleep on; null in any other run. */
export function openOf(context: IExecuteFunctions, { names }: Outputs): string[] | null {
	const { open } = extraOf(context, names) ?? {};
	return Array.isArray(open) ? open.map(String) : null;
}

/** What `webhook()` has put after the outputs. */
function extraOf(context: IExecuteFunctions, names: readonly string[]): IDataObject | undefined {
	return context.getExecuteData().data.main[names.length]?.[0]?.json;
}

/**
 * Clears the disabled mark that n8n sets on the node. n8n has no function for it, so this edits the
 * execution's own entry, and does nothing if that is not as in n8n 2.41.
 */
function willRunAgain(context: IWebhookFunctions): boolean {
	const { executeData } = context as unknown as { executeData?: Partial<IExecuteData> };
	const node = executeData?.node;
	if (node?.name !== context.getNode().name || node.disabled !== true) return false;
	node.disabled = false;
	return true;
}
