import { stringify } from 'qs';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

export interface WebhookEvent {
	id: string;
	event: string;
	messageId: string;
	type: string;
	timestamp: string;
	data: { fileReference: string | null; customerReference: string | null };
}

/** A request before it is signed. */
export interface WebhookRequest {
	headers: Record<string, string>;
	body: string;
}

type Look = Pick<WebhookEndpoint, 'shape' | 'naming' | 'spelling' | 'encoding' | 'batch'>;

/** One request carrying these events in the endpoint's format. */
export function webhookRequest(events: WebhookEvent[], look: Look): WebhookRequest {
	const shaped = events.map((event) => SHAPED[look.shape ?? 'flat'](event, nameOf(event, look)));
	const [first] = events;
	const headers: Record<string, string> =
		look.shape === 'header' && first
			? { 'X-Webhook-Event': nameOf(first, look), 'X-Event-Id': first.id }
			: {};
	if (look.encoding === 'form') {
		const body = stringify(shaped[0], { skipNulls: true, format: 'RFC1738' });
		return { headers: { ...headers, 'Content-Type': FORM }, body };
	}
	const content = look.batch
		? look.batch.as === 'array'
			? shaped
			: { events: shaped }
		: shaped[0];
	const body = JSON.stringify(content);
	return { headers: { ...headers, 'Content-Type': 'application/json' }, body };
}

const FORM = 'application/x-www-form-urlencoded';

/** Rule TYPE-06: the prefix follows the spelling the message was sent with, unless overridden. */
function nameOf({ event }: WebhookEvent, { spelling, naming }: Look): string {
	const spelled = spelling ? event.replace(/^(aes|mt)_/, `${spelling.toLowerCase()}_`) : event;
	if (naming === 'dotted') return spelled.replaceAll('_', '.');
	return naming === 'dashed-upper' ? spelled.replaceAll('_', '-').toUpperCase() : spelled;
}

type Shape = (event: WebhookEvent, name: string) => object;

const SHAPED: Record<NonNullable<WebhookEndpoint['shape']>, Shape> = {
	flat: (event, name) => ({ ...event, event: name }),
	typed: ({ id, messageId, timestamp, data }, name) => ({
		event_id: id,
		type: name,
		created_at: Math.floor(Date.parse(timestamp) / 1000),
		data: {
			message_id: messageId,
			file_reference: data.fileReference,
			customer_reference: data.customerReference,
		},
	}),
	nested: ({ id, messageId, type, timestamp, data }, name) => ({
		event: { id, name },
		payload: { message: { id: messageId, type, ...data } },
		date: timestamp,
	}),
	header: ({ messageId, timestamp }) => ({ id: messageId, occurredAt: Date.parse(timestamp) }),
	/** A number has no leading zeros. */
	numeric: ({ id, messageId, timestamp }, name) => ({
		eventId: id,
		eventType: name,
		object: { friendlyId: Number(messageId) },
		occurred_at: Date.parse(timestamp),
	}),
	/** No id of its own and no time: a repetition looks just like a second event. */
	minimal: ({ messageId }, name) => ({ name, message_id: messageId }),
};
