import { RECEIVER_ATTENTION, WATCHED_SOURCE } from '../core/event-contract.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import { subjectOf } from '../core/lists.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { form, framed, paging, table, time } from './parts.ts';
import type { Frame, Part } from './parts.ts';
import { subjectLink } from './subject-link.ts';

export function eventsPage(part: Part<DeliveryEvent>, isFirst: boolean, frame: Frame): Html {
	const below = paging('/page/events', 'before', part.next, isFirst);
	return framed('Events', frame, eventsTable('Events, newest first', part.rows, frame, below));
}

export function eventsTable(
	title: string,
	events: readonly DeliveryEvent[],
	frame: Frame,
	below: Html | null,
): Html {
	const rows = events.map(
		(one) =>
			html`<tr>
				<td>${one.sequence}</td>
				<td>${one.type}</td>
				<td class="wide">${about(one)}</td>
				<td class="wide">${sourceOf(one)}</td>
				<td>${time(one.receivedAt)}</td>
				<td>${form(`/page/events/${encodeURIComponent(one.id)}/replay`, frame, 'Replay')}</td>
			</tr>`,
	);
	const heads = ['No.', 'Type', 'About', 'As named by the service', 'Received (UTC)', ''];
	return table(title, heads, rows, { below });
}

function about(event: DeliveryEvent): Html | null {
	const subject = subjectOf(event);
	return subject === null ? null : subjectLink(subject);
}

function sourceOf({ type, sourceType, attention }: DeliveryEvent): string {
	if (type === RECEIVER_ATTENTION) return attention?.text ?? '';
	return sourceType === WATCHED_SOURCE ? 'seen by watching' : (sourceType ?? '');
}
