import { z } from 'zod/v4';
import { named } from '../control/named-schemas.ts';
import type { JournalBody } from './body-tap.ts';

const text = z.string().nullable();

/** A body, its secrets masked. */
export const bodySchema = named(
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
	}) satisfies z.ZodType<JournalBody>,
);

export const headersSchema = z.record(z.string(), z.string());

/** A request without headers and bodies. */
export const requestSummarySchema = named(
	'RequestSummary',
	z.strictObject({
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
		/** Messages that it or its answer names. */
		messageIds: z.array(z.string()),
	}),
);

/** A request with its answer; secrets are masked in both. */
export const requestEntrySchema = named(
	'JournaledRequest',
	requestSummarySchema.extend({
		headers: headersSchema,
		body: bodySchema.nullable(),
		answer: z.strictObject({ headers: headersSchema, body: bodySchema.nullable() }),
	}),
);

export type RequestSummary = z.infer<typeof requestSummarySchema>;
export type RequestEntry = z.infer<typeof requestEntrySchema>;

export function summaryOf({
	headers: _,
	body: _body,
	answer: _answer,
	...summary
}: RequestEntry): RequestSummary {
	return summary;
}

/** What an entry costs to keep, in characters. */
export const weightOf = ({ headers, body, answer, messageIds, url }: RequestEntry): number =>
	500 +
	url.length +
	messageIds.length * 24 +
	headersWeight(headers) +
	headersWeight(answer.headers) +
	bodyWeight(body) +
	bodyWeight(answer.body);

export const headersWeight = (headers: Record<string, string>): number =>
	Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + 40, 0);

export const bodyWeight = (body: JournalBody | null): number =>
	body === null
		? 0
		: (body.text?.length ?? 0) +
			body.fields.reduce((sum, { name, value }) => sum + name.length + value.length + 80, 0) +
			body.files.length * 300;
