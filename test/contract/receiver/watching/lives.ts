import { createHash } from 'node:crypto';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** When its webhook arrives: at once, hours or days later, twice, or never. */
export type Webhook = 'at once' | 'late' | 'twice' | 'never';

export interface LifeChange {
	/** Milliseconds after the mailing. */
	at: number;
	status: string;
	/** Null: the service has none for this. */
	webhook: Webhook | null;
}

export interface Life {
	messageId: string;
	type: 'LRE' | 'LS' | 'AS' | 'AES';
	changes: LifeChange[];
}

const TYPES = ['LRE', 'LRE', 'LS', 'AES', 'LRE', 'AS', 'AES', 'LRE', 'LS', 'AES'] as const;

/** What becomes of letter `n` in 90 days: the same in every process that asks. */
export function lifeOf(n: number): Life {
	const chance = chances(n);
	const messageId = String(n).padStart(12, '0');
	const type = TYPES[n % 10] ?? 'LRE';
	if (n % 17 === 0) return { messageId, type, changes: failure(type, chance) };
	if (type === 'AES')
		return { messageId, type, changes: withWebhooks(trackedMail(chance), chance) };
	const steps = type === 'LRE' ? registered(chance) : simple(chance);
	const changes = [step(0, 'SENT'), ...steps].map((one) => ({ ...one, webhook: null }));
	return { messageId, type, changes };
}

/** For some letters the service always returns a page instead of a status. */
export function isUnreadable(n: number): boolean {
	return n % 200 === 7;
}

/** Its status this long after the mailing. */
export function statusAt({ changes }: Life, elapsed: number): string {
	return changes.findLast(({ at }) => at <= elapsed)?.status ?? 'SCHEDULED';
}

export function eventTypes({ type, changes }: Life): string[] {
	return changes.map(({ status }) => {
		if (status === 'FAILED' && type === 'LRE') return 'lre.failed';
		return `${type === 'AES' ? 'tracked_mail' : 'letter'}.${status.toLowerCase()}`;
	});
}

type Chance = () => number;
type Step = Omit<LifeChange, 'webhook'>;

const step = (at: number, status: string): Step => ({ at: Math.round(at), status });

/** It is not sent. Tracked mail and LRE have a webhook for that. */
function failure(type: Life['type'], chance: Chance): LifeChange[] {
	const failed = [step(1_000 + chance() * DAY, 'FAILED')];
	const hasWebhook = type === 'AES' || type === 'LRE';
	return hasWebhook ? withWebhooks(failed, chance) : [{ ...(failed[0] as Step), webhook: null }];
}

function registered(chance: Chance): Step[] {
	const kind = chance();
	const decidedAt = 3 * DAY + chance() * 11 * DAY;
	if (kind < 0.1) {
		const bounce = step(chance() * 12 * HOUR, 'UNDELIVERED');
		return [bounce, kind < 0.05 ? step(decidedAt, 'ACCEPTED') : step(15 * DAY, 'EXPIRED')];
	}
	if (kind < 0.35) return [step(15 * DAY, 'EXPIRED')];
	return [step(chance() * 14 * DAY, kind < 0.8 ? 'ACCEPTED' : 'REFUSED')];
}

function simple(chance: Chance): Step[] {
	const kind = chance();
	if (kind < 0.1) return [step(chance() * DAY, 'UNDELIVERED')];
	return kind < 0.3 ? [step(60 * DAY, 'EXPIRED')] : [step(chance() * 30 * DAY, 'RECEIVED')];
}

/** A bounce and its recovery are further apart than two polls. */
function trackedMail(chance: Chance): Step[] {
	const received = [step(0, 'SENT'), step(1_000 + chance() * DAY, 'RECEIVED')];
	const kind = chance();
	const last = received[1]?.at ?? 0;
	if (kind < 0.3) return [...received, step(last + 60 * DAY, 'EXPIRED')];
	if (kind < 0.8) return [...received, step(last + 1_000 + chance() * 20 * DAY, 'OPENED')];
	const bounce = last + 4 * DAY + chance() * 2 * DAY;
	const again = bounce + 4 * DAY + chance() * 5 * DAY;
	const opened = again + 1_000 + chance() * 10 * DAY;
	return [
		...received,
		...[step(bounce, 'UNDELIVERED'), step(again, 'RECEIVED'), step(opened, 'OPENED')],
	];
}

function withWebhooks(steps: Step[], chance: Chance): LifeChange[] {
	return steps.map((one) => {
		const kind = chance();
		if (one.status === 'EXPIRED') return { ...one, webhook: null };
		const webhook = kind < 0.4 ? 'at once' : kind < 0.7 ? 'late' : kind < 0.8 ? 'twice' : 'never';
		return { ...one, webhook };
	});
}

/** Numbers from 0 to 1 that depend only on `n`. */
function chances(n: number): Chance {
	const bytes = createHash('sha256').update(`letter ${n}`).digest();
	let place = 0;
	return () => {
		const value = bytes.readUInt16BE((place * 2) % 32) / 0x10000;
		place++;
		return value;
	};
}
