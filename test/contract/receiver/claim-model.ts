// What claims must do, stated twice and independently of the receiver's logic: a model that
// predicts each answer, and a witness that knows only what was told to whom and looks for
// violations.
import * as fc from 'fast-check';
import type { Claim, KeyedChange } from '../../../webhook-receiver/src/core/claim-contract.ts';

export const HOLDERS = ['a', 'b', 'c'].map((letter) => letter.repeat(16));
export const KEYS = ['k1', 'k2', 'k3'];

export type Step =
	| { kind: 'change'; changes: KeyedChange[] }
	| { kind: 'pass'; seconds: number }
	| { kind: 'free'; key: string }
	| { kind: 'restart' };

const holder = fc.constantFrom(...HOLDERS);
const change = (key: string): fc.Arbitrary<KeyedChange> =>
	fc.oneof(
		{
			weight: 3,
			arbitrary: fc.record({
				key: fc.constant(key),
				state: fc.constant('leaving' as const),
				holder,
				leaseSeconds: fc.integer({ min: 1, max: 100 }),
				takeUnknown: fc.boolean(),
			}),
		},
		fc.record({
			key: fc.constant(key),
			state: fc.constant('sent' as const),
			holder,
			answer: fc.record({ id: fc.integer(), odd: fc.string({ unit: 'binary' }) }),
		}),
		fc.record({
			key: fc.constant(key),
			state: fc.constant('unknown' as const),
			holder,
			reason: fc.constantFrom('cut', 'slow'),
		}),
		fc.record({ key: fc.constant(key), state: fc.constant('free' as const), holder }),
	);

const changes = fc
	.shuffledSubarray(KEYS, { minLength: 1 })
	.chain((keys) => fc.tuple(...keys.map(change)));

/** What holders, operators, time and crashes do to three keys. */
export const steps = fc.array(
	fc.oneof(
		{
			weight: 12,
			arbitrary: fc.record({ kind: fc.constant('change' as const), changes }),
		},
		{
			weight: 3,
			arbitrary: fc.record({
				kind: fc.constant('pass' as const),
				seconds: fc.integer({ min: 1, max: 100 }),
			}),
		},
		fc.record({ kind: fc.constant('free' as const), key: fc.constantFrom(...KEYS) }),
		fc.record({ kind: fc.constant('restart' as const) }),
	),
	{ minLength: 1, maxLength: 60 },
);

type Told = Pick<Claim, 'state' | 'mine' | 'answer'>;

/** Predicts the answer to each change. */
export class ClaimModel {
	private readonly leaving = new Map<string, { by: string; until: number; tookUnknown: boolean }>();
	private readonly unknown = new Map<string, { by: string | null }>();
	private readonly sent = new Map<string, { by: string; answer: object }>();

	free(key: string): void {
		for (const known of [this.leaving, this.unknown, this.sent]) known.delete(key);
	}

	change(asked: KeyedChange, now: number): Told {
		this.apply(asked, now);
		return this.told(asked.key, asked.holder, now);
	}

	private apply(asked: KeyedChange, now: number): void {
		const { key, holder: by } = asked;
		const leaving = this.leaving.get(key);
		const unknown = this.unknown.get(key);
		if (this.sent.has(key)) return;
		if (asked.state === 'leaving') {
			const until = now + asked.leaseSeconds * 1000;
			const isOpen = unknown ? unknown.by !== by : leaving && leaving.until <= now;
			if (leaving?.by === by) leaving.until = until;
			else if (!leaving && !unknown) this.leaving.set(key, { by, until, tookUnknown: false });
			else if (isOpen && asked.takeUnknown) {
				this.free(key);
				this.leaving.set(key, { by, until, tookUnknown: true });
			}
			return;
		}
		const isTheirs = (leaving ?? unknown)?.by === by;
		if (asked.state === 'free') {
			if (leaving?.by !== by) return;
			this.free(key);
			if (leaving.tookUnknown) this.unknown.set(key, { by: null });
		} else if (isTheirs || (!leaving && !unknown)) {
			this.free(key);
			if (asked.state === 'unknown') this.unknown.set(key, { by });
			else this.sent.set(key, { by, answer: asked.answer });
		}
	}

	private told(key: string, asker: string, now: number): Told {
		const [leaving, unknown, sent] = [
			this.leaving.get(key),
			this.unknown.get(key),
			this.sent.get(key),
		];
		const mine = (leaving ?? unknown ?? sent)?.by === asker;
		if (sent) return { state: 'sent', mine, answer: { ...sent.answer } };
		const isSilent = leaving !== undefined && !mine && leaving.until <= now;
		const state = unknown || isSilent ? 'unknown' : leaving ? 'leaving' : 'free';
		return { state, mine, answer: null };
	}
}

/** Throws if the answers contradict each other. */
export class Witness {
	/**
	 * By key: who was told to send, until when, and has not since said that it certainly did not.
	 */
	private readonly senders = new Map<string, Map<string, number>>();
	private readonly sent = new Map<string, string>();

	free(key: string): void {
		this.senders.delete(key);
		this.sent.delete(key);
	}

	saw(asked: KeyedChange, claim: Claim, now: number): void {
		const { key, holder: by } = asked;
		const senders = this.senders.get(key) ?? new Map<string, number>();
		this.senders.set(key, senders);
		if (JSON.stringify(claim).match(/[abc]{16}/)) throw new Error('a holder was told');
		const mayTake = asked.state === 'leaving' && asked.takeUnknown;
		if (claim.state === 'leaving' && claim.mine) {
			const others = [...senders].filter(([other]) => other !== by);
			if (others.some(([, until]) => until > now)) throw new Error(`${key}: two send at once`);
			if (others.length > 0 && !senders.has(by) && !mayTake) {
				throw new Error(`${key}: a claim was lost`);
			}
			senders.set(by, Date.parse(claim.leaseUntil ?? ''));
		}
		if (asked.state === 'unknown' && (senders.has(by) || claim.mine)) senders.set(by, 0);
		if (asked.state === 'free' && senders.get(by) !== 0) senders.delete(by);
		if (asked.state === 'sent' && claim.state === 'sent' && claim.mine && !this.sent.has(key)) {
			this.sent.set(key, JSON.stringify(asked.answer));
		}
		const answer = this.sent.get(key);
		if (answer !== undefined && JSON.stringify(claim.answer) !== answer) {
			throw new Error(`${key}: what was sent has changed`);
		}
	}
}
