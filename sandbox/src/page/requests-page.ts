import { notFound } from '../http/errors.ts';
import { isRequest } from '../journal/filters.ts';
import { pageOf } from '../journal/page-of.ts';
import type { RequestEntry } from '../journal/request-entry.ts';
import type { World } from '../world/world.ts';
import { half, messageLinks, outcome, row } from './exchange.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { emptyList, filterForm, pages, type Query } from './entry-list.ts';
import { readableTime } from './readable.ts';

const SHOWN = 100;
const PATH = '/requests';

/** The journal of requests to the service. */
export const requestsPage = (world: World, query: Query): string =>
	layout(
		'Requests',
		'requests',
		html`<div class="head">
				<div>
					<h1>Requests</h1>
					<p class="quiet">
						What clients asked the service, and how it answered. Secrets are masked.
					</p>
				</div>
			</div>
			${filterForm(
				PATH,
				[
					{ name: 'text', label: 'Text' },
					{ name: 'path', label: 'Path' },
					{ name: 'method', label: 'Method', options: ['GET', 'POST', 'PUT', 'DELETE'] },
					{ name: 'status', label: 'Status' },
					{
						name: 'account',
						label: 'Account',
						options: [...world.store.accounts.values()].map(({ name }) => name),
					},
				],
				query,
			)}
			${requestList(world, query)}`,
	);

/** The part of the page that changes. */
export const requestsFragment = (world: World, query: Query): string =>
	requestList(world, query).text;

function requestList({ requests }: World, query: Query): Html {
	const from = query.before === undefined ? {} : { before: Number(query.before) - requests.first };
	const page = pageOf(requests.all(), isRequest(query), { limit: SHOWN, ...from });
	const next = page.hasOlder ? String(page.found.at(-1)?.id) : null;
	const cards =
		page.found.length > 0 ? page.found.map(requestRow) : [nothing(requests.all().length > 0)];
	return html`<div id="cards" data-follows="request">${cards}</div>
		${pages({ path: PATH, query, total: page.total, names: ['request', 'requests'], next })}`;
}

const nothing = (hasOthers: boolean): Html =>
	hasOthers
		? emptyList('No such request', html`None of the journal’s requests is like that.`)
		: emptyList('No request yet', html`Ask the service something, and it appears here at once.`);

const requestRow = (entry: RequestEntry): Html =>
	row(
		String(entry.id),
		html`<a href="${PATH}/${entry.id}">${entry.method} <code>${entry.path}</code></a>`,
		html`${entry.account ?? `token ${entry.token}`}, ${readableTime(Date.parse(entry.at))},
		${entry.duration} ms${faultNote(entry)}`,
		outcome(entry.status),
	);

const faultNote = ({ fault, answered }: RequestEntry): string =>
	(fault === null ? '' : `, fault ${fault}`) + (answered ? '' : ', not answered');

/** One request with all its details. */
export function requestPage({ requests }: World, id: string): string {
	const entry = requests.get(Number(id));
	if (!entry) throw notFound('The journal has no such request, or no longer');
	return layout(
		`${entry.method} ${entry.path}`,
		'requests',
		html`<div class="head">
				<div>
					<p><a href="${PATH}">All requests</a></p>
					<h1>${entry.method} <code>${entry.path}</code></h1>
					<p class="quiet">
						${readableTime(Date.parse(entry.at))}, ${entry.duration} ms${faultNote(entry)}
					</p>
				</div>
				${outcome(entry.status)}
			</div>
			<section class="card" aria-label="Request">
				<dl class="plain">
					<dt>Address</dt>
					<dd>${entry.url}</dd>
					<dt>Account</dt>
					<dd>
						${entry.account ?? 'none'}, token ${entry.token},
						${entry.clientCertificate ? 'with' : 'without'} a client certificate
					</dd>
					${entry.messageIds.length === 0
						? null
						: html`<dt>Messages</dt>
								<dd>${messageLinks(entry.messageIds)}</dd>`}
				</dl>
			</section>
			${half('Asked', entry.headers, entry.body)}
			${half('Answered', entry.answer.headers, entry.answer.body)}`,
	);
}
