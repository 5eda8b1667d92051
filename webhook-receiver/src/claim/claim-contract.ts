/**
 * The meeting point of receiver and Send Once Key: who may send under a key, and what came of it.
 * Compiled into the node pack as `contract.ts` is.
 *
 * Source: design § 5 and § 7.
 */
import { z } from 'zod/v4';

/** How many changes one request may have. */
export const MOST_CLAIMS = 1000;

/** The largest answer that is kept under a key, in bytes of its JSON. */
export const LARGEST_ANSWER = 256 * 1024;

/** Only what no proxy rewrites in a path: whoever claims sends a digest of the user's own key. */
export const claimKeySchema = z
	.string()
	.regex(/^[A-Za-z0-9._~-]{1,200}$/, 'must be 1 to 200 of A-Z a-z 0-9 . _ ~ -');

/** Known to the claimant alone: what tells its own claim from everybody else's. */
const holder = z.string().regex(/^[A-Za-z0-9-]{16,100}$/, 'must be 16 to 100 of A-Z a-z 0-9 -');

/** For people to read, so what PostgreSQL can't store (the character 0, half characters) may go. */
const words = (most: number) =>
	z
		.string()
		.max(most)
		.transform((text) => text.replace(/[\0\p{Surrogate}]/gu, '\ufffd'));

const answer = z
	.record(z.string(), z.unknown())
	.refine((value) => Buffer.byteLength(JSON.stringify(value)) <= LARGEST_ANSWER, {
		message: `is larger than ${LARGEST_ANSWER} bytes as JSON`,
	});

/** Claims the key: whoever gets `leaving` and `mine` sends, nobody else does. */
const leaving = z
	.object({
		state: z.literal('leaving'),
		holder,
		/** When it has passed without a word, nobody knows whether something was sent. */
		leaseSeconds: z.number().int().min(1).max(86_400),
		/** The key as the user wrote it, for operators. */
		name: words(500).optional(),
		/** Whether to send although nobody knows what became of an earlier attempt. */
		takeUnknown: z.boolean().default(false),
	})
	.strict();

/** It was sent; `answer` is what a later asker is given. */
const sent = z.object({ state: z.literal('sent'), holder, answer }).strict();

/** It may have been sent, and nobody can tell. */
const unknown = z.object({ state: z.literal('unknown'), holder, reason: words(1000) }).strict();

/** It was surely not sent: the key is anybody's. */
const free = z.object({ state: z.literal('free'), holder }).strict();

/** Body of `PUT /claims/{key}`. */
export const claimChangeSchema = z.discriminatedUnion('state', [leaving, sent, unknown, free]);
export type ClaimChange = z.infer<typeof claimChangeSchema>;

const key = { key: claimKeySchema };
const keyedChangeSchema = z.discriminatedUnion('state', [
	leaving.extend(key),
	sent.extend(key),
	unknown.extend(key),
	free.extend(key),
]);
export type KeyedChange = z.infer<typeof keyedChangeSchema>;

/** Body of `PUT /claims`: all of them happen, or none. */
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
/** As it is written: what has a default may be left out. */
export type ClaimsRequest = z.input<typeof claimsSchema>;

/** What is on record; a key without a record is `free`. */
export const CLAIM_STATES = ['leaving', 'sent', 'unknown'] as const;

/**
 * What holds of a key after a change, whether that was applied or not; never whose it is otherwise.
 * Lists and `GET` belong to nobody, so nothing there is `mine`.
 */
export const claimSchema = z.object({
	key: claimKeySchema,
	state: z.enum([...CLAIM_STATES, 'free']),
	mine: z.boolean(),
	name: z.string().nullable(),
	/** Of what was sent. */
	answer: z.record(z.string(), z.unknown()).nullable(),
	/** Why it is unknown. */
	reason: z.string().nullable(),
	/** Until when it is leaving; ISO 8601 UTC. */
	leaseUntil: z.string().nullable(),
	/** ISO 8601 UTC; null when free. */
	updatedAt: z.string().nullable(),
});
export type Claim = z.infer<typeof claimSchema>;

/** The answer to `PUT /claims`, in the order of the changes. */
export const claimsAnswerSchema = z.object({ claims: z.array(claimSchema) });
