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
interface WebhookRequest {
	headers: Record<string, string>;
	body: string;
}

/** One request carrying these events, in the form that the endpoint asks for. */
export function webhookRequest(
	events: readonly WebhookEvent[],
	{ body: template, headers, batch }: Pick<WebhookEndpoint, 'body' | 'headers' | 'batch'>,
): WebhookRequest {
	const bodies = events.map((event) =>
		template === undefined ? event : (filled(template, event) as object),
	);
	const more = Object.entries(headers ?? {}).map(([name, value]) => [
		name.toLowerCase(),
		String(filled(value, events[0]!) ?? ''),
	]);
	const all: Record<string, string> = {
		'content-type': 'application/json',
		...Object.fromEntries(more),
	};
	return {
		headers: all,
		body: all['content-type']?.startsWith('application/x-www-form-urlencoded')
			? new URLSearchParams(Object.entries(bodies[0]!)).toString()
			: JSON.stringify(batch === undefined ? bodies[0] : { events: bodies }),
	};
}

/** The template with the event's values in the place of their names; one that stands alone keeps its type. */
function filled(template: unknown, event: WebhookEvent): unknown {
	const { data, ...own } = event;
	const values: Record<string, string | null> = { ...own, ...data };
	if (typeof template === 'string') {
		const alone = /^\{(\w+)\}$/.exec(template)?.[1];
		if (alone !== undefined && alone in values) return values[alone];
		return template.replaceAll(/\{(\w+)\}/g, (text, name: string) => values[name] ?? text);
	}
	if (Array.isArray(template)) return template.map((one) => filled(one, event));
	if (typeof template !== 'object' || template === null) return template;
	return Object.fromEntries(
		Object.entries(template).map(([name, value]) => [name, filled(value, event)]),
	);
}
