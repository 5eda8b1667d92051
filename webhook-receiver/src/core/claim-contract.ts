/**
 * Shared by receiver and Send Once Key: who may send under a key, and the result. Compiled into the
 * node pack, like `event-contract.ts`.
 */
import { z } from 'zod/v4';
import { messageIdSchema } from './event-contract.ts';
import { letterToSendSchema, MOST_RECIPIENTS } from './letter-contract.ts';
import { storable } from './storable.ts';
import { usedForSchema } from './used-for.ts';

/** How many changes one request may have. */
const MOST_CLAIMS = 1000;

/** The largest answer kept under a key, in bytes of its JSON. */
export const LARGEST_ANSWER = 256 * 1024;

/**
 * Only characters that no proxy rewrites in a path: the claimant sends a digest of the user's key.
 */
export const claimKeySchema = z
	.string()
	.regex(/^[A-Za-z0-9._~-]{1,200}$/, 'must be 1 to 200 of A-Z a-z 0-9 . _ ~ -');

/** Known only to the claimant: tells its own claim from all others. */
const holderSchema = z
	.string()
	.regex(/^[A-Za-z0-9-]{16,100}$/, 'must be 16 to 100 of A-Z a-z 0-9 -');

const answerSchema = z
	.record(z.string(), z.unknown())
	.refine((value) => Buffer.byteLength(JSON.stringify(value)) <= LARGEST_ANSWER, {
		message: `is larger than ${LARGEST_ANSWER} bytes as JSON`,
	});

/** The longest that a claim may take to be reported. */
export const LONGEST_LEASE_MS = 86_400_000;

/** Claims the key: only the claimant that gets `leaving` and `mine` sends. */
const leavingSchema = z
	.object({
		state: z.literal('leaving'),
		holder: holderSchema,
		/** If the lease expires without a report, it is unknown whether anything was sent. */
		leaseSeconds: z
			.number()
			.int()
			.min(1)
			.max(LONGEST_LEASE_MS / 1000),
		/** The key as the user wrote it, for operators. */
		name: z.string().max(500).transform(storable).optional(),
		/** What is sent under it; left out, or null, for a key that can only mean one thing. */
		usedFor: usedForSchema.nullish(),
		/** Whether only retries of an execution ask for it, and no user has written it: it is not kept for good. */
		isOwn: z.boolean().optional(),
		/** What goes out under it, if it is a letter: its record begins now. */
		letter: letterToSendSchema.optional(),
		/** Whether to send the same even though the result of an earlier attempt is unknown. */
		takeUnknown: z.boolean().default(false),
	})
	.strict();

const messageIdsSchema = z
	.array(messageIdSchema)
	.min(1)
	.max(MOST_RECIPIENTS)
	.refine((all) => new Set(all).size === all.length, { message: 'names a letter twice' });

/** It was sent; later claimants are given `answer`. */
const sentSchema = z
	.object({
		state: z.literal('sent'),
		holder: holderSchema,
		answer: answerSchema,
		/** Of its letters, in the order of their recipients: they are watched from now on. */
		messageIds: messageIdsSchema.optional(),
	})
	.strict();

/** It may or may not have been sent. */
const unknownSchema = z
	.object({
		state: z.literal('unknown'),
		holder: holderSchema,
		reason: z.string().max(1000).transform(storable),
	})
	.strict();

/** It was certainly not sent: anyone may claim the key. */
const freeSchema = z.object({ state: z.literal('free'), holder: holderSchema }).strict();

/** Body of `PUT /claims/{key}`. */
export const claimChangeSchema = z.discriminatedUnion('state', [
	leavingSchema,
	sentSchema,
	unknownSchema,
	freeSchema,
]);
export type ClaimChange = z.infer<typeof claimChangeSchema>;

const keyed = { key: claimKeySchema };
const keyedChangeSchema = z.discriminatedUnion('state', [
	leavingSchema.extend(keyed),
	sentSchema.extend(keyed),
	unknownSchema.extend(keyed),
	freeSchema.extend(keyed),
]);
export type KeyedChange = z.infer<typeof keyedChangeSchema>;

/** Body of `PUT /claims`: all changes apply, or none. */
export const claimsSchema = z
	.object({
		claims: z
			.array(keyedChangeSchema)
			.min(1)
			.max(MOST_CLAIMS)
			.refine((all) => new Set(all.map((one) => one.key)).size === all.length, {
				message: 'names a key twice',
			}),
	})
	.strict();
/** As clients write it: members with defaults may be omitted. */
export type ClaimsRequest = z.input<typeof claimsSchema>;

/** Body of `POST /claims/{key}/sent`: the letters that a person found at the service. */
export const claimSentSchema = z.object({ messageIds: messageIdsSchema }).strict();

/** Why a key is unknown whose lease has ended. */
export const SILENT = 'An earlier execution began to send this and never reported the result.';

/** Recorded states; a key without a record is `free`. */
export const CLAIM_STATES = ['leaving', 'sent', 'unknown'] as const;

// Lazy: n8n reads these, and would make them at each start.

/**
 * The state of a key after a change, whether or not the change applied; never reveals another
 * holder. Lists and `GET` are anonymous, so nothing in them is `mine`.
 */
export const claimSchema = z.lazy(() =>
	z.object({
		key: claimKeySchema,
		/** `limited`: it is free, and was not claimed, since no more letters may be sent now. */
		state: z.enum([...CLAIM_STATES, 'free', 'limited']),
		mine: z.boolean(),
		name: z.string().nullable(),
		/** What it was first used for. */
		usedFor: usedForSchema.nullable(),
		/** Set once sent. */
		answer: z.record(z.string(), z.unknown()).nullable(),
		/** Why it is unknown, or limited. */
		reason: z.string().nullable(),
		/** Until when it is leaving; ISO 8601 UTC. */
		leaseUntil: z.string().nullable(),
		/** ISO 8601 UTC; null when free. */
		updatedAt: z.string().nullable(),
	}),
);
export type Claim = z.infer<typeof claimSchema>;

/** The answer to `PUT /claims`, in the order of the changes. */
export const claimsAnswerSchema = z.lazy(() => z.object({ claims: z.array(claimSchema) }));
