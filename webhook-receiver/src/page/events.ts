import { RECEIVER_ATTENTION, WATCHED_SOURCE } from '../core/event-contract.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { form, framed, paging, table, time } from './parts.ts';
import type { Frame, Part } from './parts.ts';

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
				<td>${one.messageId && html`<a href="/messages/${one.messageId}">${one.messageId}</a>`}</td>
				<td class="wide">${sourceOf(one)}</td>
				<td>${time(one.receivedAt)}</td>
				<td>${form(`/page/events/${encodeURIComponent(one.id)}/replay`, frame, 'Replay')}</td>
			</tr>`,
	);
	const heads = ['No.', 'Type', 'Message', 'As named by the service', 'Received (UTC)', ''];
	return table(title, heads, rows, { below });
}

function sourceOf({ type, sourceType, attention }: DeliveryEvent): string {
	if (type === RECEIVER_ATTENTION) return attention?.text ?? '';
	return sourceType === WATCHED_SOURCE ? 'seen by watching' : (sourceType ?? '');
}
