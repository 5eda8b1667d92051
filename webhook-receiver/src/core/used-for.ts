/**
 * What a Send Once Key was used for. A key means one letter: under the same key anything else is a
 * mistake of whoever asks, not the letter that went out.
 */
import { z } from 'zod/v4';
import { storable } from './storable.ts';

/** A digest, so that nothing of what it stands for can be read at the receiver. */
const digestSchema = z.string().regex(/^[A-Za-z0-9_-]{10,64}$/, 'must be a digest in base64url');

// Lazy: n8n reads it, and would make it at each start.
export const usedForSchema = z.lazy(() =>
	z
		.object({
			/** Address of the service. */
			service: z.string().max(500).transform(storable),
			/** Digests of what names the sending account. Two accounts are one where they share any. */
			accounts: z.array(digestSchema).min(1).max(5),
			/** The customer it is sent for. */
			sender: z.string().max(100).transform(storable).nullable(),
			type: z.string().max(20).transform(storable),
			/** Digest of all recipients' addresses. */
			recipients: digestSchema,
			/** The recipients, for people. */
			to: z.string().max(300).transform(storable),
		})
		.strict(),
);
export type UsedFor = z.infer<typeof usedForSchema>;

/** In what two uses of a key differ, in words; empty where they are the same letter. */
export function differences(one: UsedFor, other: UsedFor): string[] {
	return [
		one.service !== other.service && 'service address',
		!one.accounts.some((account) => other.accounts.includes(account)) && 'account',
		one.sender !== other.sender && 'sender',
		one.type !== other.type && 'type',
		one.recipients !== other.recipients && 'recipients',
	].filter((word) => word !== false);
}
