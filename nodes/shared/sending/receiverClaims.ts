import { randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { DeliveryCredential } from '../../../credentials/authenticate';
import {
	LARGEST_ANSWER,
	type Claim as StoredClaim,
} from '../../../webhook-receiver/src/core/claim-contract';
import { messageIdsOf } from '../items/rememberLetters';
import { Queue } from '../items/tasks';
import { ClaimRequests, type ClaimChange } from './claimRequests';
import { otherUse, type Claim, type ClaimKey, type Claims, type Settlement } from './claims';

const NOT_SENT: Settlement = { state: 'not sent' };

/** How long a claim holds unless renewed, and so how long others wait for a dead worker. */
const LEASE_SECONDS = 30;

/**
 * Keys that the receiver may hold for an ended try of this process, under which nothing was sent:
 * neither the claim was answered nor its release. By the key's id, with the holder.
 */
const unused = new Map<string, string>();

/**
 * Claims kept by the webhook receiver: one winner across workers, n8n processes and workflows, whatever
 * crashes. A claim is a lease that this run renews while it lives; a key whose holder has died is reported as
 * unknown.
 *
 * Each request costs n8n as much as a letter, so settlements go with the claims of what goes next.
 */
export class ReceiverClaims implements Claims {
	private readonly context: IExecuteFunctions;
	private readonly receiver: ClaimRequests;
	private readonly holder = randomUUID();
	/** The keys that this try holds. */
	private readonly ours = new Set<string>();
	/** Those of a claim that was not answered: they may be ours, with nothing sent. */
	private readonly unanswered = new Set<string>();
	/** What became of keys, as the receiver does not know yet. */
	private readonly settled = new Map<string, Settlement>();
	private readonly ended = new AbortController();
	private renewing: Promise<void> | null = null;
	/** One at a time, or a renewal could overtake the release of its claim. */
	private readonly requests = new Queue();

	constructor(context: IExecuteFunctions, credential: DeliveryCredential) {
		this.context = context;
		this.receiver = new ClaimRequests(context, credential);
	}

	async claim(keys: readonly ClaimKey[], takesUnknown: boolean): Promise<Map<string, Claim>> {
		const { holder } = this;
		// Two rows of a run can have one key, and a request names a key once.
		for (const { id } of keys) if (this.unanswered.has(id)) this.settled.set(id, NOT_SENT);
		if (keys.some(({ id }) => this.settled.has(id))) await this.report();
		await this.releaseUnused(keys);
		for (const { id } of keys) this.unanswered.add(id);
		const stored = await this.put(() => [
			...this.settlements(),
			...keys.map(({ id, text, usedFor, letter, isOwn }) => ({
				key: id,
				state: 'leaving' as const,
				holder,
				leaseSeconds: LEASE_SECONDS,
				name: text.slice(0, 500),
				usedFor,
				letter,
				isOwn,
				takeUnknown: takesUnknown,
			})),
		]);
		const claims = new Map<string, Claim>();
		for (const { id, usedFor } of keys) {
			this.unanswered.delete(id);
			const claim = claimOf(stored.get(id), usedFor);
			claims.set(id, claim);
			if (claim.state === 'ours') this.ours.add(id);
		}
		this.renewing ??= this.renew();
		return claims;
	}

	async sentBefore(keys: readonly ClaimKey[]): Promise<Set<string>> {
		// Releasing a key one does not hold changes nothing, and returns its state. Under a holder of its
		// own, since a late copy of this request must not release a claim made after it.
		const holder = randomUUID();
		const stored = await this.put(() => keys.map(({ id }) => ({ key: id, state: 'free', holder })));
		return new Set([...stored].flatMap(([id, { state }]) => (state === 'sent' ? [id] : [])));
	}

	async settle(settlements: ReadonlyMap<string, Settlement>): Promise<void> {
		for (const [id, settlement] of settlements) {
			if (this.ours.delete(id)) this.settled.set(id, settlement);
		}
	}

	async end(): Promise<void> {
		this.ended.abort();
		await this.renewing;
		for (const id of this.unanswered) this.settled.set(id, NOT_SENT);
		try {
			await this.report();
		} catch (error) {
			for (const [id, { state }] of this.settled) {
				if (state === 'not sent') unused.set(id, this.holder);
			}
			if ([...this.settled.values()].every(({ state }) => state === 'not sent')) return;
			this.context.addExecutionHints({
				message: `The node could not report the outcome of the letters to the webhook receiver: it does not watch them, and a later execution will treat their outcome as unknown, until you settle them on the page of the receiver. ${(error as Error).message}`,
				type: 'warning',
				location: 'outputPane',
			});
		}
	}

	private async report(): Promise<void> {
		await this.put(() => this.settlements());
	}

	private settlements(): ClaimChange[] {
		return [...this.settled].map(([key, settlement]) => ({
			key,
			holder: this.holder,
			...storable(settlement),
		}));
	}

	/** Of earlier tries of this process. */
	private async releaseUnused(keys: readonly ClaimKey[]): Promise<void> {
		const left = keys.flatMap(({ id: key }) => {
			const holder = unused.get(key);
			return holder === undefined ? [] : [{ key, holder, state: 'free' as const }];
		});
		await this.put(() => left);
		for (const { key } of left) unused.delete(key);
	}

	private async renew(): Promise<void> {
		const renewals = (): ClaimChange[] =>
			[...this.ours].map((key) => ({
				key,
				state: 'leaving',
				holder: this.holder,
				leaseSeconds: LEASE_SECONDS,
			}));
		for (;;) {
			try {
				await sleep((LEASE_SECONDS * 1000) / 3, this.ended.signal);
			} catch {
				return;
			}
			try {
				await this.put(() => [...this.settlements(), ...renewals()]);
			} catch {
				// The next round may get through; if none does, the claims expire and others see
				// them as unknown.
			}
		}
	}

	/**
	 * @param changesNow evaluated when the request is due
	 * @returns the current claims, by key
	 */
	private async put(changesNow: () => ClaimChange[]): Promise<Map<string, StoredClaim>> {
		return await this.requests.run(async () => {
			const stored = new Map<string, StoredClaim>();
			for await (const [{ key, state }, claim] of this.receiver.put(changesNow())) {
				stored.set(key, claim);
				if (state !== 'leaving') this.settled.delete(key);
			}
			return stored;
		});
	}
}

function storable(settlement: Settlement) {
	if (settlement.state === 'not sent') return { state: 'free' as const };
	if (settlement.state === 'unknown') {
		return { state: settlement.state, reason: settlement.reason.slice(0, 1000) };
	}
	const { state, outputs } = settlement;
	const answer = outputs.length === 1 ? outputs[0] : { outputs };
	const messageIds = messageIdsOf(outputs);
	const sent = { state, ...(messageIds.length > 0 && { messageIds }) };
	if (Buffer.byteLength(JSON.stringify(answer)) <= LARGEST_ANSWER) return { ...sent, answer };
	const withoutMessages = { ...answer, messages: undefined, outputs: undefined };
	return { ...sent, answer: withoutMessages };
}

function outputsIn(answer: IDataObject): IDataObject[] {
	return Array.isArray(answer.outputs) ? (answer.outputs as IDataObject[]) : [answer];
}

/** What a stored claim means for who asked for it. */
function claimOf(stored: StoredClaim | undefined, wanted: ClaimKey['usedFor']): Claim {
	if (stored === undefined) return { state: 'busy' };
	const { state, mine, answer, reason, usedFor, updatedAt } = stored;
	if (state === 'leaving' && mine) return { state: 'ours' };
	if (state === 'limited') return { state, reason: reason ?? 'The receiver does not say why.' };
	const other = otherUse(wanted, usedFor ?? null, updatedAt);
	if (other !== null) return other;
	if (state === 'sent') return { state, outputs: outputsIn((answer ?? {}) as IDataObject) };
	if (state === 'unknown') return { state, reason: reason ?? 'The reason is unknown.' };
	return { state: 'busy' };
}
