import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { checkedBaseUrl } from '../../../credentials/baseUrl';
import {
	LARGEST_ANSWER,
	type Claim as StoredClaim,
	type ClaimsRequest,
} from '../../../webhook-receiver/src/core/claim-contract';
import {
	callReceiver,
	NO_RECEIVER,
	readReceiver,
	receiverError,
	type FailureMessages,
	type ReceiverCredential,
} from '../transport/receiver';
import { Queue } from '../items/queue';
import { runMemory } from '../items/runMemory';
import { isTransient } from '../transport/retryPolicy';
import { readCredential } from '../transport/service';
import type { Claim, Claims, Settlement } from './claims';

/** A change to the claim on a key, which the receiver knows by its digest. */
type Change = ClaimsRequest['claims'][number];

/** How long a claim holds unless renewed, and so how long others wait for a dead worker. */
const LEASE_SECONDS = 30;

/**
 * Tries per request to the receiver. All requests are repeatable, since the holder stays the same.
 */
const TRIES = 4;
const FIRST_WAIT = 250;

/** Milliseconds after which an unreachable receiver gets only one request per claim. */
const PATIENCE = 30_000;

/** Keys per request; the receiver accepts 1,000, but no more than 8 MB in all. */
const BATCH = 250;

const FAILURE_MESSAGES: FailureMessages = {
	refused: (reason) => `The webhook receiver did not store the Send Once Key: ${reason}`,
	unknown: 'The webhook receiver does not support Send Once Keys',
	member: 'claims',
};

/**
 * Claims kept by the webhook receiver: one winner across workers, n8n processes and workflows,
 * whatever crashes (design, section 7). A claim is a lease that this run renews while it lives; a
 * key whose holder has died is reported as unknown.
 */
export class ReceiverClaims implements Claims {
	private readonly context: IExecuteFunctions;
	private readonly account: string;
	private readonly kept: Record<string, string>;
	/** The holder under which this run holds each key. */
	private readonly ours = new Map<string, string>();
	/** The holder under which this run claimed each key not yet answered. */
	private readonly unanswered = new Map<string, string>();
	private readonly ended = new AbortController();
	private renewing: Promise<void> | null = null;
	private credential: ReceiverCredential | null = null;
	/** Since when no request has been answered. */
	private awaySince: number | null = null;
	/** One at a time, or a renewal could overtake the release of its claim. */
	private readonly requests = new Queue();

	static async of(context: IExecuteFunctions): Promise<ReceiverClaims> {
		const { baseUrl } = await readCredential(context);
		return new ReceiverClaims(context, checkedBaseUrl(baseUrl));
	}

	private constructor(context: IExecuteFunctions, account: string) {
		this.context = context;
		this.account = account;
		this.kept = runMemory<string>(context, 'claims');
	}

	/**
	 * Survives *Retry On Fail*, and is lost with the ledger when the process dies: the next try
	 * owns a claim whose answer got lost. A claim that was released or is unknown is never taken
	 * again under the same holder: a late copy of the request that ended it must not end another
	 * claim.
	 */
	private get holder(): string {
		return (this.kept.holder ??= randomUUID());
	}

	async claim(keys: readonly string[], takesUnknown: boolean): Promise<Map<string, Claim>> {
		const { holder } = this;
		for (const key of keys) this.unanswered.set(key, holder);
		const stored = await this.put(() =>
			keys.map((key) => ({
				...{ key, state: 'leaving', holder, leaseSeconds: LEASE_SECONDS },
				...{ name: key.slice(0, 500), takeUnknown: takesUnknown },
			})),
		);
		for (const key of keys) this.unanswered.delete(key);
		const claims = new Map([...stored].map(([key, claim]) => [key, claimOf(claim)]));
		for (const [key, { state }] of claims) if (state === 'ours') this.ours.set(key, holder);
		this.renewing ??= this.renew();
		return claims;
	}

	async known(keys: readonly string[]): Promise<Set<string>> {
		// Releasing a key one does not hold changes nothing, and returns its state. Under a holder of its
		// own, since a late copy of this request must not release a claim made after it.
		const holder = randomUUID();
		const stored = await this.put(() => keys.map((key) => ({ key, state: 'free', holder })));
		return new Set(keys.filter((key) => stored.get(key)?.state === 'sent'));
	}

	async settle(settlements: ReadonlyMap<string, Settlement>): Promise<void> {
		const held = this.drop([...settlements.keys()]);
		const changes = held.flatMap(({ key, holder }) => {
			const settlement = settlements.get(key);
			return settlement ? [{ key, holder, ...storable(settlement) }] : [];
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

	async release(keys: readonly string[]): Promise<void> {
		const held = this.drop(keys);
		try {
			await this.put(() => held.map((one) => ({ ...one, state: 'free' })));
		} catch {
			// It expires and then counts as unknown: better a letter too few than one too many.
		}
	}

	async end(): Promise<void> {
		this.ended.abort();
		await this.renewing;
		// Another try would take them up again under the same holder.
		if (!this.context.continueOnFail() || this.context.getNode().retryOnFail === true) return;
		// An unanswered claim may be ours, with nothing sent under it.
		for (const [key, holder] of this.unanswered) this.ours.set(key, holder);
		await this.release([...this.unanswered.keys()]);
	}

	private async renew(): Promise<void> {
		const renewals = () =>
			[...this.ours].map(([key, holder]) => ({
				...{ key, state: 'leaving' as const, holder, leaseSeconds: LEASE_SECONDS },
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
		if (held.length > 0) delete this.kept.holder;
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
			for (let first = 0; first < changes.length; first += BATCH) {
				const some = changes.slice(first, first + BATCH);
				const answer = await this.request({
					claims: some.map((change) => ({ ...change, key: this.digest(change.key) })),
				});
				for (const [at, { key }] of some.entries()) stored.set(key, answer[at]);
			}
			return stored;
		});
	}

	private async request(body: ClaimsRequest): Promise<StoredClaim[]> {
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
				const { claims } = result.body;
				if (Array.isArray(claims)) return claims as StoredClaim[];
				throw receiverError(this.context, NO_RECEIVER, NOTHING_LEFT);
			}
			const { status } = result.failure;
			const mayPass = status === null || isTransient(status);
			this.awaySince ??= Date.now();
			if (!mayPass || count === TRIES || Date.now() - this.awaySince > PATIENCE) {
				throw receiverError(this.context, result.failure, NOTHING_LEFT);
			}
			await sleep(FIRST_WAIT * 2 ** (count - 1) * (1 + Math.random() / 4));
		}
	}

	// A digest, since a key may contain anything and would end up in logs on the way. Includes the
	// service's address, since the same invoice on the sandbox is another letter.
	private digest(key: string): string {
		const text = JSON.stringify([this.account, key]);
		return createHash('sha256').update(text).digest('base64url');
	}
}

function claimOf({ state, mine, answer, reason }: StoredClaim): Claim {
	if (state === 'sent') return { state, answer: (answer ?? {}) as IDataObject };
	if (state === 'unknown') return { state, reason: reason ?? 'The reason is unknown.' };
	return { state: state === 'leaving' && mine ? 'ours' : 'busy' };
}

function storable(settlement: Settlement): Settlement {
	if (settlement.state === 'unknown') {
		return { state: 'unknown', reason: settlement.reason.slice(0, 1000) };
	}
	const { answer } = settlement;
	if (Buffer.byteLength(JSON.stringify(answer)) <= LARGEST_ANSWER) return settlement;
	const withoutMessages = { ...answer };
	delete withoutMessages.messages;
	return { state: 'sent', answer: withoutMessages };
}

const NOTHING_LEFT =
	'Without the receiver, the node cannot tell whether a letter was already sent under the key, so it sent none.';

/** The receiver must learn a letter's result even while the execution is being cancelled. */
function uncancelled(context: IExecuteFunctions): IExecuteFunctions {
	const own = Object.create(context) as IExecuteFunctions;
	own.getExecutionCancelSignal = () => undefined;
	return own;
}
