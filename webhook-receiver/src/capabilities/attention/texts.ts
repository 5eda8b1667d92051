import { RECEIVER_ATTENTION } from '../../core/event-contract.ts';
import type { Attention, DeliveryEvent } from '../../core/event-contract.ts';
import { iso } from '../../time/iso.ts';
import type { WorkflowName } from '../../queue/consumers.ts';
import type { Alert, AlertKind } from './decide.ts';

/** The event for workflows, for operators without Prometheus. */
export function attentionEvent(
	alert: Alert,
	state: Attention['state'],
	now: number,
): Omit<DeliveryEvent, 'id' | 'sequence'> {
	const attention = attentionOf(alert, state);
	return {
		type: RECEIVER_ATTENTION,
		sourceType: null,
		messageId: null,
		messageType: null,
		status: null,
		terminal: false,
		reversible: false,
		occurredAt: state === 'begun' ? attention.since : null,
		receivedAt: iso(now),
		fileReference: null,
		customerReference: null,
		attention,
		raw: null,
	};
}

/** The text and the advice. */
export function attentionOf(alert: Alert, state: Attention['state']): Attention {
	const { kind, since, workflow } = alert;
	const [text, advice, isOver] = TEXTS[kind](alert);
	const known = { kind, state, since: iso(since), workflow };
	if (state === 'resolved') return { ...known, text: isOver, advice: 'Nothing is left to do.' };
	return { ...known, text, advice };
}

const LONGEST_NAME = 80;

/** A workflow's name for people; never its key, which says nothing to them. */
function titleOf(workflow: WorkflowName | null): string {
	const plain = (workflow?.name ?? '').replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim();
	const name = plain.length > LONGEST_NAME ? `${plain.slice(0, LONGEST_NAME)}…` : plain;
	return name === '' ? 'A workflow without a name' : `The workflow "${name}"`;
}

/** What happened, what to do, and what to say when it is over. */
type AlertTexts = (alert: Alert) => [text: string, advice: string, isOver: string];

const OPEN_AGAIN =
	'If n8n was started without this pack meanwhile, it does not open its workflows again by itself: unpublish and publish them.';

const TEXTS: Record<AlertKind, AlertTexts> = {
	'workflow-away': ({ workflow, since }) => [
		`${titleOf(workflow)} has not fetched events since ${minute(since)}. They are kept for it.`,
		`Check that n8n runs and the workflow is published. ${OPEN_AGAIN} If it is gone for good, forget it on the page of the receiver.`,
		`${titleOf(workflow)} is no longer away: it fetches events again, or was forgotten.`,
	],
	'workflow-unpublished': ({ workflow, since }) => [
		`${titleOf(workflow)} is unpublished, or could not be opened: it has not fetched events since ${minute(since)}, while its n8n fetches those of others. They are kept for it.`,
		'Publish it. If n8n cannot, it says why. If it is gone for good, forget it on the page of the receiver.',
		`${titleOf(workflow)} fetches events again, or was forgotten.`,
	],
	'batches-dead': ({ workflow, count }) => [
		`${titleOf(workflow)} could not be started for ${batches(count)}, and the receiver no longer tries.`,
		'The page of the receiver has the reasons. Mend what they name, then hand the batches out again there.',
		`${titleOf(workflow)} has no dead batches any more: they were handed out again, or removed.`,
	],
	'wake-ups-late': ({ count, since }) => [
		`${executions(count)} should have been woken since ${minute(since)}, and still ${count === 1 ? 'sleeps' : 'sleep'}.`,
		`Check that n8n runs, and that a workflow that waits is published. ${OPEN_AGAIN}`,
		'No sleeping execution is late any more: they were woken, or given up.',
	],
	'wake-ups-dead': ({ count }) => [
		`${executions(count)} could not be woken until a day after the deadline, and the receiver no longer tries.`,
		'The dead batches on the page of the receiver have the reasons. Mend what they name, then hand them out again there: what still sleeps goes on with its outcomes.',
		'No wake-up is dead any more: they were handed out again, or removed.',
	],
	'claims-unknown': ({ count }) => [
		`It is unknown whether anything was sent under ${count === 1 ? 'one Send Once Key' : `${count} Send Once Keys`}, so nothing more is sent.`,
		'The page of the receiver lists them with the letters of unknown outcome. Look up each at the delivery service, and say on the page whether it was sent.',
		'No Send Once Key is unknown any more.',
	],
	'letters-limited': ({ reason }) => [
		`LETTER_LIMIT is reached (${reason}): n8n sends no more letters until some of them are older.`,
		'Check on the page of the receiver, or with GET /letters, whether all of them were meant. If so, raise LETTER_LIMIT and restart the receiver.',
		'Letters may be sent again: LETTER_LIMIT is not reached any more.',
	],
	'second-n8n': ({ workflow }) => [
		`${titleOf(workflow)} is asked for by a second n8n with the same identity, which gets nothing.`,
		'It is likely a copy of n8n on the same data, such as a restored backup: stop one of the two.',
		`${titleOf(workflow)} is asked for by one n8n only.`,
	],
	'polls-paused': ({ since, reason }) => [
		`The delivery service has not answered as it should since ${minute(since)}: ${reason}. Outcomes that have no webhook are not seen.`,
		'Check SERVICE_URL, SERVICE_TOKEN and the client certificate of the receiver, and that the service is up.',
		'The delivery service answers the receiver again.',
	],
	'lists-unread': ({ reason }) => [
		`A list of the delivery service cannot be read (${reason}). What happens in it is not seen.`,
		'If the account of SERVICE_TOKEN may not read it, give the receiver the token of one that may, or leave its events out of the triggers.',
		'The lists of the delivery service are read again, or are no longer wanted.',
	],
	'events-refused': ({ reason }) => [
		`Events were refused in the last hour (${reason}).`,
		'Compare the secret, and the way the service signs, with the INGEST_ settings of the receiver. If the service did not send them, someone is posing as it, and nothing is lost.',
		'No event has been refused for an hour.',
	],
	'pulls-refused': ({ reason }) => [
		`n8n asked for events and was refused in the last hour (${reason}).`,
		'Put the current N8N_TOKEN or MANAGEMENT_TOKEN into the credential in n8n, under Webhook Receiver. Its workflows get no events until then; they are kept.',
		'No n8n has been refused for an hour.',
	],
	'store-nearly-full': ({ count }) => [
		`The disk of the receiver is nearly full: ${Math.round(count / 1024 ** 2)} MB are free. Once it is full, the receiver takes no more events.`,
		'Make room on the disk of DATABASE_FILE, or shorten RETENTION.',
		'The disk of the receiver has room again.',
	],
	'events-lost': ({ workflow, reason, count, events }) => [
		`${titleOf(workflow)} lost ${lost(count, events)}: ${reason}.`,
		'The delivery service still knows what became of the letters: look at their status there.',
		'',
	],
};

function lost(count: number, events: number): string {
	const further = `up to ${events} ${events === 1 ? 'event' : 'events'} not yet looked at`;
	if (count === 0) return further;
	return events === 0 ? batches(count) : `${batches(count)} and ${further}`;
}

function batches(count: number): string {
	return count === 1 ? 'one batch' : `${count} batches`;
}

function executions(count: number): string {
	return count === 1 ? 'One sleeping execution' : `${count} sleeping executions`;
}

function minute(time: number): string {
	return `${iso(time).slice(0, 16).replace('T', ' ')} UTC`;
}
