import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { errorJson, failureOf } from '../shared/items/itemError';
import { prepareAll } from '../shared/items/perItem';
import { Queue } from '../shared/items/tasks';
import { credentialId } from '../shared/transport/credential';
import { hasReceiver } from '../shared/transport/receiver';
import {
	assertOneWait,
	type AwaitOperation,
	type Times,
	type WaitRequest,
} from '../shared/waiting/awaitOperation';
import type { Outputs } from '../shared/waiting/outputs';
import { askContacts, contactKey, type Asking } from './askContacts';
import type { ConsentToAwait } from './decideForContact';
import { routeItems } from './awaitConsentFields';
import { readContact, readReminders } from './readContacts';
import { reminderTimes, remindContacts } from './remindContacts';

const OUTPUT = { accepted: 0, refused: 1, none: 2 };

const consentOutputs: Outputs = {
	names: ['Accepted', 'Refused', 'No Answer'],
	of: OUTPUT,
	worstFirst: [OUTPUT.none, OUTPUT.refused, OUTPUT.accepted],
	idName: 'consentId',
};

/** Asks contacts for their consent, reminds them, and waits for their answers. */
export const awaitConsent: AwaitOperation = {
	name: 'Await Consent',
	outputs: consentOutputs,
	routeItems,
	prepare: async (context, times) => {
		const ask = async () => await askAndAwait(context, times);
		return (await hasReceiver(context)) ? await ask() : await queueOf(context).run(ask);
	},

	/** The service has no webhook for consents, so no answer would ever wake the execution. */
	unwatched(context) {
		throw new NodeOperationError(
			context.getNode(),
			'The webhook receiver does not watch consents, so it would never learn of an answer',
			{
				description:
					'The execution did not go to sleep. Give the receiver access to the service: see "Watching letters" in its README. Then run again: the node waits for contacts it has already asked, and does not ask them twice.',
			},
		);
	},

	remind: remindContacts,
};

const queues = new Map<string, Queue>();

/**
 * For the account: of two runs that ask the same contacts the second has to see in the service's list what the
 * first has asked. With a receiver, claims hold beyond the workflow.
 */
function queueOf(context: IExecuteFunctions): Queue {
	const id = credentialId(context);
	const queue = queues.get(id) ?? new Queue();
	queues.set(id, queue);
	return queue;
}

/**
 * Reads all items, then asks the contacts that need to be asked. After the deadline it asks nobody: an answer
 * would come too late.
 */
async function askAndAwait(
	context: IExecuteFunctions,
	times: () => Promise<Times>,
): Promise<WaitRequest> {
	const reminders = readReminders(context);
	const read = await prepareAll(context, async (item) => await readContact(context, item));
	const ids: WaitRequest['ids'] = Array.from(read, () => null);
	const faults: WaitRequest['faults'] = {};
	const known: WaitRequest['known'] = [];
	const open = new Map<string, ConsentToAwait>();
	const awaitIt = (item: number, consent: ConsentToAwait) => {
		ids[item] = [consent.consentId];
		open.set(consent.consentId, consent);
	};
	const asking: Asking[] = [];
	for (const [item, result] of read) {
		if ('error' in result) faults[item] = errorJson(failureOf(result.error));
		else if ('awaited' in result.value) awaitIt(item, result.value.awaited);
		else if ('known' in result.value) {
			ids[item] = [result.value.known.id];
			known.push(result.value.known);
		} else asking.push({ item, ...result.value.ask });
	}
	if (open.size + asking.length === 0) return { ids, faults, known, subjects: null };
	const { now, deadline } = await times();
	if (deadline <= now) for (const { item } of asking.splice(0)) faults[item] = NOT_ASKED;
	assertOneWait(context, open.size + new Set(asking.map(contactKey)).size, 'contacts');
	for (const [item, asked] of await askContacts(context, asking, now)) {
		if ('error' in asked) faults[item] = errorJson(asked.error);
		else awaitIt(item, asked);
	}
	return {
		ids,
		faults,
		known,
		subjects: open.size === 0 ? null : { consents: [...open.values()] },
		reminders: reminders === null ? [] : reminderTimes(now, deadline, reminders),
	};
}

/** The outcome for a contact that it was too late to ask. */
const NOT_ASKED: IDataObject = {
	outcome: {
		consentId: null,
		outcome: 'none',
		status: null,
		occurredAt: null,
		event: null,
		eventId: null,
		reason: 'deadline',
	},
};
