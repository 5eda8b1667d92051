import { messageIdSchema } from '../core/event-contract.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';

/** What an event is about: messages have a page, consents and customers have none. */
export function subjectLink(id: string): Html {
	return messageIdSchema.safeParse(id).success
		? html`<a href="/messages/${id}">${id}</a>`
		: html`${id}`;
}
