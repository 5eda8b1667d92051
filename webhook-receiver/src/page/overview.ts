import { WATCHED_SOURCE } from '../contract.ts';
import type { DeliveryEvent } from '../contract.ts';
import type { Breaker } from '../deliver/breaker.ts';
import { oldestAgeMs, overdueMs } from '../metrics.ts';
import { DELIVERY_STATES } from '../store/store.ts';
import type { Activity, Backlog, Delivery, DeliveryState } from '../store/store.ts';
import type { WatchFigures } from '../store/watches.ts';
import { chart } from './chart.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { duration, form, page, table, time } from './parts.ts';

export interface Overview {
	now: number;
	backlog: Backlog[];
	/** Keys and targets of all subscriptions. */
	subscriptions: Array<{ key: string; url: string }>;
	breakers: ReadonlyMap<string, Breaker>;
	activity: Activity[];
	activityFrom: number;
	spanMs: number;
	spans: number;
	events: DeliveryEvent[];
	deliveries: Delivery[];
	state: DeliveryState | null;
	/** Null where no service is configured. */
	watching: WatchFigures | null;
	formToken: string;
}

/** The operator page: what waits, what failed, what happened, and how to send it again. */
export function overview(data: Overview): Html {
	return page(
		html`<header>
				<h1>Registered Delivery receiver</h1>
				${form('/page/logout', data.formToken, 'Log out')}
			</header>
			<main>
				${figures(data)} ${watchingOf(data)} ${activity(data)} ${targets(data)} ${deliveries(data)}
				${events(data)}
			</main>`,
	);
}

export function loginPage(fault: string | null): Html {
	return page(
		html`<header><h1>Registered Delivery receiver</h1></header>
			<main>
				<section>
					<h2>Log in</h2>
					<form class="login" method="post" action="/page/login">
						<label
							>Management token
							<input name="token" type="password" autocomplete="current-password" required />
						</label>
						${fault === null ? null : html`<p class="bad" role="alert">${fault}</p>`}
						<button>Log in</button>
					</form>
				</section>
			</main>`,
	);
}

function figures({ backlog, now }: Overview): Html {
	const sum = (count: (one: Backlog) => number) =>
		backlog.reduce((total, one) => total + count(one), 0);
	const dead = sum((one) => one.dead);
	return html`<div class="figures">
		<div><span>Waiting</span><b>${sum((one) => one.pending)}</b></div>
		<div><span>Oldest waiting</span><b>${duration(oldestAgeMs(backlog, now))}</b></div>
		<div><span>Dead letters</span><b class="${dead > 0 ? 'bad' : ''}">${dead}</b></div>
	</div>`;
}

function watchingOf({ watching, now }: Overview): Html | null {
	if (watching === null) return null;
	const { watched, nextPollAt, problem, problemAt, freeAt } = watching;
	const late = overdueMs(watching, now);
	const next =
		nextPollAt === null
			? 'none'
			: late > 0
				? `due since ${duration(late)}`
				: `in ${duration(nextPollAt - now)}`;
	const since = problemAt === null ? '' : time(new Date(problemAt).toISOString());
	const until = freeAt > now ? `; no poll before ${time(new Date(freeAt).toISOString())}` : '';
	return html`<section>
		<h2>Watching</h2>
		<div class="figures">
			<div><span>Letters watched</span><b>${watched}</b></div>
			<div><span>Next poll</span><b>${next}</b></div>
		</div>
		${problem === null
			? html`<p class="quiet">The delivery service answers.</p>`
			: html`<p class="bad">Since ${since} UTC: ${problem}${until}.</p>`}
	</section>`;
}

function activity({ activity, activityFrom, spanMs, spans }: Overview): Html {
	return html`<section>
		<h2>Last hours</h2>
		<div class="scroll" tabindex="0" role="region" aria-label="Last hours">
			${chart(activity, activityFrom, spanMs, spans)}
		</div>
		<p class="quiet">
			<span class="key events"></span>events <span class="key delivered"></span>delivered
			<span class="key dead"></span>dead
		</p>
	</section>`;
}

function targets({ backlog, subscriptions, breakers, formToken }: Overview): Html {
	const ended = backlog
		.filter(({ subscription }) => !subscriptions.some(({ key }) => key === subscription))
		.map(({ subscription }) => ({ key: subscription, url: '' }));
	const rows = [...subscriptions, ...ended].map(({ key, url }) => {
		const { pending = 0, dead = 0 } = backlog.find((one) => one.subscription === key) ?? {};
		const isDown = (breakers.get(key)?.openUntil ?? null) !== null;
		const health = isDown
			? html`<span class="bad">down</span>`
			: html`<span class="good">fine</span>`;
		const retry = `/page/deliveries/retry-dead?subscription=${encodeURIComponent(key)}`;
		return html`<tr>
			<td class="wide">${key}<br /><span class="quiet">${hostOf(url)}</span></td>
			<td>${url === '' ? html`<span class="quiet">ended</span>` : health}</td>
			<td>${pending}</td>
			<td>${dead}</td>
			<td>${dead > 0 && url !== '' ? form(retry, formToken, 'Send dead ones again') : null}</td>
		</tr>`;
	});
	return table('Subscriptions', ['Subscription', 'Target', 'Waiting', 'Dead', ''], rows);
}

function deliveries({ deliveries, state, formToken }: Overview): Html {
	const links = [null, ...DELIVERY_STATES].map((one) => {
		const href = one === null ? '/' : `/?state=${one}`;
		const label = one ?? 'all';
		return one === state
			? html`<a href="${href}" aria-current="page">${label}</a>`
			: html`<a href="${href}">${label}</a>`;
	});
	const rows = deliveries.map(
		(one) =>
			html`<tr>
				<td>${one.id}</td>
				<td class="wide">${one.subscription}</td>
				<td class="${one.state === 'dead' ? 'bad' : ''}">${one.state}</td>
				<td>${one.attempts}</td>
				<td class="wide">${one.lastResult ?? ''}</td>
				<td>${time(one.updatedAt)}</td>
				<td>
					${one.state === 'delivered'
						? null
						: form(`/page/deliveries/${one.id}/retry`, formToken, 'Send now')}
				</td>
			</tr>`,
	);
	const heads = ['No.', 'Subscription', 'State', 'Attempts', 'Last result', 'Changed (UTC)', ''];
	return table('Deliveries', heads, rows, html`<nav>${links}</nav>`);
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

/** Paths and queries of targets may carry secrets. */
function hostOf(url: string): string {
	return url === '' ? '' : new URL(url).origin;
}
