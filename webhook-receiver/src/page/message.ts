import type { DeliveryEvent, StoredWatch } from '../core/event-contract.ts';
import { WATCHED_SOURCE } from '../core/event-contract.ts';
import type { Change } from '../watch/watch.ts';
import type { WatchRecord } from '../watch/watch.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { form, page, scrollable, section, table, time } from './parts.ts';

export interface MessageTimeline {
	messageId: string;
	/** Oldest first. */
	events: DeliveryEvent[];
	watch: { shown: StoredWatch; record: WatchRecord } | null;
	formToken: string;
}

/** One message: what happened to it, and how the receiver came to know. */
export function messagePage(data: MessageTimeline): Html {
	return page(
		html`<header>
				<h1>Message ${data.messageId}</h1>
				<a href="/">All events and batches</a>
			</header>
			<main>${timeline(data)} ${watchOf(data)}</main>`,
	);
}

function timeline({ events, watch }: MessageTimeline): Html {
	const rows = events.map(
		(event) =>
			html`<tr>
				<td>${event.type}</td>
				<td>${event.status ?? ''}</td>
				<td>${event.occurredAt === null ? '' : time(event.occurredAt)}</td>
				<td>${time(event.receivedAt)}</td>
				<td class="wide">${sourceOf(event, watch?.record.changes ?? [])}</td>
			</tr>`,
	);
	const heads = ['Event', 'Status', 'Happened (UTC)', 'Known here (UTC)', 'Came by'];
	return table('Timeline', heads, rows);
}

/** A change that watching saw first may have had its webhook since. */
function sourceOf(event: DeliveryEvent, changes: readonly Change[]): Html | string {
	if (event.sourceType !== WATCHED_SOURCE) return `webhook ${event.sourceType ?? ''}`;
	const at = Date.parse(event.receivedAt);
	const change = changes.find((one) => one.type === event.type && one.at === at);
	return change?.hasWebhook
		? html`watching; <span class="quiet">its webhook came later, and made no second event</span>`
		: 'watching';
}

function watchOf({ messageId, watch, formToken }: MessageTimeline): Html {
	if (watch === null) {
		return section('Watching', html`<p class="quiet">This message is not watched.</p>`);
	}
	const { messageType, status, createdAt, polledAt, nextPollAt, endedAt, endReason, problem } =
		watch.shown;
	const rows: Array<[string, string | null]> = [
		['Type', messageType ?? 'told from the answers of the service'],
		['Status', status ?? 'not known yet'],
		['Watched since (UTC)', time(createdAt)],
		['Last poll (UTC)', polledAt === null ? 'none yet' : time(polledAt)],
		['Next poll (UTC)', nextPollAt === null ? null : time(nextPollAt)],
		['Ended (UTC)', endedAt === null ? null : `${time(endedAt)}, ${ENDS[endReason ?? 'removed']}`],
		['Last problem', problem],
	];
	const shown = rows
		.filter(([, value]) => value !== null)
		.map(
			([name, value]) =>
				html`<tr>
					<th>${name}</th>
					<td class="wide">${value}</td>
				</tr>`,
		);
	const end = nextPollAt && form(`/page/watches/${messageId}/end`, formToken, 'Watch no more');
	const facts = scrollable(
		'Watching',
		html`<table>
			${shown}
		</table>`,
	);
	return section('Watching', html`${facts} ${end}`);
}

const ENDS: Record<NonNullable<StoredWatch['endReason']>, string> = {
	final: 'with the final status',
	limit: 'since nothing happened for as long as WATCH_LIMIT says',
	'message-not-found': 'since the service knows no such message of this account',
	removed: 'as asked',
};
