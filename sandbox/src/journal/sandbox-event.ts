import { z } from 'zod/v4';
import { mailRecord, messageRecord } from '../state/model.ts';
import { attemptSummarySchema } from './attempt.ts';
import { requestSummarySchema } from './request-entry.ts';

/** What happened to a message. */
export const messageEventSchema = messageRecord
	.pick({
		id: true,
		type: true,
		status: true,
		contact: true,
		fileReference: true,
		customerReference: true,
		resendOf: true,
	})
	.extend({ at: z.iso.datetime(), what: z.string() });

const nothing = z.strictObject({});

/** Event types and their data. */
export const EVENT_SCHEMAS = {
	/** A mail arrived in a mailbox. */
	mail: mailRecord,
	/** Something happened to a message: `what`, as in its history. */
	message: messageEventSchema,
	/** The service answered a request, or its connection was cut. */
	request: requestSummarySchema,
	/** A webhook was sent, whether accepted or not. */
	webhook: attemptSummarySchema,
	/** Anything in `GET /_sandbox/state` changed; at most twenty in a second. */
	change: nothing,
	/** Events are missing here: they are no longer kept, or the sandbox was restarted. */
	missed: nothing,
};

export type EventKind = keyof typeof EVENT_SCHEMAS;

export type SandboxEvent = {
	[Kind in Exclude<EventKind, 'missed'>]: {
		kind: Kind;
		data: z.infer<(typeof EVENT_SCHEMAS)[Kind]>;
	};
}[Exclude<EventKind, 'missed'>];
