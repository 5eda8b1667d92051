import { WATCHED_SOURCE } from '../core/event-contract.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import type { StoredConsumer } from '../core/pull-contract.ts';
import { oldestWaitingMs, overdueMs } from '../operation/delays.ts';
import { BATCH_STATES } from '../pull/consumer-store.ts';
import type { BatchRecord, BatchState } from '../pull/consumer-store.ts';
import type { Activity } from '../store/store.ts';
import type { WatchFigures } from '../watch/watch-store.ts';
import { chart } from './chart.ts';
import { consumersTable } from './consumers.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { duration, figures, form, page, scrollable, section, table, time } from './parts.ts';

export interface Overview {
	now: number;
	consumers: StoredConsumer[];
	activity: Activity[];
	activityFrom: number;
	spanMs: number;
	spans: number;
	events: DeliveryEvent[];
	batches: BatchRecord[];
	state: BatchState | null;
	/** Null where no service is configured. */
	watching: WatchFigures | null;
	formToken: string;
}

/** The operator page: who gets what, what waits, what failed, and how to hand it out again. */
export function overview(data: Overview): Html {
	return page(
		html`<header>
				<h1>Registered Delivery receiver</h1>
				${form('/page/logout', data.formToken, 'Log out')}
			</header>
			<main>
				${totals(data)} ${watchingOf(data)} ${activity(data)}
				${consumersTable(data.consumers, data.formToken)} ${batches(data)} ${events(data)}
			</main>`,
	);
}

export function loginPage(fault: string | null): Html {
	return page(
		html`<header><h1>Registered Delivery receiver</h1></header>
			<main>
				${section(
					'Log in',
					html`<form class="login" method="post" action="/page/login">
						<label
							>Management token
							<input name="token" type="password" autocomplete="current-password" required />
						</label>
						${fault && html`<p class="bad" role="alert">${fault}</p>`}
						<button>Log in</button>
					</form>`,
				)}
			</main>`,
	);
}

function totals({ consumers, now }: Overview): Html {
	const sum = (count: (one: StoredConsumer) => number) =>
		consumers.reduce((total, one) => total + count(one), 0);
	const dead = sum((one) => one.dead);
	return figures([
		['In hand', sum((one) => one.inHand)],
		['Oldest waiting', duration(oldestWaitingMs(consumers, now))],
		['Dead batches', dead, dead > 0],
	]);
}

function watchingOf({ watching, now }: Overview): Html | null {
	if (watching === null) return null;
	const { watched, problem, problemAt, freeAt } = watching;
	const since = problemAt === null ? '' : time(new Date(problemAt).toISOString());
	const until = freeAt > now ? `; no poll before ${time(new Date(freeAt).toISOString())}` : '';
	return section(
		'Watching',
		html`${figures([
			['Letters watched', watched],
			['Next poll', nextPoll(watching, now)],
		])}
		${problem === null
			? html`<p class="quiet">The delivery service answers.</p>`
			: html`<p class="bad">Since ${since} UTC: ${problem}${until}.</p>`}`,
	);
}

function nextPoll(watching: WatchFigures, now: number): string {
	if (watching.nextPollAt === null) return 'none';
	const late = overdueMs(watching, now);
	return late > 0 ? `due since ${duration(late)}` : `in ${duration(watching.nextPollAt - now)}`;
}

function activity({ activity, activityFrom, spanMs, spans }: Overview): Html {
	return section(
		'Last hours',
		html`${scrollable('Last hours', chart(activity, activityFrom, spanMs, spans))}
			<p class="quiet">
				<span class="key events"></span>events <span class="key done"></span>batches done
				<span class="key dead"></span>dead
			</p>`,
	);
}

function batches({ batches, state, formToken }: Overview): Html {
	const links = [null, ...BATCH_STATES].map((one) => {
		const href = one === null ? '/' : `/?state=${one}`;
		const current = one === state ? 'page' : 'false';
		return html`<a href="${href}" aria-current="${current}">${one ?? 'all'}</a>`;
	});
	const rows = batches.map((one) => {
		const retry = `/page/deliveries/${encodeURIComponent(one.id)}/retry`;
		const isSettled = one.state === 'done' || one.state === 'dead';
		return html`<tr>
			<td>${one.number}</td>
			<td class="wide">${one.consumer}</td>
			<td>${eventsOf(one)}</td>
			<td class="${one.state === 'dead' ? 'bad' : ''}">${one.state}</td>
			<td>${one.attempts}</td>
			<td class="wide">${one.reason ?? ''}</td>
			<td>${time(one.updatedAt)}</td>
			<td>${isSettled ? form(retry, formToken, 'Hand out again') : null}</td>
		</tr>`;
	});
	const heads = ['No.', 'Consumer', 'Events', 'State', 'Attempts', 'n8n said', 'Changed (UTC)', ''];
	return table('Batches', heads, rows, html`<nav>${links}</nav>`);
}

/** Numbers of the events, as the list of events has them. */
function eventsOf({ events }: BatchRecord): string {
	const shown = events.slice(0, 3).join(', ');
	return events.length > 3 ? `${shown} and ${events.length - 3} more` : shown;
}

function events({ events, formToken }: Overview): Html {
	const rows = events.map(
		(one) =>
			html`<tr>
				<td>${one.sequence}</td>
				<td>${one.type}</td>
				<td>${one.messageId && html`<a href="/messages/${one.messageId}">${one.messageId}</a>`}</td>
				<td class="wide">
					${one.sourceType === WATCHED_SOURCE ? 'seen by watching' : (one.sourceType ?? '')}
				</td>
				<td>${time(one.receivedAt)}</td>
				<td>${form(`/page/events/${encodeURIComponent(one.id)}/replay`, formToken, 'Replay')}</td>
			</tr>`,
	);
	return table(
		'Events',
		['No.', 'Type', 'Message', 'As named by the service', 'Received (UTC)', ''],
		rows,
	);
}
