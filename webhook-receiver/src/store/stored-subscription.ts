import { isDeepStrictEqual } from 'node:util';
import type { StoredSubscription, Subscription } from '../contract.ts';
import { secretFingerprint } from '../fingerprint.ts';

export interface SubscriptionRow {
	key: string;
	/** As registered, as JSON, the secrets included: they sign what is sent. */
	subscription: string;
	created_at: number;
	updated_at: number;
}

/** A subscription as kept; `previous` is the secret before the present one. */
export interface KeptSubscription extends Subscription {
	previous?: { secret: string; until: number };
}

/** How long a secret that was replaced signs beside the new one. */
const ROTATION_MS = 24 * 3_600_000;

export function readSubscription(row: Pick<SubscriptionRow, 'subscription'>): KeptSubscription {
	return JSON.parse(row.subscription) as KeptSubscription;
}

/** The row a registration makes, or null when it says nothing new. */
export function renewed(
	present: SubscriptionRow | undefined,
	key: string,
	asked: Subscription,
	now: number,
): SubscriptionRow | null {
	const { previous, ...kept } = present ? readSubscription(present) : {};
	if (present && sameSubscription(kept as Subscription, asked)) return null;
	const old = present && 'secret' in kept && kept.secret !== asked.secret ? kept.secret : null;
	const rotating = old === null ? previous : { secret: old, until: now + ROTATION_MS };
	const subscription: KeptSubscription = { ...asked, ...(rotating && { previous: rotating }) };
	return {
		key,
		subscription: JSON.stringify(subscription),
		created_at: present?.created_at ?? now,
		updated_at: now,
	};
}

/** What to sign with: the secret, and the one before it for a while (design § 7). */
export function signingSecrets({ secret, previous }: KeptSubscription, now: number): string[] {
	return previous && now < previous.until ? [secret, previous.secret] : [secret];
}

/** What may be shown of a subscription: everything but its secrets. */
export function toStored(row: SubscriptionRow): StoredSubscription {
	const { secret, ...shown } = readSubscription(row);
	delete shown.previous;
	return {
		...shown,
		key: row.key,
		secretFingerprint: secretFingerprint(secret),
		createdAt: new Date(row.created_at).toISOString(),
		updatedAt: new Date(row.updated_at).toISOString(),
	};
}

/** Whether a registration says nothing new; the order of its members does not matter. */
function sameSubscription(left: Subscription, right: Subscription): boolean {
	const plain = (subscription: Subscription) => JSON.parse(JSON.stringify(subscription)) as unknown;
	return isDeepStrictEqual(plain(left), plain(right));
}
