import { iso } from '../world/clock.ts';
import type { World } from '../world/world.ts';
import { feed } from './feed.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { readableTime } from './readable.ts';

/** The mails page. */
export const mailsPage = (world: World): string =>
	layout(
		'Mails',
		'mails',
		html`<div class="head">
				<div>
					<h1>Mails</h1>
					<p class="quiet">
						What recipients, customers and contacts got, and what they can do with it.
					</p>
				</div>
				${clockBar(world)}
			</div>
			<div id="cards" data-follows="change">${cards(world)}</div>`,
	);

/** The part of the mails page that changes, for the script to swap in. */
export const mailsFragment = (world: World): string =>
	html`${clockBar(world)}
		<div id="cards">${cards(world)}</div>`.text;

function cards(world: World): Html {
	const all = feed(world);
	if (all.length > 0) return html`${all}`;
	return html`<div class="empty" data-key="empty" data-version="1">
		<img src="/icon.svg" alt="" width="56" height="56" />
		<h2>No mail yet</h2>
		<p>Send a message to the service, and it appears here at once.</p>
		<p class="quiet">
			Recipients steer what happens: <code>open@</code>, <code>accept@</code>, <code>refuse@</code>,
			<code>bounce@</code>, <code>bounce-then-receive@</code>, <code>never@</code>,
			<code>fail@</code>; any other address receives.
		</p>
	</div>`;
}

const JUMPS = [
	['15 min', 900_000],
	['1 day', 86_400_000],
	['15 days', 15 * 86_400_000],
	['60 days', 60 * 86_400_000],
] as const;

function clockBar({ clock }: World): Html {
	const buttons = JUMPS.map(
		([name, ms]) =>
			html`<button
				type="button"
				class="small"
				data-post="/_sandbox/clock/advance"
				data-body="${JSON.stringify({ ms })}"
			>
				+ ${name}
			</button>`,
	);
	return html`<div class="clock" id="clock">
		<p>
			<span class="quiet">Service time</span>
			<time datetime="${iso(clock.now())}">${readableTime(clock.now())}</time>
		</p>
		<div class="buttons" aria-label="Advance the clock">${buttons}</div>
	</div>`;
}
