import { iso } from '../state/clock.ts';
import type { World } from '../world/world.ts';
import { versioned } from './card.ts';
import { feed, type View } from './feed.ts';
import { html, type Html } from '../html/html.ts';
import { layout } from './layout.ts';
import { readableTime } from '../html/readable.ts';

/** The mails page. */
export const mailsPage = (world: World, view: View): string =>
	layout(
		'/',
		'Mails',
		html`${clockBar(world)}
			<p>What recipients, customers and contacts got, and what they can do with it.</p>
			${searchForm(view)} ${list(world, view)}`,
	);

/** The part of the mails page that changes, for the script to swap in. */
export const mailsFragment = (world: World, view: View): string =>
	html`${clockBar(world)} ${list(world, view)}`.text;

const searchForm = ({ search }: View): Html =>
	html`<form action="/" role="search">
		<input
			type="search"
			name="q"
			value="${search}"
			maxlength="200"
			aria-label="Search mails"
			placeholder="Recipient, subject, message ID, file reference"
		/>
		<button>Search</button>
		${search === '' ? null : html`<a href="/">Show all</a>`}
	</form>`;

function list(world: World, view: View): Html {
	const { cards, next } = feed(world, view);
	return html`<div id="cards" data-follows="change">
			${cards.length > 0 ? cards : [empty(view)]}
		</div>
		<nav id="pages" aria-label="Parts of the list">
			${view.before === undefined ? null : pageLink(view, {}, 'Newest')}
			${next === null ? null : pageLink(view, { before: next }, 'Older')}
		</nav>`;
}

function pageLink({ search }: View, to: { before?: string }, name: string): Html {
	const query = new URLSearchParams({ ...(search === '' ? {} : { q: search }), ...to });
	return html`<a href="/?${String(query)}">${name}</a>`;
}

function empty({ search }: View): Html {
	if (search !== '') {
		return versioned(
			'none',
			html`<h2>Nothing found</h2>
				<p>No mail has “${search}” in its recipient, subject, IDs or references.</p>`,
		);
	}
	return versioned(
		'empty',
		html`<h2>No mail yet</h2>
			<p>Send a message to the service, and it appears here at once.</p>
			<p class="quiet">
				Recipients steer what happens: <code>open@</code>, <code>accept@</code>,
				<code>refuse@</code>, <code>bounce@</code>, <code>bounce-then-receive@</code>,
				<code>never@</code>, <code>fail@</code>; any other address receives.
			</p>`,
	);
}

const JUMPS = [
	['+1 hour', 3_600_000],
	['+1 day', 86_400_000],
	['+15 days', 15 * 86_400_000],
] as const;

function clockBar({ clock }: World): Html {
	const buttons = JUMPS.map(
		([name, ms]) =>
			html`<button
				type="button"
				data-post="/_sandbox/clock/advance"
				data-body="${JSON.stringify({ ms })}"
			>
				${name}
			</button>`,
	);
	return html`<section id="clock" aria-label="Time">
		<p>
			It is
			<time datetime="${iso(clock.now())}" ${clock.isFrozen ? html`data-frozen` : null}
				>${readableTime(clock.now())}</time
			>
			here. ${buttons}
		</p>
		<p class="quiet">
			Move it on, and everything due by then happens at once. A receiver that runs with
			<code>CLOCK=service</code> goes along; without a receiver, n8n waits in real time.
		</p>
	</section>`;
}
