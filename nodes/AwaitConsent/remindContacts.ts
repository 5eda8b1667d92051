import type { IExecuteFunctions } from 'n8n-workflow';

import { newestConsents } from '../shared/consents/newest';
import { reminderPosting, type Reminder } from '../shared/consents/reminder';
import { ownKey } from '../shared/sending/claims';
import { sendItems } from '../shared/sending/send';
import { asExecution } from '../shared/transport/context';
import { isTransient } from '../shared/transport/retryPolicy';
import type { Failure } from '../shared/transport/serviceError';
import type { DueReminder } from '../shared/waiting/awaitOperation';

/** Concurrent requests, so that the reminders of many are out soon. */
const AT_ONCE = 5;

/**
 * Reminds contacts who have not answered, once each: a claim for each reminder sees to that. Reminders exist only
 * for pending requests by email (rule CONS-08).
 *
 * @throws Error if a reminder could not be sent for now
 */
export async function remindContacts(
	context: IExecuteFunctions,
	{ id, open }: DueReminder,
): Promise<void> {
	// The run's own memory is of the items, and who was asked for them.
	const execution = asExecution(context);
	const consents = await newestConsents(execution);
	const due = open.filter((consentId) => {
		const consent = consents.withId(consentId);
		return consent?.type === 'EMAIL' && consent.state === 'PENDING';
	});
	const prepare = (_: unknown, itemIndex: number): Reminder => {
		const consentId = due[itemIndex];
		return { itemIndex, consentId, once: ownKey(`reminder ${id} ${consentId}`) };
	};
	const settings = () => ({ concurrency: AT_ONCE });
	const operation = { posting: reminderPosting, settings, prepare };
	const verdicts = await sendItems<Reminder>(execution, operation, due.keys());
	for (const [at, verdict] of verdicts) {
		if (!('error' in verdict)) continue;
		const { state, error } = verdict;
		const reason = error.message.replace(ROW_OF_DUE, '');
		if (state === 'not sent' && mayRecover(error)) {
			throw new Error(`A reminder could not be sent: ${reason}`);
		}
		const became =
			state === 'unknown'
				? 'its contact may not have been reminded.'
				: 'its contact was not reminded.';
		context.logger.warn(`Consent ${due[at]}: ${became} ${reason}`);
	}
}

/** An error counts the reminders as its rows, which are not those of the node. */
const ROW_OF_DUE = / \[row \d+\]$/;

/** Whether a retry may succeed: what the service rejected, it would reject again. */
function mayRecover({ status }: Failure): boolean {
	return typeof status !== 'number' || isTransient(status);
}

const DAY_MS = 86_400_000;

/**
 * When to remind, in milliseconds since 1970: every `days` days, and only before the deadline.
 */
export function reminderTimes(
	now: number,
	deadline: number,
	{ days, count }: { days: number; count: number },
): number[] {
	const times = Array.from({ length: count }, (_, index) => now + (index + 1) * days * DAY_MS);
	return times.filter((time) => time < deadline);
}
