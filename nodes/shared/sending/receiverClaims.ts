import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { checkedBaseUrl } from '../../../credentials/baseUrl';
import {
	LARGEST_ANSWER,
	type Claim as StoredClaim,
	type ClaimsRequest,
} from '../../../webhook-receiver/src/claim/claim-contract';
import { callReceiver, receiverError, type ReceiverWords } from '../receiver';
import { runMemory } from '../runMemory';
import { readCredential } from '../service';
import type { Claim, Claims, Settlement } from './claims';

type Change = DistributiveOmit<ClaimsRequest['claims'][number], 'key'>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** How long a claim holds unless it is renewed: so long others wait for a worker that has died. */
const LEASE_SECONDS = 30;

/** Tries of a request to the receiver. All of them may be repeated: the holder stays the same. */
const TRIES = 4;
const FIRST_WAIT = 250;

/** A receiver that is away for so long, in milliseconds, is asked once for each claim and no more. */
const PATIENCE = 30_000;

/** Keys of a request; the receiver takes 1,000, but of 8 MB in all. */
const AT_ONCE = 250;

const WORDS: ReceiverWords = {
	refused: (reason) => `The webhook receiver does not keep the Send Once Key: ${reason}`,
	unknown: 'The webhook receiver does not know how to keep Send Once Keys',
};

/**
 * Claims that the webhook receiver keeps: one winner across workers, n8n processes and workflows, over
 * any crash (design, section 7). A claim is a lease, renewed as long as this run lives; whoever asks for
 * a key whose holder has died is told that its outcome is unknown.
 */
export class ReceiverClaims implements Claims {
	private readonly context: IExecuteFunctions;
	private readonly account: string;
	private readonly kept: Record<string, string>;
	/** Whose claim a key is held by, of those that are. */
	private readonly ours = new Map<string, string>();
	/** Whose claim a key was asked for as, of those that no answer has come for. */
	private readonly asked = new Map<string, string>();
	private readonly ended = new AbortController();
	private renewing: Promise<void> | null = null;
	/** Since when no request has been answered. */
	private awaySince: number | null = null;
	/** The last request: one after the other, or a renewal could overtake the release of its claim. */
	private last: Promise<unknown> = Promise.resolve();

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
	 * Kept over *Retry On Fail*, and gone with the ledger when the process dies: a claim whose answer got
	 * lost is ours at the next try. One that was given back, or is unknown, is never taken up again under
	 * the same name: a late copy of the request that ended it must not end another claim.
	 */
	private get holder(): string {
		return (this.kept.holder ??= randomUUID());
	}

	async claim(keys: readonly string[], takesUnknown: boolean): Promise<Map<string, Claim>> {
		const { holder } = this;
		for (const key of keys) this.asked.set(key, holder);
		const stored = await this.put(
			() => keys,
			(key) => ({
				state: 'leaving',
				holder,
				leaseSeconds: LEASE_SECONDS,
				name: key.slice(0, 500),
				takeUnknown: takesUnknown,
			}),
		);
		for (const key of keys) this.asked.delete(key);
		const claims = new Map([...stored].map(([key, claim]) => [key, claimOf(claim)]));
		for (const [key, { state }] of claims) if (state === 'ours') this.ours.set(key, holder);
		this.renewing ??= this.renew();
		return claims;
	}

	async known(keys: readonly string[]): Promise<Set<string>> {
		// To release what one does not hold changes nothing, and tells how it stands.
		const stored = await this.put(
			() => keys,
			() => ({ state: 'free', holder: this.holder }),
		);
		return new Set(keys.filter((key) => stored.get(key)?.state === 'sent'));
	}

	async settle(settlements: ReadonlyMap<string, Settlement>): Promise<void> {
		const own = this.take([...settlements.keys()]);
		try {
			await this.put(
				() => [...own.keys()],
				(key) => ({
					...storable(settlements.get(key) as Settlement),
					holder: own.get(key) as string,
				}),
			);
		} catch (error) {
			this.context.addExecutionHints({
				message: `The webhook receiver could not be told what became of the letters: a later execution will take the outcome of their Send Once Keys for unknown. ${(error as Error).message}`,
				type: 'warning',
				location: 'outputPane',
			});
		}
	}

	async release(keys: readonly string[]): Promise<void> {
		const own = this.take(keys);
		try {
			await this.put(
				() => [...own.keys()],
				(key) => ({ state: 'free', holder: own.get(key) as string }),
			);
		} catch {
			// It lapses, and is unknown then: a letter too few rather than one too many.
		}
	}

	async end(): Promise<void> {
		this.ended.abort();
		await this.renewing;
		if (this.isLastTry) await this.giveBackAsked();
	}

	/** Else the next try takes them up again, under the same holder. */
	private get isLastTry(): boolean {
		return this.context.continueOnFail() && this.context.getNode().retryOnFail !== true;
	}

	/** Keys whose claim was never answered may be ours, and nothing left under them. */
	private async giveBackAsked(): Promise<void> {
		for (const [key, holder] of this.asked) this.ours.set(key, holder);
		await this.release([...this.asked.keys()]);
	}

	private async renew(): Promise<void> {
		for (;;) {
			try {
				await sleep((LEASE_SECONDS * 1000) / 3, this.ended.signal);
			} catch {
				return;
			}
			try {
				await this.put(
					() => [...this.ours.keys()],
					(key) => ({
						state: 'leaving',
						holder: this.ours.get(key) ?? this.holder,
						leaseSeconds: LEASE_SECONDS,
					}),
				);
			} catch {
				// The next round may get through; if none does, the claims lapse and stay unsent to others.
			}
		}
	}

	/** Takes keys out of those that are held, with their holders. */
	private take(keys: readonly string[]): Map<string, string> {
		const taken = new Map<string, string>();
		for (const key of keys) {
			const holder = this.ours.get(key);
			if (holder === undefined) continue;
			taken.set(key, holder);
			this.ours.delete(key);
		}
		if (taken.size > 0) delete this.kept.holder;
		return taken;
	}

	/** @returns what holds now, by key */
	private async put(
		keysNow: () => readonly string[],
		changeOf: (key: string) => Change,
	): Promise<Map<string, StoredClaim>> {
		const turn = this.last.then(async () => {
			const stored = new Map<string, StoredClaim>();
			const keys = keysNow();
			for (let first = 0; first < keys.length; first += AT_ONCE) {
				const some = keys.slice(first, first + AT_ONCE);
				const claims = some.map((key) => ({ key: this.digest(key), ...changeOf(key) }));
				const answer = await this.ask({ claims });
				for (const [index, key] of some.entries()) stored.set(key, answer[index]);
			}
			return stored;
		});
		this.last = turn.catch(() => undefined);
		return await turn;
	}

	private async ask(body: ClaimsRequest): Promise<StoredClaim[]> {
		for (let count = 1; ; count++) {
			const result = await callReceiver(
				uncancelled(this.context),
				{ method: 'PUT', path: '/claims', body },
				WORDS,
			);
			if ('body' in result) {
				this.awaySince = null;
				return claimsIn(result.body);
			}
			const { status } = result.failure;
			const mayPass = status === null || status === 429 || status >= 500;
			this.awaySince ??= Date.now();
			if (!mayPass || count === TRIES || Date.now() - this.awaySince > PATIENCE) {
				throw receiverError(this.context, result.failure, NOTHING_LEFT);
			}
			await sleep(FIRST_WAIT * 2 ** (count - 1) * (1 + Math.random() / 4));
		}
	}

	// A digest, since a key may hold anything, and would stand in the logs of what lies between. The same
	// invoice on the sandbox is another letter, hence the service's address.
	private digest(key: string): string {
		return createHash('sha256')
			.update(JSON.stringify([this.account, key]))
			.digest('base64url');
	}
}

function claimOf({ state, mine, answer, reason }: StoredClaim): Claim {
	if (state === 'sent') return { state, answer: (answer ?? {}) as IDataObject };
	if (state === 'unknown') return { state, reason: reason ?? 'Nobody knows why.' };
	return { state: state === 'leaving' && mine ? 'ours' : 'busy' };
}

function storable(settlement: Settlement): Settlement {
	if (settlement.state === 'unknown') {
		return { state: 'unknown', reason: settlement.reason.slice(0, 1000) };
	}
	const bytes = Buffer.byteLength(JSON.stringify(settlement.answer));
	if (bytes <= LARGEST_ANSWER) return settlement;
	const answer = { ...settlement.answer };
	delete answer.messages;
	return { state: 'sent', answer };
}

const NOTHING_LEFT =
	'Without the receiver nobody can tell whether a letter went out under the key before, so none left.';

function claimsIn(body: unknown): StoredClaim[] {
	const { claims } = (body ?? {}) as { claims?: unknown };
	if (Array.isArray(claims)) return claims as StoredClaim[];
	throw new Error('The webhook receiver did not answer as its interface promises.');
}

/** What became of a letter is to be kept, also where the execution is stopped meanwhile. */
function uncancelled(context: IExecuteFunctions): IExecuteFunctions {
	const own = Object.create(context) as IExecuteFunctions;
	own.getExecutionCancelSignal = () => undefined;
	return own;
}
