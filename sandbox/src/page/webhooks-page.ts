import { notFound } from '../http/errors.ts';
import { isAttempt } from '../journal/filters.ts';
import { pageOf } from '../journal/page-of.ts';
import type { WebhookAttempt } from '../webhooks/attempt.ts';
import type { World } from '../world/world.ts';
import { action } from './card.ts';
import { half, messageLinks, outcome, row } from './exchange.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { emptyList, filterForm, pages, type Query } from './entry-list.ts';
import { readableTime } from './readable.ts';

const SHOWN = 100;
const PATH = '/webhooks';

/** What was sent to webhook endpoints. */
export const webhooksPage = (world: World, query: Query): string =>
	layout(
		'Webhooks',
		'webhooks',
		html`<div class="head">
				<div>
					<h1>Webhooks</h1>
					<p class="quiet">${endpointsNote(world)}</p>
				</div>
			</div>
			${filterForm(
				PATH,
				[
					{ name: 'text', label: 'Text' },
					{ name: 'messageId', label: 'Message' },
					{ name: 'event', label: 'Event' },
					{ name: 'status', label: 'Status' },
				],
				query,
			)}
			${attemptList(world, query)}`,
	);

function endpointsNote({ webhooks }: World): string {
	const urls = webhooks.endpoints.map(({ url }) => url);
	return urls.length === 0
		? 'Events go nowhere: start with --webhook, or say where by PUT /_sandbox/webhooks.'
		: `Events go to ${urls.join(', ')}.`;
}

/** The part of the page that changes. */
export const webhooksFragment = (world: World, query: Query): string =>
	attemptList(world, query).text;

function attemptList({ webhooks: { attempts } }: World, query: Query): Html {
	const from = query.before === undefined ? {} : { before: Number(query.before) - attempts.first };
	const page = pageOf(attempts.all(), isAttempt(query), { limit: SHOWN, ...from });
	const next = page.hasOlder ? String(page.found.at(-1)?.id) : null;
	const cards =
		page.found.length > 0 ? page.found.map(attemptRow) : [nothing(attempts.all().length > 0)];
	return html`<div id="cards" data-follows="webhook">${cards}</div>
		${pages({ path: PATH, query, total: page.total, names: ['attempt', 'attempts'], next })}`;
}

const nothing = (hasOthers: boolean): Html =>
	hasOthers
		? emptyList('No such webhook', html`None of those that were sent is like that.`)
		: emptyList('No webhook yet', html`Tracked mail has events; each appears here as it is sent.`);

const attemptRow = (attempt: WebhookAttempt): Html =>
	row(
		String(attempt.id),
		html`<a href="${PATH}/${attempt.id}">${eventNames(attempt)}</a>`,
		html`${attempt.url}, ${tryOf(attempt)}, ${readableTime(Date.parse(attempt.at))}`,
		html`${outcome(attempt.status)} ${resend(attempt)}`,
	);

const tryOf = ({ attempt, resendOf }: WebhookAttempt): string =>
	resendOf === null ? `try ${attempt}` : `resend of ${resendOf}`;

const resend = ({ id }: WebhookAttempt): Html =>
	action(`/webhook-attempts/${id}/resend`, 'Send again', 'small');

function eventNames({ events }: WebhookAttempt): string {
	const [first] = events;
	return events.length > 1 ? `${events.length} events` : (first?.event ?? 'No event');
}

/** One attempt, with what was sent and answered. */
export function webhookPage({ webhooks }: World, id: string): string {
	const attempt = webhooks.attempts.get(Number(id));
	if (!attempt) throw notFound('This webhook is not kept, or no longer');
	const { url, events, error, headers, body, answer } = attempt;
	return layout(
		eventNames(attempt),
		'webhooks',
		html`<div class="head">
				<div>
					<p><a href="${PATH}">All webhooks</a></p>
					<h1>${eventNames(attempt)}</h1>
					<p class="quiet">
						${readableTime(Date.parse(attempt.at))}, ${attempt.duration} ms, ${tryOf(attempt)}
					</p>
				</div>
				<div class="buttons">${outcome(attempt.status)} ${resend(attempt)}</div>
			</div>
			<section class="card" aria-label="Webhook">
				<dl class="plain">
					<dt>Address</dt>
					<dd>${url}</dd>
					<dt>Events</dt>
					<dd>${events.map((event) => html`${event.event} <code>${event.id}</code> `)}</dd>
					<dt>Messages</dt>
					<dd>${messageLinks([...new Set(events.map(({ messageId }) => messageId))])}</dd>
					${error === null
						? null
						: html`<dt>Error</dt>
								<dd>${error}</dd>`}
				</dl>
			</section>
			${half('Sent', headers, body)}
			${answer ? half('Answered', answer.headers, answer.body) : null}`,
	);
}
