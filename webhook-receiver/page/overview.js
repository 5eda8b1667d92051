// The first view: what needs a person, the letters, who gets what, what waits.
import { nothing } from './lit-html.js';
import { allConsumers, get, now } from './api.js';
import { lettersTable } from './letters.js';
import { alerts, eventsTable } from './lists.js';
import * as parts from './parts.js';
import { html } from './parts.js';
import { workflowsSection } from './workflows.js';

/** @typedef {import('./main.js').Frame} Frame */

/** Workflows; those with problems come first. */
const FEW = 12;
/** Letters and events, the newest. */
const FEW_NEWEST = 10;

/** @param {Frame} frame */
export async function overview(frame) {
	const allLetters = html`<p><a href="#/letters">All letters</a></p>`;
	const allEvents = html`<p><a href="#/events">All events</a></p>`;
	const [{ data, deadWakeUps }, letters, consumers, service, events] = await Promise.all([
		frame.attention,
		lettersTable(frame, FEW_NEWEST, () => allLetters),
		allConsumers(),
		get('watches/service'),
		get('events', { limit: FEW_NEWEST }),
	]);
	const content = html`${data.length === 0
		? nothing
		: parts.section('Needs attention', alerts(data, ''))}
	${letters} ${workflowsSection(consumers, frame, FEW, totals(consumers, deadWakeUps))}
	${service === null ? nothing : watching(service, frame)}
	${eventsTable('Latest events', events.data, frame, allEvents)}`;
	return { title: null, content };
}

/** @param {import('../src/core/pull-contract.ts').ConsumerView[]} consumers @param {number} deadWakeUps */
function totals(consumers, deadWakeUps) {
	/** @param {(one: typeof consumers[0]) => number} count */
	const sum = (count) => consumers.reduce((total, one) => total + count(one), 0);
	// A wake-up is a batch, of no workflow that listens.
	const dead = sum((one) => one.dead) + deadWakeUps;
	// Not for those that are away: their own cards say since when.
	const waiting = consumers.flatMap(({ held, oldestAt }) => (held && oldestAt) || []).sort();
	return parts.facts([
		['Listening', `${sum(({ held }) => Number(held))} of ${consumers.length}`],
		['In hand', sum((one) => one.inHand)],
		['Oldest waiting', waiting[0] === undefined ? 'none' : parts.since(waiting[0])],
		['Dead batches', html`<span class=${dead > 0 ? 'bad' : ''}>${dead}</span>`],
	]);
}

/** Only lists that a workflow wants are there. */
const LIST_NAMES = { consents: 'Consents read', customers: 'Customers read' };

/** @param {import('../src/capabilities/watching/route.ts').ServiceView} service @param {Frame} frame */
function watching(service, frame) {
	const { watched, nextPollAt, noPollBefore, problem, problemSince, answeredAt, lists } = service;
	const inMs = nextPollAt === null ? 0 : Date.parse(nextPollAt) - now();
	const next = inMs < 0 ? `due since ${parts.duration(-inMs)}` : `in ${parts.duration(inMs)}`;
	const until = noPollBefore === null ? '' : `; no poll before ${parts.time(noPollBefore)}`;
	const details = parts.facts([
		['Letters watched', watched],
		['Next poll', nextPollAt === null ? 'none' : next],
		...lists.map(({ name, readAt, problem: why }) => {
			const read = readAt === null ? 'not read yet' : `${parts.since(readAt)} ago`;
			return /** @type {[string, string]} */ ([
				LIST_NAMES[name],
				why === null ? read : `${read}: ${why}`,
			]);
		}),
	]);
	const ask = frame.act('POST', 'watches/retry', () => 'The delivery service is asked again.');
	return parts.section(
		'Watching',
		html`${details}
		${problem === null
			? answeredAt === null
				? parts.quiet('No answer of the delivery service yet.')
				: html`<p class="good">The delivery service answered ${parts.since(answeredAt)} ago.</p>`
			: html`<p class="bad">Since ${parts.time(problemSince)} UTC: ${problem}${until}.</p>
					${parts.button('Ask again now', ask)}`}`,
	);
}
