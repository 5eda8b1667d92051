import type { Alert as Told } from '../../capability.ts';
import { instanceOf } from '../../core/pull-contract.ts';
import type { ConsumerView } from '../../core/pull-contract.ts';
import type { WorkflowName } from '../../queue/consumers.ts';
import type { StoreSpace } from '../../sql/engine.ts';

/** What needs an operator. All but `events-lost` can end. */
export const ALERTS = [
	'workflow-away',
	'workflow-unpublished',
	'batches-dead',
	'wake-ups-late',
	'wake-ups-dead',
	'claims-unknown',
	'letters-limited',
	'second-n8n',
	'polls-paused',
	'lists-unread',
	'events-refused',
	'pulls-refused',
	'store-nearly-full',
	'events-lost',
] as const;
export type AlertKind = (typeof ALERTS)[number];

/** Times are milliseconds since the epoch. */
export interface Alert {
	kind: AlertKind;
	/** The consumer it is about; `''` for the receiver as a whole. */
	subject: string;
	since: number;
	workflow: WorkflowName | null;
	/** Of `polls-paused` and `lists-unread`: what the service answered. Of `events-lost`: why. Of `letters-limited`: which limit. */
	reason: string;
	/** Batches of `batches-dead` and `events-lost`, free bytes of `store-nearly-full`, else how many. */
	count: number;
	/** Of `events-lost`: events that were not even in a batch, wanted or not. */
	events: number;
}

/** The receiver at one moment. */
export interface Snapshot {
	at: number;
	/** The receiver has just started: n8n may be about to come back. */
	isEarly: boolean;
	consumers: readonly ConsumerView[];
	/** What capabilities see. */
	told: readonly Told[];
	space: StoreSpace;
}

/** An alert on record; `endedAt` is null while it lasts. */
export interface AlertRecord extends Alert {
	/** Increases with each, for paging. */
	id: number;
	endedAt: number | null;
}

/** What is on record. */
export interface OnRecord {
	open: readonly AlertRecord[];
	/** When anything last began or ended; 0 for never. */
	changedAt: number;
}

export interface Decision {
	begun: Alert[];
	/** What lasts, with other figures than before. */
	changed: AlertRecord[];
	over: AlertRecord[];
}

const AWAY_MS = 3_600_000;
/** An n8n that has pulled within this time is about to pull again. */
const LATELY_MS = 2 * 60_000;
/** A second n8n tries again at least twice a minute. */
const RIVAL_MS = 10 * 60_000;

/** Below either the store is nearly full; above both by a quarter it no longer is. */
const LEAST_FREE = { bytes: 256 * 1024 ** 2, share: 0.1 };
const RELIEF = 1.25;

/**
 * With two receivers, one may read before the other's change and decide after it: its snapshot is out
 * of date. A snapshot older than this means that the clock was set back.
 */
const LATE_MS = 5 * 60_000;

/** What begins and what ends: each once, however many receivers look and how often. */
export function decide({ open, changedAt }: OnRecord, snapshot: Snapshot): Decision {
	const isLate = snapshot.at <= changedAt && changedAt - snapshot.at < LATE_MS;
	if (isLate) return { begun: [], changed: [], over: [] };
	const known = new Set(open.map(nameOf));
	const found = alerts(snapshot, (kind, subject = '') => known.has(nameOf({ kind, subject })));
	const present = new Map(found.map((one) => [nameOf(one), one]));
	return {
		begun: found.filter((one) => !known.has(nameOf(one))),
		changed: open.flatMap((one) => {
			const { count, reason } = present.get(nameOf(one)) ?? one;
			return count === one.count && reason === one.reason ? [] : [{ ...one, count, reason }];
		}),
		over: open.filter((one) => !present.has(nameOf(one))),
	};
}

type IsOpen = (kind: AlertKind, subject?: string) => boolean;

/** What is wrong. An open alert has a wider threshold to end than to begin, so that it does not flap. */
function alerts(snapshot: Snapshot, isOpen: IsOpen): Alert[] {
	const { at, consumers, told, space } = snapshot;
	const isListening = ({ held, pulledAt }: ConsumerView) =>
		held || at - Date.parse(pulledAt) < LATELY_MS;
	const listening = new Set(consumers.filter(isListening).map(({ key }) => instanceOf(key)));
	const found = consumers
		.filter(({ key }) => !key.endsWith('~test'))
		.flatMap((one) => alertsOf(one, listening, snapshot, isOpen));
	for (const { kind, begins = true, ...facts } of told) {
		if (isAlert(kind) && (begins || isOpen(kind))) found.push({ ...NO_DETAILS, ...facts, kind });
	}
	if (isNearlyFull(space, isOpen('store-nearly-full'))) {
		found.push({ ...NO_DETAILS, kind: 'store-nearly-full', since: at, count: space.free ?? 0 });
	}
	return found;
}

/** There are words for it. */
function isAlert(kind: string): kind is AlertKind {
	return ALERTS.some((one) => one === kind);
}

/** @param listening every n8n that listens for a workflow, perhaps another one */
function alertsOf(
	consumer: ConsumerView,
	listening: ReadonlySet<string>,
	{ at, isEarly }: Snapshot,
	isOpen: IsOpen,
): Alert[] {
	const { key, name, node, url, held, pulledAt, awaySince, dead, rivalAt } = consumer;
	const alert = { ...NO_DETAILS, subject: key, workflow: { name, node, url } };
	const found: Alert[] = [];
	const left = Date.parse(awaySince ?? pulledAt);
	const isLong = at - left >= AWAY_MS && !isEarly;
	if (!held) {
		const kinds = ['workflow-away', 'workflow-unpublished'] as const;
		// It stays what it began as: while n8n restarts, its workflows come back one by one.
		const begun = kinds.find((kind) => isOpen(kind, key));
		const isN8nThere = listening.has(instanceOf(key));
		const kind = begun ?? (isN8nThere ? 'workflow-unpublished' : 'workflow-away');
		if (begun !== undefined || isLong) found.push({ ...alert, kind, since: left });
	}
	if (dead > 0) found.push({ ...alert, kind: 'batches-dead', since: at, count: dead });
	const rival = rivalAt === null ? -Infinity : Date.parse(rivalAt);
	if (at - rival < RIVAL_MS) found.push({ ...alert, kind: 'second-n8n', since: rival });
	return found;
}

const NO_DETAILS = { subject: '', workflow: null, reason: '', count: 0, events: 0 };

function isNearlyFull({ used, free }: Snapshot['space'], isOpen: boolean): boolean {
	if (free === null) return false;
	const least = Math.max(LEAST_FREE.bytes, LEAST_FREE.share * (used + free));
	return free < least * (isOpen ? RELIEF : 1);
}

function nameOf({ kind, subject }: Pick<Alert, 'kind' | 'subject'>): string {
	return `${kind} ${subject}`;
}
