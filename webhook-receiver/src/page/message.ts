import type { DeliveryEvent, StoredWatch } from '../core/event-contract.ts';
import { WATCHED_SOURCE } from '../core/event-contract.ts';
import type { Change } from '../core/changes.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import type { StoredWait } from '../core/wait-contract.ts';
import type { BatchRecord } from '../pull/consumer-store.ts';
import { deliveriesTable } from './deliveries.ts';
import type { Names } from './deliveries.ts';
import { facts, form, framed, paging, section, table, time } from './parts.ts';
import type { Frame, Part } from './parts.ts';

export interface MessageTimeline {
	messageId: string;
	/** Oldest first, after a sequence. */
	events: Part<DeliveryEvent>;
	watch: StoredWatch | null;
	/** What is known of it, whether or not it is watched. */
	changes: readonly Change[];
	/** Newest first, before a number. */
	deliveries: Part<BatchRecord>;
	waits: StoredWait[];
	/** Where events and deliveries begin. */
	from: { after: number | null; before: number | null };
	erasedUntil: number | null;
	names: Names;
	/** How many waits are shown at most. */
	limit: number;
}

/** One message: its events, how the receiver learned of them, and their deliveries to n8n. */
export function messagePage(data: MessageTimeline, frame: Frame): Html {
	const { messageId, deliveries, names, from } = data;
	const below = paging(pathOf(data, 'after'), 'before', deliveries.next, from.before === null);
	const none = 'No workflow has got an event of this message, or the record has been cleaned up.';
	return framed(
		`Message ${messageId}`,
		frame,
		html`${erasureOf(data)} ${timeline(data)}
		${deliveriesTable('Deliveries', deliveries.rows, names, frame, { none, below })}
		${watchOf(data, frame)} ${waitsOf(data)}`,
	);
}

/** Otherwise the page would look as if the letter never existed. */
function erasureOf({ erasedUntil }: MessageTimeline): Html | null {
	if (erasedUntil === null) return null;
	const until = time(new Date(erasedUntil).toISOString());
	return section(
		'Erased',
		html`<p>
			This letter was erased on request. What comes of it until ${until} UTC is not stored.
		</p>`,
	);
}

/** Shown when the input can't be a message id. */
export function searchPage(frame: Frame): Html {
	const hint = html`<p>A message id has up to 12 digits, such as 000000000123.</p>`;
	return framed('Search', frame, section('No such message', hint));
}

/** The page with the other list where it is. */
function pathOf({ messageId, from }: MessageTimeline, other: 'after' | 'before'): string {
	const place = from[other];
	return `/messages/${messageId}${place === null ? '' : `?${other}=${place}`}`;
}

function timeline(data: MessageTimeline): Html {
	const { events, from, changes } = data;
	const rows = events.rows.map(
		(event) =>
			html`<tr>
				<td>${event.type}</td>
				<td>${event.status ?? ''}</td>
				<td>${event.occurredAt === null ? '' : time(event.occurredAt)}</td>
				<td>${time(event.receivedAt)}</td>
				<td class="wide">${sourceOf(event, changes)}</td>
			</tr>`,
	);
	const heads = ['Event', 'Status', 'Happened (UTC)', 'Known here (UTC)', 'Came by'];
	const none = 'No event of this message is on record: none has come, or RETENTION is over.';
	const below = paging(pathOf(data, 'before'), 'after', events.next, from.after === null);
	const cut = html`<p class="quiet">More events of this message are on other pages.</p>`;
	return table('Timeline', heads, rows, { none, below: below && html`${cut} ${below}` });
}

/** A change that watching saw first may have had its webhook since. */
function sourceOf(event: DeliveryEvent, changes: readonly Change[]): Html | string {
	if (event.sourceType !== WATCHED_SOURCE) return `webhook ${event.sourceType ?? ''}`;
	const at = Date.parse(event.receivedAt);
	const change = changes.find((one) => one.type === event.type && one.at === at);
	return change && change.mark !== null
		? html`watching; <span class="quiet">its webhook came later, and made no second event</span>`
		: 'watching';
}

function watchOf({ messageId, watch }: MessageTimeline, frame: Frame): Html {
	if (watch === null) {
		return section('Watching', html`<p class="quiet">This message is not watched.</p>`);
	}
	const { messageType, status, createdAt, polledAt, nextPollAt, endedAt, endReason, problem } =
		watch;
	const details = facts([
		['Type', messageType ?? 'taken from the service’s answers'],
		['Status', status ?? 'not known yet'],
		['Watched since (UTC)', time(createdAt)],
		['Last poll (UTC)', polledAt === null ? 'none yet' : time(polledAt)],
		['Next poll (UTC)', nextPollAt === null ? null : time(nextPollAt)],
		['Ended (UTC)', endedAt === null ? null : `${time(endedAt)}, ${ENDS[endReason ?? 'removed']}`],
		['Last problem', problem],
	]);
	const end = nextPollAt && form(`/page/watches/${messageId}/end`, frame, 'Watch no more');
	return section('Watching', html`${details} ${end}`);
}

/** Executions of n8n that sleep until this message has an outcome. */
function waitsOf(data: MessageTimeline): Html {
	const { waits, limit } = data;
	const rows = waits.slice(0, limit).map(
		({ state, target, deadline, attempts, lastResult, createdAt }) =>
			html`<tr>
				<td>${time(createdAt)}</td>
				<td class="${state === 'dead' ? 'bad' : ''}">${STATES[state]}</td>
				<td>${time(deadline)}</td>
				<td>${attempts}</td>
				<td class="wide">${lastResult ?? ''}</td>
				<td class="wide">${target}</td>
			</tr>`,
	);
	const heads = ['Asleep since (UTC)', 'State', 'Deadline (UTC)', 'Tries', 'Result', 'Where'];
	const none = 'No execution waits, or has waited, for this message.';
	const below =
		waits.length > limit ? html`<p class="quiet">Only the newest ${limit} are shown.</p>` : null;
	return table('Waiting executions', heads, rows, { none, below });
}

const STATES: Record<StoredWait['state'], string> = {
	open: 'waits for outcomes',
	queued: 'is to be woken',
	'in-hand': 'is being woken',
	done: 'was woken, or no longer waited',
	dead: 'lost: nobody woke it',
};

const ENDS: Record<NonNullable<StoredWatch['endReason']>, string> = {
	final: 'with the final status',
	limit: 'since nothing happened for as long as WATCH_LIMIT says',
	'message-not-found': 'since the service knows no such message of this account',
	removed: 'as asked',
};
