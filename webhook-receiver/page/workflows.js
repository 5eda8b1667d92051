// Workflows: whether an n8n listens, and what waits for them.
import { nothing } from './lit-html.js';
import { allConsumers, get } from './api.js';
import { batchesTable, retryDead } from './lists.js';
import * as parts from './parts.js';
import { html } from './parts.js';

/** @typedef {import('./main.js').Frame} Frame */
/** @typedef {import('../src/core/pull-contract.ts').ConsumerView} ConsumerView */

const ROWS = 25;
const FEW_DEAD = 10;

/** @param {Frame} frame */
export async function workflows(frame) {
	const all = await allConsumers();
	return { title: 'Workflows', content: workflowsSection(all, frame, all.length, nothing) };
}

const NONE = parts.quiet(
	'No workflow has asked for events yet: publish one that begins with the Registered Delivery Trigger.',
);

/** Those with problems first. @param {ConsumerView[]} all @param {Frame} frame @param {number} limit @param {unknown} above */
export function workflowsSection(all, frame, limit, above) {
	const cards = inOrder(all)
		.slice(0, limit)
		.map(
			(one) =>
				html`<article>
					<h3><a href=${parts.workflowPath(one.key)}>${parts.shortName(one)}</a></h3>
					${holderOf(one, all)} ${rivalOf(one)} ${heldBack(one)} ${retryDeadOf(one, frame)}
				</article>`,
		);
	const more = html`<p><a href="#/workflows">All ${all.length} workflows</a></p>`;
	return parts.section(
		'Workflows',
		html`${above}
			<div class="cards">${all.length === 0 ? NONE : cards}</div>
			${all.length > limit ? more : nothing}`,
	);
}

/** @param {ConsumerView[]} all */
function inOrder(all) {
	/** @param {ConsumerView} one */
	const urgency = ({ held, dead }) => (dead > 0 ? 2 : 0) + (held ? 0 : 1);
	return [...all].sort(
		(one, other) => urgency(other) - urgency(one) || (one.key < other.key ? -1 : 1),
	);
}

/** One workflow: what waits for it, and why. @param {Frame} frame */
export async function workflow(frame) {
	const [key = ''] = frame.path;
	const path = `consumers/${encodeURIComponent(key)}`;
	const after = frame.query.get('after');
	/** @type {[ConsumerView, ConsumerView[], { data: any[], next: any }, { data: any[] }]} */
	const [consumer, all, open, dead] = await Promise.all([
		get(path),
		allConsumers(),
		get('batches', { consumer: key, state: 'open', after: after ?? 0, limit: ROWS }),
		get('batches', { consumer: key, state: 'dead', after: 0, limit: FEW_DEAD }),
	]);
	const names = new Map([[key, consumer]]);
	const { held, behind } = consumer;
	const details = parts.facts([
		['Node', consumer.node],
		['In n8n', parts.inN8n(consumer.url)],
		['State', holderOf(consumer, all)],
		['Wants', inWords(consumer.wants)],
		['Held back', heldBack(consumer)],
		['Events not reached yet', behind === 0 ? null : `${behind}, wanted or not`],
		['Second n8n', rivalOf(consumer)],
		['Known since', `${parts.time(consumer.createdAt)} UTC`],
		['Identity', html`<span class="quiet">${key}</span>`],
	]);
	const forgotten = () => {
		location.hash = '#/';
		return html`${parts.shortName(consumer)} is forgotten. Attention lists what it will not get.`;
	};
	const question = {
		title: 'Forget this workflow?',
		text: html`What waits for ${parts.shortName(consumer)}, and its dead batches, are lost to it.`,
		yes: 'Forget it',
	};
	const forget = html`<p>
			If this workflow is gone for good, the receiver need not keep anything for it. What waits for
			it, and its dead batches, are then lost to it; the events themselves stay.
		</p>
		${parts.button('Forget this workflow', frame.act('DELETE', path, forgotten, { question }))}`;

	const below = parts.paging(parts.workflowPath(key), frame.query, 'after', open.next, true);
	return {
		title: consumer.name.trim() || parts.shortName(consumer),
		content: html`${parts.section('This workflow', details)}
		${batchesTable('Waiting', open.data, names, frame, { below, none: 'Nothing waits.' })}
		${batchesTable('Dead, oldest first', dead.data, names, frame, {
			above: retryDeadOf(consumer, frame),
		})}
		${held ? nothing : parts.section('Forget', forget)}`,
	};
}

/** @param {ConsumerView} consumer @param {Frame} frame */
const retryDeadOf = ({ key, dead }, frame) =>
	dead === 0 ? nothing : parts.button(`Hand out ${dead} dead again`, retryDead(frame, key));

/** @param {ConsumerView['wants']} wants */
function inWords({ events, filter = {}, batchSize }) {
	const names = events.map((type) => {
		if (type === '*') return 'every event of letters';
		return type === 'receiver.attention' ? 'when the receiver needs attention' : type;
	});
	const { messageTypes, statuses, fileReference, customerReference } = filter;
	/** @type {Array<[string, string | undefined]>} */
	const filters = [
		['message type', messageTypes?.join(' or ')],
		['status', statuses?.join(' or ')],
		['file reference', fileReference],
		['customer reference', customerReference],
	];
	const narrowed = filters.flatMap(([name, value]) => (value ? [`${name} ${value}`] : []));
	const size = batchSize > 1 ? [`up to ${batchSize} at once`] : [];
	return [names.join(', '), ...narrowed, ...size].join('; ');
}

/** @param {ConsumerView} consumer @param {ConsumerView[]} all */
function holderOf({ key, held, awaySince, pulledAt }, all) {
	if (held) return html`<p class="good">listening</p>`;
	const at = awaySince ?? pulledAt;
	const since = html`since ${parts.time(at)} UTC, for ${parts.since(at)}`;
	const n8n = `${key.split('~', 1)}~`;
	const isListening = all.some((other) => other.held && other.key.startsWith(n8n));
	return isListening
		? html`<p class="bad">
				unpublished, or not opened, ${since}: its n8n listens for other workflows
			</p>`
		: html`<p class="bad">away ${since}: its n8n is not heard of</p>`;
}

/** What is held back, and why. @param {ConsumerView} consumer */
function heldBack({ held, queued, inHand, behind, dead, oldestAt }) {
	const sentences = [
		!held && queued + inHand + behind > 0 && 'What waits is kept until an n8n asks for it.',
		held && inHand > 0 && `n8n has ${parts.counted(inHand, 'batch', 'batches')} in hand.`,
		queued > 0 &&
			`${parts.counted(queued, 'batch waits', 'batches wait')} for a retry, for an earlier one of the same letter, or for room in n8n (Executions at Once).`,
		behind > 0 &&
			`Up to ${parts.counted(behind, 'event comes', 'events come')}${queued + inHand > 0 ? ' after that' : ''}, wanted or not.`,
		oldestAt !== null && `The oldest came ${parts.since(oldestAt)} ago.`,
		dead > 0 &&
			html`<span class="bad">${parts.counted(dead, 'batch is dead', 'batches are dead')}</span>.`,
	].filter((sentence) => sentence !== false);
	if (sentences.length === 0) return parts.quiet('Nothing is held back.');
	return html`<p>${sentences.map((sentence) => html`${sentence} `)}</p>`;
}

/** @param {ConsumerView} consumer */
const rivalOf = ({ rivalAt }) =>
	rivalAt === null
		? nothing
		: html`<p class="bad">
				A second n8n with the same identity was refused at ${parts.time(rivalAt)}: stop one of the
				two.
			</p>`;
