// The first view: what needs a person, who gets what, what waits.
import { nothing, svg } from './lit-html.js';
import { allConsumers, get, now } from './api.js';
import { lettersTable } from './letters.js';
import { eventsTable, alerts } from './lists.js';
import * as parts from './parts.js';
import { html } from './parts.js';
import { inOrder, workflowsSection } from './workflows.js';

/** @typedef {import('./main.js').Frame} Frame */
/** @typedef {{ at: number, events: number, done: number, dead: number }} Span */

/** Workflows; those with problems come first. */
const FEW = 12;
/** Letters and events, the newest. */
const FEW_NEWEST = 10;
const HOURS = 24;

/** @param {Frame} frame */
export async function overview(frame) {
	const allLetters = html`<p><a href="#/letters">All letters</a></p>`;
	const [consumers, attention, letters, activity, events, service] = await Promise.all([
		allConsumers(),
		get('attention'),
		lettersTable(frame, FEW_NEWEST, () => allLetters),
		get('activity', { hours: HOURS }),
		get('events', { limit: FEW_NEWEST }),
		get('watches/service'),
	]);
	const content = html`${attention.data.length === 0
		? nothing
		: parts.section('Needs attention', alerts(attention.data))}
	${letters} ${totals(consumers, attention.deadWakeUps)}
	${workflowsSection(inOrder(consumers).slice(0, FEW), frame, consumers.length)}
	${service === null ? nothing : watching(service, frame)} ${lastHours(activity)}
	${eventsTable(
		'Latest events',
		events.data,
		frame,
		html`<p><a href="#/events">All events</a></p>`,
	)}`;
	return { title: null, content };
}

/**
 * @param {import('../src/core/pull-contract.ts').ConsumerView[]} consumers
 * @param {number} deadWakeUps
 */
function totals(consumers, deadWakeUps) {
	/** @param {(one: typeof consumers[0]) => number} count */
	const sum = (count) => consumers.reduce((total, one) => total + count(one), 0);
	// A wake-up is a batch, of no workflow that listens.
	const dead = sum((one) => one.dead) + deadWakeUps;
	// Not for those that are away: their own rows say since when.
	const waiting = consumers.flatMap(({ held, oldestAt }) => (held && oldestAt) || []).sort();
	return parts.figures([
		['Listening', `${sum(({ held }) => Number(held))} of ${consumers.length}`],
		['In hand', sum((one) => one.inHand)],
		['Oldest waiting', waiting[0] === undefined ? 'none' : parts.since(waiting[0])],
		['Dead batches', dead, dead > 0],
	]);
}

/** Only lists that a workflow wants are there. */
const LIST_NAMES = { consents: 'Consents read', customers: 'Customers read' };

/** @param {import('../src/watch/route.ts').ServiceView} service @param {Frame} frame */
function watching({ watched, nextPollAt, noPollBefore, problem, problemSince, lists }, frame) {
	const inMs = nextPollAt === null ? 0 : Date.parse(nextPollAt) - now();
	const next = inMs < 0 ? `due since ${parts.duration(-inMs)}` : `in ${parts.duration(inMs)}`;
	const isHeld = Date.parse(noPollBefore) > now();
	const until = isHeld ? `; no poll before ${parts.time(noPollBefore)}` : '';
	return parts.section(
		'Watching',
		html`${parts.figures([
			['Letters watched', watched],
			['Next poll', nextPollAt === null ? 'none' : next],
			...lists.map(
				({ name, readAt }) =>
					/** @type {[string, string]} */ ([
						LIST_NAMES[name],
						readAt === null ? 'not read yet' : `${parts.since(readAt)} ago`,
					]),
			),
		])}
		${lists.map(({ name, problem: why }) =>
			why === null ? nothing : parts.quiet(`${LIST_NAMES[name]}: ${why}.`),
		)}
		${problem === null
			? parts.quiet('The delivery service answers.')
			: html`<p class="bad">Since ${parts.time(problemSince)} UTC: ${problem}${until}.</p>
					${parts.button(
						'Ask again now',
						frame.act('POST', 'watches/retry', () => 'The delivery service is asked again.'),
					)}`}`,
	);
}

const WIDTH = 960;
const HEIGHT = 180;
const FLOOR = HEIGHT - 24;
const TOP = 16;

/** Bars for each half hour. @param {{ data: Span[], spanMs: number }} activity */
function lastHours({ data, spanMs }) {
	const byTime = new Map(data.map((one) => [one.at, one]));
	const count = (HOURS * 3_600_000) / spanMs;
	const last = Math.floor(now() / spanMs) * spanMs;
	const all = Array.from({ length: count + 1 }, (_, index) => {
		const at = last - (count - index) * spanMs;
		return byTime.get(at) ?? { at, events: 0, done: 0, dead: 0 };
	});
	const most = Math.max(1, ...all.map((one) => Math.max(one.events, one.done, one.dead)));
	const step = WIDTH / all.length;
	/** @param {number} x @param {number} value @param {string} kind */
	const bar = (x, value, kind) => {
		const height = value === 0 ? 0 : Math.max(2, ((FLOOR - TOP) * value) / most);
		return svg`<rect class=${kind} x=${x.toFixed(1)} y=${(FLOOR - height).toFixed(1)}
			width=${(step / 4).toFixed(1)} height=${height.toFixed(1)}></rect>`;
	};
	const bars = all.map(
		(one, index) => svg`<g>
			<title>${label(one.at)}: ${one.events} events, ${one.done} done, ${one.dead} dead</title>
			${bar(index * step, one.events, 'events')} ${bar((index + 0.25) * step, one.done, 'done')}
			${bar((index + 0.5) * step, one.dead, 'dead')}
		</g>`,
	);
	const hours = all.flatMap(({ at }, index) =>
		index % 6 === 0 && index < count
			? [svg`<text x=${(index * step).toFixed(1)} y=${HEIGHT - 6}>${label(at)}</text>`]
			: [],
	);
	const drawn = html`<svg
		viewBox="0 0 960 180"
		role="img"
		aria-label="Events and batches of the last hours"
	>
		${svg`<line x1="0" y1=${FLOOR} x2=${WIDTH} y2=${FLOOR}></line><text x="0" y="12">${most}</text>`}
		${bars} ${hours}
	</svg>`;
	return parts.section(
		'Last hours',
		html`${parts.scrollable('Last hours', drawn)}
			<p class="quiet">
				<span class="key events"></span>events <span class="key done"></span>batches done
				<span class="key dead"></span>dead
			</p>`,
	);
}

/** @param {number} at */
const label = (at) => `${new Date(at).toISOString().slice(11, 16)} UTC`;
