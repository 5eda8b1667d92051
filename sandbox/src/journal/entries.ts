import { z } from 'zod/v4';
import { named } from '../state/schemas.ts';

const text = z.string().nullable();

/** A body, its secrets masked. */
const bodySchema = named(
	'JournalBody',
	z.strictObject({
		/** In bytes, as it went over the wire. */
		size: z.number().int(),
		/** Null if it was a multipart form or a file. */
		text,
		/** Whether more was sent than is kept. */
		truncated: z.boolean(),
		/** Text parts of a multipart form. */
		fields: z.array(z.strictObject({ name: z.string(), value: z.string() })),
		/** Files by what identifies them; `sha256` is null for one that did not arrive as a whole. */
		files: z.array(
			z.strictObject({
				field: text,
				name: text,
				contentType: text,
				size: z.number().int(),
				sha256: text,
			}),
		),
	}),
);
export type JournalBody = z.infer<typeof bodySchema>;

const headers = z.record(z.string(), z.string());

/** Headers and body of a request or an answer; secrets are masked in both. */
const halfSchema = z.strictObject({ headers, body: bodySchema.nullable() });
export type Half = z.infer<typeof halfSchema>;

/** A request with its answer; secrets are masked in both. */
export const requestEntrySchema = named(
	'JournaledRequest',
	z.object({
		...halfSchema.shape,
		answer: halfSchema,
		id: z.number().int(),
		/** When it arrived. */
		at: z.iso.datetime(),
		method: z.string(),
		path: z.string(),
		/** Path and query. */
		url: z.string(),
		/** Name of the account whose token it had, or null. */
		account: text,
		token: z.enum(['valid', 'wrong', 'missing']),
		clientCertificate: z.boolean(),
		/** Of the answer, also of one that a fault kept from the client; null if none was made. */
		status: z.number().int().nullable(),
		/** Whether the whole answer was sent. */
		answered: z.boolean(),
		/** Kind of the injected fault, or null. */
		fault: text,
		/** In milliseconds of real time. */
		duration: z.number(),
	}),
);

export type RequestEntry = z.infer<typeof requestEntrySchema>;

/** A request that carried events to an endpoint, and its answer; secrets are masked in both. */
export const attemptSchema = named(
	'WebhookAttempt',
	z.object({
		...halfSchema.shape,
		answer: halfSchema.nullable(),
		id: z.number().int(),
		/** Real time. */
		at: z.iso.datetime(),
		url: z.string(),
		/** The events it carried: several in a batch. */
		events: z.array(z.strictObject({ id: z.string(), event: z.string(), messageId: z.string() })),
		/** 1 for the first try of these events. */
		attempt: z.number().int(),
		/** The attempt that it repeats because someone asked for it, or null. */
		resendOf: z.number().int().nullable(),
		/** Null if there was no answer. */
		status: z.number().int().nullable(),
		error: z.string().nullable(),
		/** In milliseconds. */
		duration: z.number(),
	}),
);

export type WebhookAttempt = z.infer<typeof attemptSchema>;
