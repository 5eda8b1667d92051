import type { DeliveryEvent } from '../core/event-contract.ts';
import type { StoredConsumer } from '../core/pull-contract.ts';
import type { TroubleRecord } from '../attention/attention-store.ts';
import { oldestWaitingMs, overdueMs } from '../operation/delays.ts';
import type { Activity } from '../store/store.ts';
import type { WatchFigures } from '../watch/watch-store.ts';
import { attentionSection } from './attention.ts';
import { chart } from './chart.ts';
import { eventsTable } from './events.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { duration, figures, form, framed, page, scrollable, section, time } from './parts.ts';
import type { Frame } from './parts.ts';
import { inOrder, workflowsSection } from './workflows.ts';

export interface Overview {
	consumers: StoredConsumer[];
	troubles: TroubleRecord[];
	activity: Activity[];
	activityFrom: number;
	spanMs: number;
	spans: number;
	events: DeliveryEvent[];
	/** Null where no service is configured. */
	watching: WatchFigures | null;
}

/** Workflows on the first page; those with problems come first. */
const FEW = 12;

/** The operator page: what needs attention, who gets what, what waits. */
export function overview(data: Overview, frame: Frame): Html {
	const { consumers, troubles, events } = data;
	const more = html`<p><a href="/page/events">All events</a></p>`;
	return framed(
		null,
		frame,
		html`${attentionSection(troubles)} ${totals(data, frame)}
		${workflowsSection(inOrder(consumers).slice(0, FEW), frame, consumers.length)}
		${watchingOf(data, frame)} ${activity(data)}
		${eventsTable('Latest events', events, frame, more)}`,
	);
}

/** All workflows, those with problems first. */
export function workflowsPage(consumers: readonly StoredConsumer[], frame: Frame): Html {
	return framed('Workflows', frame, workflowsSection(inOrder(consumers), frame, consumers.length));
}

export function loginPage(fault: string | null): Html {
	return page(
		null,
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

function totals({ consumers }: Overview, { now }: Frame): Html {
	const sum = (count: (one: StoredConsumer) => number) =>
		consumers.reduce((total, one) => total + count(one), 0);
	const dead = sum((one) => one.dead);
	return figures([
		['Listening', `${sum(({ held }) => Number(held))} of ${consumers.length}`],
		['In hand', sum((one) => one.inHand)],
		['Oldest waiting', duration(oldestWaitingMs(consumers, now))],
		['Dead deliveries', dead, dead > 0],
	]);
}

function watchingOf({ watching }: Overview, frame: Frame): Html | null {
	if (watching === null) return null;
	const { now } = frame;
	const { watched, problem, problemAt, freeAt } = watching;
	const since = problemAt === null ? '' : time(new Date(problemAt).toISOString());
	const until = freeAt > now ? `; no poll before ${time(new Date(freeAt).toISOString())}` : '';
	return section(
		'Watching',
		html`${figures([
			['Letters watched', watched],
			['Next poll', nextPoll(watching, now)],
			...watching.lists.map(({ name, readAt }): [string, string] => {
				return [
					LIST_NAMES[name],
					readAt === null ? 'not read yet' : `${duration(Math.max(now - readAt, 0))} ago`,
				];
			}),
		])}
		${watching.lists.map(
			({ name, problem: why }) => why && html`<p class="quiet">${LIST_NAMES[name]}: ${why}.</p>`,
		)}
		${problem === null
			? html`<p class="quiet">The delivery service answers.</p>`
			: html`<p class="bad">Since ${since} UTC: ${problem}${until}.</p>
					${form('/page/watches/retry', frame, 'Ask again now')}`}`,
	);
}

/** Only lists that a workflow wants are shown. */
const LIST_NAMES = { consents: 'Consents read', customers: 'Customers read' };

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
				<span class="key events"></span>events <span class="key done"></span>deliveries done
				<span class="key dead"></span>dead
			</p>`,
	);
}
