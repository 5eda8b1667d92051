import type { WorkflowName } from '../attention/attention.ts';
import { BATCH_STATES } from '../pull/consumer-store.ts';
import type { BatchRecord, BatchState } from '../pull/consumer-store.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { form, framed, paging, table, time } from './parts.ts';
import type { Frame, Part } from './parts.ts';
import { pathOf, shortName } from './workflow-links.ts';
import { subjectLink } from './subject-link.ts';

/** Workflows by consumer key, for their names. */
export type Names = ReadonlyMap<string, WorkflowName>;

export interface DeliveriesData {
	part: Part<BatchRecord>;
	state: BatchState | null;
	isFirst: boolean;
	names: Names;
}

/** Deliveries in one state or in any: the dead ones oldest first, the others newest first. */
export function deliveriesPage(
	{ part, state, isFirst, names }: DeliveriesData,
	frame: Frame,
): Html {
	const pathTo = (one: BatchState | null) =>
		one === null ? '/page/deliveries' : `/page/deliveries?state=${one}`;
	const links = [null, ...BATCH_STATES].map((one) => {
		const current = one === state ? 'page' : 'false';
		return html`<a href="${pathTo(one)}" aria-current="${current}">${one ?? 'all'}</a>`;
	});
	const again =
		state === 'dead' && part.rows.length > 0
			? form('/page/deliveries/retry-dead', frame, 'Hand out all dead ones again')
			: null;
	const title = state === 'dead' ? 'Dead deliveries, oldest first' : 'Deliveries, newest first';
	const above = html`<nav aria-label="States">${links}</nav>
		${again}`;
	const below = paging(pathTo(state), state === 'dead' ? 'after' : 'before', part.next, isFirst);
	return framed(
		'Deliveries',
		frame,
		deliveriesTable(title, part.rows, names, frame, { above, below }),
	);
}

export function deliveriesTable(
	title: string,
	batches: readonly BatchRecord[],
	names: Names,
	frame: Frame,
	around: Parameters<typeof table>[3] = {},
): Html {
	const rows = batches.map((one) => {
		const { id, number, consumer, state, attempts, updatedAt } = one;
		const workflow = names.get(consumer);
		const isSettled = state === 'done' || state === 'dead';
		const retry = `/page/deliveries/${encodeURIComponent(id)}/retry`;
		const name = workflow
			? html`<a href="${pathOf(consumer)}">${shortName(workflow)}</a>`
			: 'a forgotten workflow';
		return html`<tr>
			<td>${number}</td>
			<td class="wide">${name}</td>
			<td>${lettersOf(one)}</td>
			<td class="${state === 'dead' ? 'bad' : ''}">${state}</td>
			<td>${attempts}</td>
			<td class="wide">${whyOf(one, frame.now)}</td>
			<td>${time(updatedAt)}</td>
			<td>${isSettled && workflow ? form(retry, frame, 'Hand out again') : null}</td>
		</tr>`;
	});
	const heads = ['No.', 'Workflow', 'Letters', 'State', 'Tries', 'Why', 'Changed (UTC)', ''];
	return table(title, heads, rows, around);
}

/** The letters of a delivery; if it has none, its events. */
function lettersOf({ messages, events }: BatchRecord): Html {
	const links = messages.slice(0, 3).map((id) => html`${subjectLink(id)} `);
	const rest = messages.length > 3 ? `and ${messages.length - 3} more` : '';
	if (messages.length === 0) return html`event ${events.slice(0, 3).join(', ')}`;
	return html`${links}${rest}`;
}

/** Why the delivery is in its state. */
function whyOf({ state, dueAt, reason, attempts }: BatchRecord, now: number): string {
	if (state === 'in-hand')
		return `n8n has it; without a word it goes out again at ${time(dueAt ?? '')}`;
	if (state === 'dead') return reason ?? 'n8n gave no reason';
	if (state === 'done') return reason ?? '';
	const because = reason === null ? '' : `: ${reason}`;
	if (dueAt !== null && Date.parse(dueAt) > now) return `again at ${time(dueAt)}${because}`;
	if (attempts > 0) return `goes out again${because}`;
	return `waits for an earlier one of the same letter, or for n8n${because}`;
}
