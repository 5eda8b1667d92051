import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import {
	LARGEST_ANSWER,
	type Claim as StoredClaim,
	type ClaimsRequest,
} from '../../../webhook-receiver/src/core/claim-contract';
import {
	callReceiver,
	readReceiver,
	receiverError,
	type FailureMessages,
	type ReceiverCredential,
} from '../transport/receiver';
import { Queue } from '../items/queue';
import { isTransient } from '../transport/retryPolicy';
import { uncancelled } from '../transport/uncancelled';
import type { Claim, ClaimKey, Claims } from './claims';
import { answeredClaims, claimOf } from './claimsAnswer';
import type { LastingFate } from './fate';

type Change = ClaimsRequest['claims'][number];

/** How long a claim holds unless renewed, and so how long others wait for a dead worker. */
const LEASE_SECONDS = 30;

/** Tries per request to the receiver; all are repeatable, since the holder stays the same. */
const TRIES = 4;
const FIRST_WAIT = 250;

/** Milliseconds after which an unreachable receiver gets only one request per claim. */
const AWAY_PATIENCE = 30_000;

/** Keys per request; half as many where what is kept under them is too much for one answer. */
const KEYS_AT_ONCE = 250;
const TOO_LARGE = 413;

const FAILURE_MESSAGES: FailureMessages = {
	refused: (reason) => `The webhook receiver did not store the Send Once Key: ${reason}`,
	unknown: 'The webhook receiver does not support Send Once Keys',
	member: 'claims',
};

/**
 * Keys that the receiver may hold for an ended try of this process, under which nothing was sent:
 * neither the claim was answered nor its release. By the key's id, with the holder.
 */
const unused = new Map<string, string>();

/**
 * Claims kept by the webhook receiver: one winner across workers, n8n processes and workflows, whatever
 * crashes. A claim is a lease that this run renews while it lives; a key whose holder has died is reported as
 * unknown.
 */
export class ReceiverClaims implements Claims {
	private readonly context: IExecuteFunctions;
	private readonly holder = randomUUID();
	/** The holder under which this try holds each key. */
	private readonly ours = new Map<string, string>();
	/** The holder under which this try claimed each key not yet answered. */
	private readonly unanswered = new Map<string, string>();
	private readonly ended = new AbortController();
	private renewing: Promise<void> | null = null;
	private credential: ReceiverCredential | null = null;
	/** Since when no request has been answered. */
	private awaySince: number | null = null;
	/** One at a time, or a renewal could overtake the release of its claim. */
	private readonly requests = new Queue();

	constructor(context: IExecuteFunctions) {
		this.context = context;
	}

	async claim(keys: readonly ClaimKey[], takesUnknown: boolean): Promise<Map<string, Claim>> {
		await this.releaseUnused(keys.map(({ id }) => id));
		const { holder } = this;
		for (const { id } of keys) this.unanswered.set(id, holder);
		const stored = await this.put(() =>
			keys.map(({ id, text, usedFor }) => ({
				key: id,
				state: 'leaving',
				holder,
				leaseSeconds: LEASE_SECONDS,
				name: text.slice(0, 500),
				usedFor,
				takeUnknown: takesUnknown,
			})),
		);
		const claims = new Map<string, Claim>();
		for (const { id, usedFor } of keys) {
			this.unanswered.delete(id);
			const claim = claimOf(stored.get(id), usedFor);
			claims.set(id, claim);
			if (claim.state === 'ours') this.ours.set(id, holder);
		}
		this.renewing ??= this.renew();
		return claims;
	}

	async known(keys: readonly ClaimKey[]): Promise<Set<string>> {
		// Releasing a key one does not hold changes nothing, and returns its state. Under a holder of its
		// own, since a late copy of this request must not release a claim made after it.
		const holder = randomUUID();
		const stored = await this.put(() => keys.map(({ id }) => ({ key: id, state: 'free', holder })));
		return new Set([...stored].flatMap(([id, { state }]) => (state === 'sent' ? [id] : [])));
	}

	async keep(fates: ReadonlyMap<string, LastingFate>): Promise<void> {
		const held = this.drop([...fates.keys()]);
		const changes = held.flatMap(({ key, holder }) => {
			const fate = fates.get(key);
			return fate ? [{ key, holder, ...storable(fate) }] : [];
		});
		try {
			await this.put(() => changes);
		} catch (error) {
			this.context.addExecutionHints({
				message: `The node could not report the outcome of the letters to the webhook receiver: a later execution will treat the outcome of their Send Once Keys as unknown. ${(error as Error).message}`,
				type: 'warning',
				location: 'outputPane',
			});
		}
	}

	async release(keys: readonly ClaimKey[]): Promise<void> {
		await this.free(this.drop(keys.map(({ id }) => id)));
	}

	async end(): Promise<void> {
		this.ended.abort();
		await this.renewing;
		// An unanswered claim may be ours, with nothing sent under it.
		await this.free([...this.unanswered].map(([key, holder]) => ({ key, holder })));
	}

	/** What stays with the receiver nonetheless counts as unknown once its lease ends. */
	private async free(held: Array<{ key: string; holder: string }>): Promise<void> {
		try {
			await this.put(() => held.map((one) => ({ ...one, state: 'free' })));
		} catch {
			for (const { key, holder } of held) unused.set(key, holder);
		}
	}

	private async releaseUnused(keys: readonly string[]): Promise<void> {
		const left = keys.flatMap((key) => {
			const holder = unused.get(key);
			return holder === undefined ? [] : [{ key, holder, state: 'free' as const }];
		});
		await this.put(() => left);
		for (const { key } of left) unused.delete(key);
	}

	private async renew(): Promise<void> {
		const renewals = () =>
			[...this.ours].map(([key, holder]) => ({
				key,
				state: 'leaving' as const,
				holder,
				leaseSeconds: LEASE_SECONDS,
			}));
		for (;;) {
			try {
				await sleep((LEASE_SECONDS * 1000) / 3, this.ended.signal);
			} catch {
				return;
			}
			try {
				await this.put(renewals);
			} catch {
				// The next round may get through; if none does, the claims expire and others see
				// them as unknown.
			}
		}
	}

	private drop(keys: readonly string[]): Array<{ key: string; holder: string }> {
		const held = keys.flatMap((key) => {
			const holder = this.ours.get(key);
			this.ours.delete(key);
			return holder === undefined ? [] : [{ key, holder }];
		});
		return held;
	}

	/**
	 * @param changesNow evaluated when the request is due
	 * @returns the current claims, by key
	 */
	private async put(changesNow: () => Change[]): Promise<Map<string, StoredClaim>> {
		return await this.requests.run(async () => {
			const stored = new Map<string, StoredClaim>();
			const changes = changesNow();
			for (let first = 0, size = KEYS_AT_ONCE; first < changes.length; ) {
				const some = changes.slice(first, first + size);
				const answer = await this.request({ claims: some });
				if (answer === null) {
					size = Math.ceil(some.length / 2);
					continue;
				}
				first += some.length;
				for (const [at, { key }] of some.entries()) stored.set(key, answer[at]);
			}
			return stored;
		});
	}

	/** @returns null if it, or its answer, is too large and it can be split */
	private async request(body: ClaimsRequest): Promise<StoredClaim[] | null> {
		const context = uncancelled(this.context);
		const credential = (this.credential ??= await readReceiver(context));
		for (let count = 1; ; count++) {
			const result = await callReceiver(
				context,
				{ method: 'PUT', path: '/claims', body, credential },
				FAILURE_MESSAGES,
			);
			if ('body' in result) {
				this.awaySince = null;
				const claims = answeredClaims(result.body, body);
				if (Array.isArray(claims)) return claims;
				throw receiverError(this.context, claims, `${claims.advice} ${NOTHING_LEFT}`);
			}
			const { status } = result.failure;
			if (status === TOO_LARGE && body.claims.length > 1) return null;
			const isTransientFailure = status === null || isTransient(status);
			this.awaySince ??= Date.now();
			if (!isTransientFailure || count === TRIES || Date.now() - this.awaySince > AWAY_PATIENCE) {
				throw receiverError(this.context, result.failure, NOTHING_LEFT);
			}
			await sleep(FIRST_WAIT * 2 ** (count - 1) * (1 + Math.random() / 4));
		}
	}
}

function storable(fate: LastingFate) {
	if (fate.state === 'unknown') return { ...fate, reason: fate.reason.slice(0, 1000) };
	const { state, output } = fate;
	if (Buffer.byteLength(JSON.stringify(output)) <= LARGEST_ANSWER) return { state, answer: output };
	const withoutMessages = { ...output };
	delete withoutMessages.messages;
	return { state, answer: withoutMessages };
}

const NOTHING_LEFT =
	'Without the receiver, the node cannot tell whether a letter was already sent under the key, so it sent none.';
