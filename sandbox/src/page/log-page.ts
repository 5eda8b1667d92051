import { notFound } from '../http/errors.ts';
import { isAttempt, isRequest } from '../journal/filters.ts';
import { pageOf } from '../journal/page-of.ts';
import type { RequestEntry, WebhookAttempt } from '../journal/entries.ts';
import type { World } from '../world/world.ts';
import { action, versioned } from './card.ts';
import { half } from './exchange.ts';
import { html, type Html } from '../html/html.ts';
import { layout } from './layout.ts';
import { readableTime } from '../html/readable.ts';

const SHOWN = 100;

/** A page's query parameters, without empty ones. */
type Query = Partial<Record<string, string>>;

type Entry = RequestEntry | WebhookAttempt;

const isWebhook = (entry: Entry): entry is WebhookAttempt => 'events' in entry;

/** Requests to the service and webhooks, in the order in which they ended. */
export const logPage = (world: World, query: Query): string =>
	layout(
		'/log',
		'Log',
		html`<p>
				What clients asked the service, and what it sent to webhooks, with the answers. Secrets are
				masked. ${endpointsNote(world)}
			</p>
			${filterForm(query)} ${entryList(world, query)}`,
	);

/** The part of the page that changes. */
export const logFragment = (world: World, query: Query): string => entryList(world, query).text;

function endpointsNote({ webhooks }: World): string {
	const urls = webhooks.endpoints.map(({ url }) => url);
	return urls.length === 0
		? 'Events go nowhere: start with --webhook, or say where by PUT /_sandbox/webhooks.'
		: `Events go to ${urls.join(', ')}.`;
}

const KINDS = ['requests', 'webhooks'];
const FIELDS = { text: 'Text', messageId: 'Message', status: 'Status' };

/** What it filters by stands in the page's address. */
const filterForm = (query: Query): Html =>
	html`<form role="search" action="/log">
		<div class="fields">
			<label
				>Kind
				<select name="kind">
					<option value="">Any</option>
					${KINDS.map(
						(kind) => html`<option ${kind === query.kind ? html`selected` : null}>${kind}</option>`,
					)}
				</select></label
			>
			${Object.entries(FIELDS).map(
				([name, label]) =>
					html`<label
						>${label}
						<input name="${name}" value="${query[name] ?? ''}" type="search" autocomplete="off"
					/></label>`,
			)}
		</div>
		<button>Filter</button>
		${Object.keys(query).length > 0 ? html`<a href="/log">Show all</a>` : null}
	</form>`;

function entryList({ requests, webhooks }: World, query: Query): Html {
	const { kind, before, ...filter } = query;
	const all = [...requests.all(), ...webhooks.attempts.all()].sort((a, b) => a.id - b.id);
	const matches = (entry: Entry) =>
		isWebhook(entry)
			? kind !== 'requests' && isAttempt(filter)(entry)
			: kind !== 'webhooks' && isRequest(filter)(entry);
	const { total, found, next } = pageOf<Entry>(all, matches, { limit: SHOWN, before });
	const link = (to: Query, name: string) => {
		const address = new URLSearchParams({ ...query, ...to } as Record<string, string>);
		if (!to.before) address.delete('before');
		return html`<a href="/log?${address.toString()}">${name}</a>`;
	};
	return html`<div id="cards" data-follows="request webhook">
			${found.length > 0 ? found.map(row) : [nothing(all.length > 0)]}
		</div>
		<nav id="pages" aria-label="Parts of the log">
			<span class="quiet">${total.toLocaleString('en')} ${total === 1 ? 'entry' : 'entries'}</span>
			${before === undefined ? null : link({}, 'Newest')}
			${next === null ? null : link({ before: next }, 'Older')}
		</nav>`;
}

function nothing(hasOthers: boolean): Html {
	const [title, text] = hasOthers
		? ['Nothing found', 'Nothing in the log is like that.']
		: ['Nothing yet', 'Ask the service something, and it appears here at once.'];
	return versioned(
		'empty',
		html`<h2>${title}</h2>
			<p>${text}</p>`,
	);
}

function row(entry: Entry): Html {
	const { title, note, outcome } = shown(entry);
	return versioned(
		String(entry.id),
		html`<h2><a href="/log/${entry.id}">${title}</a></h2>
			<p class="quiet">${note}</p>
			<p class="outcome">${outcome}</p>`,
		'row',
	);
}

/** One entry, with what was sent and answered. */
export function entryPage({ requests, webhooks }: World, id: string): string {
	const entry = requests.get(Number(id)) ?? webhooks.attempts.get(Number(id));
	if (!entry) throw notFound('The log does not have this entry, or no longer has it');
	const { name, title, note, outcome, facts } = shown(entry);
	return layout(
		'/log',
		name,
		html`<p class="quiet">${note}</p>
			<p>${outcome}</p>
			<section aria-label="${isWebhook(entry) ? 'Webhook' : 'Request'}">
				<dl>
					${Object.entries(facts).map(
						([name, value]) =>
							html`<dt>${name}</dt>
								<dd>${value}</dd>`,
					)}
				</dl>
			</section>
			${half('Sent', entry)} ${entry.answer ? half('Answered', entry.answer) : null}`,
		title,
	);
}

/** What row and page say of it. */
function shown(entry: Entry): {
	name: string;
	title: Html;
	note: Html;
	outcome: Html;
	facts: Record<string, string | Html>;
} {
	const when = `${readableTime(Date.parse(entry.at))}, ${entry.duration} ms`;
	if (isWebhook(entry)) {
		const { id, url, events, attempt, resendOf, error, status } = entry;
		const name = events.length > 1 ? `${events.length} events` : (events[0]?.event ?? 'No event');
		const tried = resendOf === null ? `try ${attempt}` : `resend of ${resendOf}`;
		const again = action(`/webhook-attempts/${id}/resend`, 'Send again');
		return {
			name,
			title: html`<bdi>${name}</bdi>`,
			note: html`<bdi>${url}</bdi>, ${tried}, ${when}`,
			outcome: html`${outcomeOf(status)} ${again}`,
			facts: {
				Address: url,
				Events: html`${events.map(({ event, id }) => html`<bdi>${event}</bdi> <code>${id}</code> `)}`,
				Messages: html`${[...new Set(events.map(({ messageId }) => messageId))].map(messageLink)}`,
				...(error === null ? {} : { Error: error }),
			},
		};
	}
	const { method, path, url, account, token, clientCertificate, status } = entry;
	const fault = entry.fault === null ? '' : `, fault ${entry.fault}`;
	const from = html`<bdi>${account ?? `token ${token}`}</bdi>`;
	return {
		name: `${method} ${path}`,
		title: html`${method} <code><bdi>${path}</bdi></code>`,
		note: html`${from}, ${when}${fault}${entry.answered ? '' : ', not answered'}`,
		outcome: outcomeOf(status),
		facts: {
			Address: url,
			Account: html`<bdi>${account ?? 'none'}</bdi>, token ${token},
				${clientCertificate ? 'with' : 'without'} a client certificate`,
		},
	};
}

/** A status code, its colour showing success or failure; `none` without a response. */
function outcomeOf(status: number | null): Html {
	const kind = status === null || status >= 400 ? 'bad' : 'good';
	return html`<span class="status ${kind}">${status ?? 'none'}</span>`;
}

const messageLink = (id: string): Html => html`<a href="/?q=${id}">${id}</a> `;
