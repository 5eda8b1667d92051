import { ANY_EVENT, RECEIVER_ATTENTION } from '../core/event-contract.ts';
import type { StoredConsumer, Wants } from '../core/pull-contract.ts';
import type { BatchRecord } from '../pull/consumer-store.ts';
import { deliveriesTable } from './deliveries.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { duration, facts, form, framed, paging, section, time } from './parts.ts';
import type { Frame, Part } from './parts.ts';
import { n8nLink, pathOf, shortName } from './workflow-links.ts';

/** Each workflow: its name, whether an n8n listens for it, and what waits for it. */
export function workflowsSection(
	shown: readonly StoredConsumer[],
	frame: Frame,
	all: number,
): Html {
	const cards = shown.map(
		(one) =>
			html`<article>
				<h3><a href="${pathOf(one.key)}">${shortName(one)}</a></h3>
				${holderOf(one, frame.now)} ${rivalOf(one)} ${heldBack(one, frame.now)}
				${retryDead(one, frame)}
			</article>`,
	);
	const rest =
		all > shown.length ? html`<p><a href="/page/workflows">All ${all} workflows</a></p>` : null;
	const none = html`<p class="quiet">
		No workflow has asked for events yet: publish one that begins with the Registered Delivery
		Trigger.
	</p>`;
	return section(
		'Workflows',
		cards.length === 0
			? none
			: html`<div class="cards">${cards}</div>
					${rest}`,
	);
}

/** Those with problems first. */
export function inOrder(consumers: readonly StoredConsumer[]): StoredConsumer[] {
	const urgency = ({ held, dead }: StoredConsumer) => (dead > 0 ? 2 : 0) + (held ? 0 : 1);
	return [...consumers].sort(
		(one, other) => urgency(other) - urgency(one) || (one.key < other.key ? -1 : 1),
	);
}

export interface WorkflowData {
	consumer: StoredConsumer;
	open: Part<BatchRecord>;
	after: number;
	dead: BatchRecord[];
}

/** One workflow: what waits for it, and why. */
export function workflowPage({ consumer, open, after, dead }: WorkflowData, frame: Frame): Html {
	const { key, node, url, wants, held, createdAt, behind } = consumer;
	const path = pathOf(key);
	const names = new Map([[key, consumer]]);
	const details = facts([
		['Node', node === '' ? null : node],
		['In n8n', url === null ? null : n8nLink(url)],
		['State', holderOf(consumer, frame.now)],
		['Wants', inWords(wants)],
		['Held back', heldBack(consumer, frame.now)],
		['Events not reached yet', behind === 0 ? null : `${behind}, wanted or not`],
		['Second n8n', rivalOf(consumer)],
		['Known since', `${time(createdAt)} UTC`],
		['Identity', html`<span class="quiet">${key}</span>`],
	]);
	const forget = html`<p>
			If this workflow is gone for good, the receiver need not keep anything for it. What waits for
			it, and its dead deliveries, are then lost to it; the events themselves stay.
		</p>
		${form(`${path}/forget`, frame, 'Forget this workflow')}`;
	const more = paging(path, 'after', open.next, after === 0);
	return framed(
		consumer.name.trim() || shortName(consumer),
		frame,
		html`${section('This workflow', details)}
		${deliveriesTable('Waiting', open.rows, names, frame, { below: more, none: 'Nothing waits.' })}
		${deliveriesTable('Dead, oldest first', dead, names, frame, {
			above: retryDead(consumer, frame),
		})}
		${held ? null : section('Forget', forget)}`,
	);
}

function retryDead({ key, dead }: StoredConsumer, frame: Frame): Html | null {
	if (dead === 0) return null;
	const action = `/page/deliveries/retry-dead?consumer=${encodeURIComponent(key)}`;
	return form(action, frame, `Hand out ${dead} dead again`);
}

function inWords({ events, filter = {}, batchSize }: Wants): string {
	const names = events.map((type) => {
		if (type === ANY_EVENT) return 'every event of letters';
		return type === RECEIVER_ATTENTION ? 'when the receiver needs attention' : type;
	});
	const { messageTypes, statuses, fileReference, customerReference } = filter;
	const filters: Array<[string, string | undefined]> = [
		['message type', messageTypes?.join(' or ')],
		['status', statuses?.join(' or ')],
		['file reference', fileReference],
		['customer reference', customerReference],
	];
	const narrowed = filters.flatMap(([name, value]) => (value ? [`${name} ${value}`] : []));
	const size = batchSize > 1 ? [`up to ${batchSize} at once`] : [];
	return [names.join(', '), ...narrowed, ...size].join('; ');
}

function holderOf({ held, awaySince, pulledAt }: StoredConsumer, now: number): Html {
	if (held) return html`<p class="good">listening</p>`;
	const since = awaySince ?? pulledAt;
	const ago = duration(now - Date.parse(since));
	return html`<p class="bad">away since ${time(since)} UTC, for ${ago}</p>`;
}

/** What is held back, and why. */
function heldBack(one: StoredConsumer, now: number): Html {
	const { held, queued, inHand, behind, dead, oldestAt } = one;
	const sentences: Array<string | Html> = [];
	if (!held && queued + inHand + behind > 0)
		sentences.push('What waits is kept until an n8n asks for it.');
	if (held && inHand > 0)
		sentences.push(`n8n has ${counted(inHand, 'delivery', 'deliveries')} in hand.`);
	if (queued > 0) {
		sentences.push(
			`${counted(queued, 'delivery waits', 'deliveries wait')} for a retry, for an earlier one of the same letter, or for room in n8n (Executions at Once).`,
		);
	}
	if (behind > 0) {
		const after = queued + inHand > 0 ? ' after that' : '';
		sentences.push(
			`Up to ${counted(behind, 'event comes', 'events come')}${after}, wanted or not.`,
		);
	}
	if (oldestAt !== null)
		sentences.push(`The oldest came ${duration(now - Date.parse(oldestAt))} ago.`);
	if (dead > 0) {
		sentences.push(
			html`<span class="bad">${counted(dead, 'delivery is dead', 'deliveries are dead')}</span>.`,
		);
	}
	if (sentences.length === 0) return html`<p class="quiet">Nothing is held back.</p>`;
	return html`<p>${sentences.map((sentence) => html`${sentence} `)}</p>`;
}

function rivalOf({ rivalAt }: StoredConsumer): Html | null {
	if (rivalAt === null) return null;
	return html`<p class="bad">
		A second n8n with the same identity was refused at ${time(rivalAt)}: stop one of the two.
	</p>`;
}

function counted(count: number, one: string, many: string): string {
	return `${count} ${count === 1 ? one : many}`;
}
