import { z } from 'zod/v4';
import { named } from '../state/schemas.ts';
import { halfSchema } from './request-entry.ts';

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
